# Turns the files of a folder into a C++ source, so that the program carries them. Run as a script:
#   cmake -D FOLDER=src/demo -D FUNCTION=quarry::app::demo_files -D OUTPUT=files.cc -P embed_files.cmake FILE...
# FILEs are relative to FOLDER. FUNCTION returns a span of base/embedded_file.h, in the order of FILEs.
cmake_minimum_required(VERSION 3.25)

set(rows "")
set(names FALSE)
foreach(index RANGE 1 ${CMAKE_ARGC})
    set(argument "${CMAKE_ARGV${index}}")
    if(names AND NOT argument STREQUAL "")
        file(READ "${FOLDER}/${argument}" content)
        # Compilers promise 64 KB for a literal, so a larger file would need to be cut.
        string(LENGTH "${content}" length)
        if(length GREATER 60000)
            message(FATAL_ERROR "${argument} is too long to be embedded")
        endif()
        string(APPEND rows "    {\"${argument}\",\n     R\"embedded(${content})embedded\"},\n")
    endif()
    if(argument MATCHES "embed_files.cmake$")
        set(names TRUE)
    endif()
endforeach()

string(REGEX MATCH "^(.*)::([a-z_]+)$" matched "${FUNCTION}")
file(WRITE "${OUTPUT}"
"#include \"base/embedded_file.h\"

namespace ${CMAKE_MATCH_1} {
namespace {

constexpr EmbeddedFile files[] = {
${rows}};

}  // namespace

std::span<const EmbeddedFile> ${CMAKE_MATCH_2}() {
    return files;
}

}  // namespace ${CMAKE_MATCH_1}
")
