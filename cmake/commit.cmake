# Writes FILE, which says what commit SOURCE is at; nothing where there is no git, as in a tarball. A folder inside another
# project's repository has no commit of its own.
set(commit "")
find_program(git git)
if(git)
    execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --show-toplevel
        OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(top STREQUAL SOURCE)
        execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --short=12 HEAD
            OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
endif()
file(CONFIGURE OUTPUT ${FILE} CONTENT [[
// Made by cmake/commit.cmake.
#include "cli/cli.h"

namespace quarry::cli {

const char* const built_from = "@commit@";

}  // namespace quarry::cli
]] @ONLY)
