// Ids are types, so that a page's cannot be passed for a job's. All are numbers from one counter per
// database; the UUIDs that users see are made from them in public_id.h.
#pragma once

#include <cstdint>

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

}  // namespace quarry
