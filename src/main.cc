// Turns arguments into an exit code, nothing else.
#include "cli/cli.h"

int main(int argc, char** argv) {
    return quarry::cli::run(argc, argv, quarry::cli::built_from);
}
