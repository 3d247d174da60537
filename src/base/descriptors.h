// How many files and sockets this process may have open at once.
#pragma once

#include <cstdint>

namespace quarry {

// Asks for as many as the system lets it have, within reason, and returns how many that are. A login shell
// hands down 1,024, which is a hint to programs that use select() and too few for a server.
std::int64_t raise_descriptor_limit();

}  // namespace quarry
