// The ids that users see: UUIDs of version 7, which sort by time and which Firecrawl's clients expect. One is
// made from a row's number and its time of creation, so that it needs neither a column nor an index; the
// number is scrambled with the database's salt, so that an id tells nothing about how many there are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/base_clock.h"
#include "base/result.h"

namespace quarry {

// "0199c5a0-3f2b-7…": made of 48 bits of milliseconds and 62 bits of the scrambled number.
std::string public_id(std::int64_t number, Timestamp created_at, std::uint64_t salt);

struct PublicId {
    std::int64_t number = 0;
    Timestamp created_at{};
};

// The way back. Fails with `invalid_argument` on anything that is no UUIDv7. A well-formed id of another
// database gives some number: whoever looks it up compares the time of creation.
Result<PublicId> parse_public_id(std::string_view text, std::uint64_t salt);

// Of the shape xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, in hexadecimal digits of either case.
bool is_uuid(std::string_view text);

}  // namespace quarry
