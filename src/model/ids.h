// Ids are types, so that a page's cannot be passed for a job's. All are numbers from one counter per
// database. Users see UUIDs of version 7, which sort by time and which Firecrawl's clients expect.
// public_id() makes a UUID from a row's number and its time of creation, so it needs neither a column nor an
// index. The number is scrambled with the database's salt, so that an id does not tell how many there are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace quarry {

enum class JobId : std::int64_t {};  // of a job, or of a URL in the frontier, which is one too
enum class GroupId : std::int64_t {};
enum class PageId : std::int64_t {};
enum class ContentId : std::int64_t {};  // of one version of a page's words
enum class HostId : std::int64_t {};
enum class WorkerId : std::int64_t {};  // one process that runs jobs
enum class Token : std::int64_t {};     // proves a lease

template <typename Id>
constexpr std::int64_t number(Id id) {
    return static_cast<std::int64_t>(id);
}

// "0199c5a0-3f2b-7…": made of 48 bits of milliseconds and 62 bits of the scrambled number.
std::string public_id(std::int64_t number, Timestamp created_at, std::uint64_t salt);

struct PublicId {
    std::int64_t number = 0;
    Timestamp created_at{};
};

// The way back. Fails with `invalid_argument` on anything that is not a UUIDv7. A well-formed id of another
// database gives some number, so the caller compares the time of creation with that of the row.
Result<PublicId> parse_public_id(std::string_view text, std::uint64_t salt);

// True for the shape xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, in hexadecimal digits of either case.
bool is_uuid(std::string_view text);

}  // namespace quarry
