// The command line: arguments in, exit code out.
#pragma once

namespace quarry::cli {

// Parses the arguments, runs the command and returns the exit code (see exit_code.h). Throws nothing.
int run(int argc, char** argv);

}  // namespace quarry::cli
