// Everything the writer's thread has at hand: the rows in the database, and the memory beside them which
// answers what no index should have to. The memory follows the database: it is changed with it, and after a
// rollback it is built anew from what is committed.
//
// The operations on it are functions in the files around this one (adding.h, leasing.h, finishing.h …). All
// run on the writer's thread, inside its transaction.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "db/sqlite.h"
#include "store/known_keys.h"
#include "store/sqlite/begun_file.h"
#include "store/sqlite/queues.h"
#include "store/sqlite/running.h"
#include "store/sqlite/tables/groups.h"
#include "store/sqlite/tables/jobs.h"
#include "store/sqlite/tables/outbox.h"
#include "store/sqlite/tables/pages.h"
#include "store/sqlite/tables/schedules.h"
#include "store/sqlite/tables/urls.h"
#include "store/sqlite/writer.h"
#include "store/store.h"

namespace quarry::store {

// The SQL, prepared.
struct Rows {
    JobRows jobs;
    FrontierRows urls;
    GroupRows groups;
    HostTable hosts;
    NameTable kinds;
    OwnerTable owners;
    PageRows pages;
};

// Where a sweep is (sweep.h): it goes once through the ended jobs, then through the groups.
struct SweepPlace {
    std::int64_t after_job = 0;
    bool jobs_done = false;
};

class Ledger : public Writer::Book {
public:
    struct Parts {
        db::Connection& connection;
        const Clock& clock;
        StoreLimits limits;
        BegunFile& begun;
        KnownKeys& known;
    };

    // Reads what is there, ends the leases of former processes, and counts this one.
    static Result<std::unique_ptr<Ledger>> open(Parts parts);

    Timestamp now() const { return parts_.clock.now(); }
    const StoreLimits& limits() const { return parts_.limits; }
    db::Connection& connection() { return parts_.connection; }
    BegunFile& begun() { return parts_.begun; }
    KnownKeys& known() { return parts_.known; }

    std::int64_t next_id() { return next_id_++; }
    std::int64_t last_id() const { return next_id_ - 1; }
    Token next_token() { return Token(next_token_++); }
    std::int64_t epoch() const { return epoch_; }
    std::uint64_t salt() const { return salt_; }

    Rows& rows() { return *rows_; }
    Outbox& outbox() const { return *outbox_; }

    // A group that is not over; nullptr if it is, or was never.
    OpenGroup* group(std::int64_t id);
    std::map<std::int64_t, OpenGroup>& groups() { return groups_; }
    // Will be saved, and looked at: it may be complete.
    void touch(OpenGroup& group) {
        if (!std::exchange(group.is_dirty, true)) dirty_groups_.push_back(group.id);
    }
    const std::vector<std::int64_t>& dirty_groups() const { return dirty_groups_; }
    // A group that was just inserted.
    OpenGroup& add_group(OpenGroup group) {
        const std::int64_t id = group.id;
        return groups_.insert_or_assign(id, std::move(group)).first->second;
    }

    // What an outcome adds to its group, which may be over by now: written once per transaction.
    GroupTally& tally(std::int64_t group) { return tallies_[group]; }
    // A page that an owner had fetched.
    void count_page(int owner) { ++pages_fetched_[owner]; }
    // Groups of which nothing may be left: while there are any, whatever is freed is overwritten.
    Result<void> count_private_groups(std::int64_t change);

    // What of a group is not in its row.
    Result<void> load_group_facts(OpenGroup& group);

    // The group begins or ceases to run.
    void set_running(const OpenGroup& group, bool runs);
    const std::set<std::int64_t>& running_groups() const { return running_groups_; }

    // Says that a place for a group may have become free.
    void reconsider_groups() { groups_may_start_ = true; }

    // A queued job takes its place in memory: in line, or among those that wait for their time.
    void put_in_line(const JobRow& row);
    void put_in_line(OpenGroup& group, const UrlRow& row);

    // Counts and remembers a lease, or forgets it, in rows and memory.
    Result<void> add_lease(JobId id, const Lease& lease);
    Result<void> remove_lease(JobId id);

    void count_open_job(int owner, std::int64_t group, int change);
    std::int64_t open_jobs() const { return open_jobs_; }

    // Told after the commit.
    void tell(Event event) { events_.push_back(std::move(event)); }
    void tell_group(const OpenGroup& group);
    // Keys that become known when this transaction is durable.
    void will_be_known(std::int64_t group, const UrlKey& key) { admitted_.emplace_back(group, key); }
    // A URL is no longer known: its crawl may find it again.
    void forget_known() {
        if (!std::exchange(known_is_forgotten_, true)) known().clear();
        admitted_.clear();
    }
    // Somebody who waits for work should look again.
    void wake() { wakes_ = true; }

    void on_commit(std::function<void(std::span<const Event>, bool wakes)> listener) {
        listener_ = std::move(listener);
    }

    // Completes what is complete and begins what may begin, until nothing changes any more.
    Result<void> settle();

    Result<void> before_commit() override;
    void after_commit() override;
    Result<void> rebuild() override;

    ReadyQueue ready;
    FrontierQueue frontier;
    LeaseTable leases;
    WorkerTable workers;
    ScheduleTable schedules;
    TimeQueue delayed_jobs, delayed_urls, start_limits, deadlines;
    SweepPlace sweep_place;
    std::uint64_t turns = 0;  // given to crawls, ever

private:
    explicit Ledger(Parts parts);

    Result<void> load();
    Result<void> load_groups();
    Result<void> load_leases();
    Result<void> load_jobs();
    Result<void> load_urls();
    Result<bool> load_lease(JobId id, Lease& lease);
    Result<void> begin_epoch();
    Result<void> refill(std::int64_t group, std::int64_t host, UrlWindow& window);
    Result<void> save_groups();
    void count_running(const Lease& lease, int change);

    Parts parts_;
    std::unique_ptr<Outbox> outbox_;
    std::unique_ptr<Rows> rows_;
    db::Statement save_next_id_;
    std::map<std::int64_t, OpenGroup> groups_;
    std::vector<std::int64_t> dirty_groups_;
    std::set<std::int64_t> running_groups_;
    std::int64_t next_id_ = 1;
    std::int64_t saved_next_id_ = 0;
    std::int64_t next_token_ = 1;
    std::int64_t epoch_ = 0;
    std::uint64_t salt_ = 0;
    std::int64_t open_jobs_ = 0;
    std::int64_t private_groups_ = 0;
    bool groups_may_start_ = false;
    bool wakes_ = false;
    bool known_is_forgotten_ = false;  // in this transaction

    std::map<std::int64_t, GroupTally> tallies_;
    std::map<int, std::int64_t> pages_fetched_;  // by owner
    std::vector<std::int64_t> ended_tokens_;     // of leases that end in this transaction
    std::vector<Event> events_;
    std::vector<std::pair<std::int64_t, UrlKey>> admitted_;
    std::function<void(std::span<const Event>, bool)> listener_;
};

}  // namespace quarry::store
