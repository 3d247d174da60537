// The table grp, and the groups that are not over, in memory. What changes of a group is changed in memory
// and written once per transaction, however many outcomes moved its counters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "model/group.h"
#include "model/metrics.h"
#include "store/job_json.h"
#include "store/sqlite/tables/pages.h"

namespace quarry::store {

struct OpenGroup {
    std::int64_t id = 0;
    int owner = 0;
    Concurrency concurrency = Concurrency::shared;
    std::int64_t page_limit = 0;
    std::int64_t url_limit = 0;
    PageOwner pages{};
    bool has_closing_jobs = false;  // not added yet
    bool has_notice = false;        // perhaps: the row knows
    bool has_former = false;        // its site had pages when it was loaded
    bool has_aliases = false;

    // Written by save().
    JobState state = JobState::queued;
    int priority = priority_normal;
    GroupCounters counters{};
    std::string error{};
    std::optional<Timestamp> started_at{}, finished_at{};
    std::optional<std::int64_t> last_id{};

    std::uint64_t last_turn = 0;  // when it was last given URLs
    bool is_dirty = false;

    bool is_over() const { return finished_at.has_value(); }
    // No URL may be leased any more: so many have completed that the limit is reached.
    bool has_enough() const { return counters.completed + counters.running >= page_limit; }
};

// What is added to a group, also to one that is over.
struct GroupTally {
    std::int64_t indexed = 0;
    Timings timings{};

    void add(const Timings& more) {
        timings.fetch += more.fetch;
        timings.extract += more.extract;
        timings.chunk += more.chunk;
        timings.embed += more.embed;
        timings.index += more.index;
        timings.words += more.words;
        timings.chunks += more.chunks;
    }
};

class GroupRows {
public:
    static Result<GroupRows> create(db::Connection& connection);

    Result<void> insert(std::int64_t id, const NewGroup& group, int owner, Timestamp now);
    Result<void> save(const OpenGroup& group);
    Result<void> add(std::int64_t id, const GroupTally& tally);
    Result<void> set_index_pages(std::int64_t id);
    Result<std::vector<OpenGroup>> open_groups();
    Result<OpenGroup> load(std::int64_t id);
    Result<bool> has_request(int owner, const std::string& request_key);
    // The state of any group, also one that is over; nothing if there is none.
    Result<std::optional<JobState>> state_of(std::int64_t id);

    Result<std::vector<NewJob>> take_closing_jobs(std::int64_t id);
    Result<std::optional<NewJob>> notice_of(std::int64_t id);
    Result<void> add_roots(std::int64_t id, const std::vector<std::string>& roots);

private:
    struct Statements {
        db::Statement insert, save, add, set_index_pages, open, find, find_request, state, closing_jobs,
            set_closing_jobs, roots, set_roots;
    };
    explicit GroupRows(Statements statements) : sql_(std::move(statements)) {}
    Result<LaterJobs> later_jobs_of(std::int64_t id);

    Statements sql_;
};

}  // namespace quarry::store
