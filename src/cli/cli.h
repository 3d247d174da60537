// The command line: arguments in, exit code out.
#pragma once

#include <string_view>

namespace quarry::cli {

// The command line: arguments in, exit code out.

// The commit that the program was built from; "" if nobody knows. Part of the program alone, in a file that
// is made by the build: what else is compiled does not change with every commit.
extern const char* const built_from;

// Parses the arguments, runs the command and returns the exit code (see exit_code.h). Throws nothing.
int run(int argc, char** argv, std::string_view commit);

extern const char* const version;  // "0.2.0"

}  // namespace quarry::cli
