// The table grp. A transaction that changes something of a group has its row, locked, in memory, and writes
// it once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "db/postgres/connection.h"
#include "model/group.h"
#include "model/metrics.h"
#include "store/job_json.h"

namespace quarry::store::postgres {

// The group that pages are written for. With zero retention its pages are its own: they neither replace what
// is stored nor are they indexed, and they go with the group.
struct PageOwner {
    std::int64_t group = 0;  // 0 for none
    std::string collection{};
    std::string site{};
    bool index_pages = true;
    bool zero_retention = false;
    int priority = 0;  // of the outbox rows
    PageKeeping keeping = PageKeeping::for_good;
};

struct OpenGroup {
    std::int64_t id = 0;
    std::int64_t owner = 0;
    Concurrency concurrency = Concurrency::shared;
    std::int64_t page_limit = 0;
    std::int64_t url_limit = 0;
    PageOwner pages{};
    LaterJobs later{};

    // Written by save_group().
    bool has_aliases = false;
    JobState state = JobState::queued;
    int priority = priority_normal;
    GroupCounters counters{};
    std::string error{};
    std::optional<Timestamp> started_at{}, finished_at{};

    bool is_dirty = false;

    bool is_over() const { return finished_at.has_value(); }
    // No URL may be leased any more: so many have completed that the limit is reached.
    bool has_enough() const { return counters.completed + counters.running >= page_limit; }
};

Result<void> insert_group(db::PgConnection& sql, std::int64_t id, const NewGroup& group, std::int64_t owner,
                          Timestamp now);
enum class IfLocked : std::uint8_t { wait, skip };
// Those of them that there are, locked, in the order of their ids.
Result<std::vector<OpenGroup>> lock_groups(db::PgConnection& sql, const std::vector<std::int64_t>& ids,
                                           IfLocked if_locked);
void save_group(db::PgConnection& sql, const OpenGroup& group);
// The closing jobs have been added: only the notice is left.
Result<void> save_later_jobs(db::PgConnection& sql, const OpenGroup& group);
Result<void> add_roots(db::PgConnection& sql, std::int64_t id, const std::vector<std::string>& roots);
Result<bool> has_request(db::PgConnection& sql, std::int64_t owner, const std::string& request_key);

}  // namespace quarry::store::postgres
