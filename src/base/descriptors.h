// How many files and sockets this process may have open at once.
#pragma once

#include <cstdint>

namespace quarry {

// Asks for as many as the system lets it have, within reason, and returns how many that are. A login shell
// hands down 1,024, which is a hint to programs that use select() and too few for a server.
std::int64_t raise_descriptor_limit();

// Who may have how many of them, so that a crawl does not take those of clients, nor the other way round.
// Databases, files and pipes have the rest.
struct DescriptorPlan {
    int clients = 0;   // of a server
    int reserved = 0;  // of these, so many are held so that nobody else can take them
    int fetches = 0;   // connections to other servers, those that are kept for later included
};
DescriptorPlan descriptor_plan();

}  // namespace quarry
