# What every folder's CMakeLists.txt uses: quarry_library, quarry_test, quarry_fuzz.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# Boost.JSON and fmt are part of the precompiled header, and so of every target: a header read with other definitions cannot
# be reused.
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(fmt REQUIRED)

add_library(quarry_options INTERFACE)
target_link_libraries(quarry_options INTERFACE Boost::json fmt::fmt)
target_include_directories(quarry_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(quarry_options INTERFACE -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual)
# Clang warns of what GCC's library does within, and of results that TRY drops on purpose.
target_compile_options(quarry_options INTERFACE
    "$<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations;-Wno-unused-result>")
# The files of a folder compiled together: a cold build takes a third of the time, one after an edit takes longer. Two
# warnings are then about other files than the one they name: that a local name hides one of a file before it, and that
# an included file has types in an unnamed namespace.
option(QUARRY_UNITY "Compile the files of a target together" OFF)
if(QUARRY_UNITY)
    set(CMAKE_UNITY_BUILD ON)
    set(QUARRY_BATCH 40 CACHE STRING "How many files are compiled together at most")
    target_compile_options(quarry_options INTERFACE
        "$<$<CXX_COMPILER_ID:GNU>:-Wshadow=local;-Wno-subobject-linkage>")
else()
    target_compile_options(quarry_options INTERFACE -Wshadow)
endif()
# GCC 12 reports overlaps and overruns inside std::string that cannot happen (GCC bugs 105651, 105329).
add_compile_options("$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
# GCC collects its garbage while it compiles; with memory at hand that is a tenth of the time for nothing.
add_compile_options("$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=1000;--param=ggc-min-heapsize=1048576>")
if(QUARRY_WERROR)
    target_compile_options(quarry_options INTERFACE -Werror)
endif()
# What users run is hardened: checks in the standard library and the C library, guarded stacks, an image that is laid out
# anew at each start and whose tables cannot be written. bench/README.md says what it costs.
option(QUARRY_HARDEN "Compile in the checks of the program that users run" OFF)
set(quarry_hardening)
if(QUARRY_HARDEN)
    add_compile_definitions(_GLIBCXX_ASSERTIONS)  # everywhere: it is part of inline functions, of which one copy is kept
    add_compile_options(-fPIE)
    add_link_options(-pie -Wl,-z,relro,-z,now)
    set(quarry_hardening -fstack-protector-strong -D_FORTIFY_SOURCE=2)
endif()
# What is tested is compiled with the sanitizers. The tests themselves only where they must be: ThreadSanitizer has to
# see both sides of every exchange. Elsewhere they are the larger half of the build, and are compiled as fast as can be.
set(quarry_library_flags ${quarry_hardening})
set(quarry_hot_flags $<$<CONFIG:Release>:-O2>)
set(quarry_test_flags -O0)
if(QUARRY_SANITIZE)
    set(quarry_library_flags -fsanitize=${QUARRY_SANITIZE} -fno-omit-frame-pointer)
    if(QUARRY_SANITIZE MATCHES thread)
        set(quarry_test_flags -O0 ${quarry_library_flags})
    endif()
    target_link_options(quarry_options INTERFACE -fsanitize=${QUARRY_SANITIZE})
    # Their reports name functions and lines with it, and addresses without.
    find_program(QUARRY_SYMBOLIZER NAMES llvm-symbolizer-19 llvm-symbolizer)
endif()
if(QUARRY_FUZZ)
    target_compile_options(quarry_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(QUARRY_COVERAGE)
    target_compile_options(quarry_options INTERFACE --coverage)
    target_link_options(quarry_options INTERFACE --coverage)
endif()

find_program(QUARRY_CCACHE ccache)
if(QUARRY_CCACHE)
    # With a precompiled header ccache must be told that what it cannot see in the source does not matter.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${QUARRY_CCACHE})
endif()
find_program(QUARRY_MOLD mold)
if(QUARRY_MOLD)
    add_link_options(-fuse-ld=mold)
endif()

# Headers that most files include are read once per build: it halves the time of a cold one. Files still include what
# they use; -DQUARRY_PRECOMPILE=OFF builds without.
option(QUARRY_PRECOMPILE "Read the headers that most files need only once" ON)
# quarry_precompiled(NAME HEADER FLAG...): a target that others reuse the header of.
function(quarry_precompiled name header)
    if(QUARRY_PRECOMPILE)
        file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cc CONTENT "")
        add_library(${name} STATIC ${CMAKE_BINARY_DIR}/${name}.cc)
        target_link_libraries(${name} PUBLIC quarry_options)
        target_compile_options(${name} PRIVATE ${ARGN})
        target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
    endif()
endfunction()
function(quarry_reuse_precompiled name from)
    if(QUARRY_PRECOMPILE)
        target_precompile_headers(${name} REUSE_FROM ${from})
    endif()
endfunction()
if(QUARRY_PRECOMPILE)
    # What ccache needs to know that the header is still the one it saw.
    target_compile_options(quarry_options INTERFACE -pthread
        "$<IF:$<CXX_COMPILER_ID:GNU>,-fpch-preprocess,SHELL:-Xclang -fno-pch-timestamp>")
endif()
quarry_precompiled(quarry_precompiled precompiled.h ${quarry_library_flags})
# GCC crashes when it reads a header compiled with another level of optimisation.
quarry_precompiled(quarry_precompiled_hot precompiled.h ${quarry_library_flags} ${quarry_hot_flags})

# quarry_batch_by_folder(TARGET): QUARRY_UNITY joins files of one folder only. Their names were chosen side by side; those of
# store/sqlite and store/postgres were not. Runs at the end of a CMakeLists.txt, when all of a target's files are known.
function(quarry_batch_by_folder target)
    if(NOT QUARRY_UNITY)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    get_target_property(files ${target} SOURCES)
    foreach(file ${files})
        get_filename_component(path ${file} ABSOLUTE)
        get_filename_component(folder ${path} DIRECTORY)
        file(RELATIVE_PATH folder ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
        string(MAKE_C_IDENTIFIER "${folder}" folder)
        list(APPEND folder_${folder} ${file})
        list(LENGTH folder_${folder} count)
        math(EXPR batch "(${count} - 1) / ${QUARRY_BATCH}")
        set_source_files_properties(${file} PROPERTIES UNITY_GROUP "${folder}_${batch}")
    endforeach()
endfunction()

# quarry_library(NAME [HOT] SOURCES a.cc b.cc LINKS quarry_base PkgConfig::X)
# HOT: its loops are where a page's time goes. Everything else waits for a network or a person, and is compiled with the
# release preset's -O1, which takes two thirds of the time of -O2.
function(quarry_library name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "HOT" "" "SOURCES;LINKS")
    if(ARG_SOURCES)
        add_library(quarry_${name} STATIC ${ARG_SOURCES})
        target_link_libraries(quarry_${name} PUBLIC quarry_options ${ARG_LINKS})
        target_compile_options(quarry_${name} PRIVATE ${quarry_library_flags})
        if(ARG_HOT)
            target_compile_options(quarry_${name} PRIVATE ${quarry_hot_flags})
            quarry_reuse_precompiled(quarry_${name} quarry_precompiled_hot)
        else()
            quarry_reuse_precompiled(quarry_${name} quarry_precompiled)
        endif()
        cmake_language(EVAL CODE "cmake_language(DEFER CALL quarry_batch_by_folder quarry_${name})")
    else()
        add_library(quarry_${name} INTERFACE)
        target_link_libraries(quarry_${name} INTERFACE quarry_options ${ARG_LINKS})
    endif()
endfunction()

if(QUARRY_TESTS)
    add_custom_target(unit_tests)       # all but those labelled program or slow; label unit
    add_custom_target(thread_tests)     # those labelled threads
    add_custom_target(sanitized_tests)  # those labelled sanitized
    quarry_precompiled(quarry_precompiled_tests precompiled_tests.h ${quarry_test_flags})
    add_library(quarry_doctest_main STATIC ${CMAKE_SOURCE_DIR}/tests/doctest_main.cc)
endif()

# quarry_test(NAME SOURCES a_test.cc LINKS quarry_url): one program of doctest cases, known to ctest by its name.
# LABELS: program (runs the built program), slow (left out of ./test --quick). All others are unit tests, and run again
# under AddressSanitizer; those labelled threads under ThreadSanitizer, too; those labelled sanitized under both, although
# they run a program.
# SEPARATE: its files use the same names for different things, so that QUARRY_UNITY must not join them
function(quarry_test name)
    if(NOT QUARRY_TESTS)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 ARG "SEPARATE" "" "SOURCES;LINKS;LABELS")
    add_executable(${name} ${ARG_SOURCES})
    if(ARG_SEPARATE)
        set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
    endif()
    target_link_libraries(${name} PRIVATE quarry_options quarry_doctest_main ${ARG_LINKS})
    target_compile_options(${name} PRIVATE ${quarry_test_flags})
    quarry_reuse_precompiled(${name} quarry_precompiled_tests)
    target_compile_definitions(${name} PRIVATE QUARRY_SUITES="${QUARRY_SUITES}" QUARRY_SOURCE="${CMAKE_SOURCE_DIR}")
    add_test(NAME ${name} COMMAND ${name})
    if(NOT ARG_LABELS MATCHES "program|slow")
        list(APPEND ARG_LABELS unit)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 1500)
    foreach(label unit_tests thread_tests sanitized_tests)
        string(REGEX REPLACE "_tests$" "" word ${label})
        if(ARG_LABELS MATCHES "${word}")
            add_dependencies(${label} ${name})
        endif()
    endforeach()
    if(QUARRY_SANITIZE)
        target_compile_definitions(${name} PRIVATE QUARRY_SANITIZED)
    endif()
    if(QUARRY_SYMBOLIZER)
        set(options "external_symbolizer_path=${QUARRY_SYMBOLIZER}")
        # A child that a test forks may start threads: it is one that will be killed.
        set_tests_properties(${name} PROPERTIES
            ENVIRONMENT "ASAN_OPTIONS=${options};UBSAN_OPTIONS=${options};TSAN_OPTIONS=${options}:die_after_fork=0")
    endif()
endfunction()

# quarry_names_its_commit(PROGRAM): `quarry --version` names the commit it was built from. The file that does is written anew
# only when the commit is another one, so a build that finds nothing to do stays one.
function(quarry_names_its_commit program)
    set(file ${CMAKE_BINARY_DIR}/commit.cc)
    add_custom_target(${program}_commit
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DFILE=${file} -P ${CMAKE_SOURCE_DIR}/cmake/commit.cmake
        BYPRODUCTS ${file}
        VERBATIM)
    add_dependencies(${program} ${program}_commit)
    target_sources(${program} PRIVATE ${file})
    set_target_properties(${program} PROPERTIES UNITY_BUILD OFF)
endfunction()

# quarry_fuzz(NAME SOURCES x_fuzz.cc LINKS quarry_url): a libFuzzer program in the fuzz preset. In every other build the
# same file becomes a test that replays the corpus, so a crash found once stays found.
function(quarry_fuzz name)
    if(NOT QUARRY_TESTS)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINKS")
    if(QUARRY_FUZZ)
        add_executable(${name} ${ARG_SOURCES})
        target_compile_options(${name} PRIVATE ${quarry_library_flags})
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        add_executable(${name} ${ARG_SOURCES} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay_main.cc)
        quarry_reuse_precompiled(${name} quarry_precompiled)
        target_compile_options(${name} PRIVATE ${quarry_library_flags})
        add_test(NAME ${name} COMMAND ${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
        set_tests_properties(${name} PROPERTIES LABELS unit)
        add_dependencies(unit_tests ${name})
    endif()
    target_link_libraries(${name} PRIVATE quarry_options ${ARG_LINKS})
endfunction()
