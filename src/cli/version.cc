#include "cli/cli.h"

namespace quarry::cli {

// The only file that is compiled with it: another version makes nothing else old.
const char* const version = QUARRY_VERSION;

}  // namespace quarry::cli
