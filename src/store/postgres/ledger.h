// The state of one transaction: its connection, its time, the groups it has locked, and what it will write
// before it commits. The ledger gathers rows of jobs, counts and groups and writes many of them with one
// statement.
//
// The operations are functions in writing/ (operations.h, leasing.h). PostgreSQL may ask for an operation to
// be run again from the start, so an operation changes nothing outside of the ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "db/postgres/connection.h"
#include "store/known_keys.h"
#include "store/postgres/claim_order.h"
#include "store/postgres/names.h"
#include "store/postgres/process_memory.h"
#include "store/postgres/tables/groups.h"
#include "store/postgres/tables/jobs.h"
#include "store/store.h"

namespace quarry::store::postgres {

// The result of an operation. The outer Result says whether the database did its part; if not, everything is
// rolled back. The inner Result is what the caller is told. An operation that refuses has written nothing.
template <typename T>
using Answer = Result<Result<T>>;

template <typename T>
Answer<T> refuse(ErrorCode code, std::string sentence) {
    return Result<T>(fail(code, std::move(sentence)));
}

// What all transactions of a process share. Safe from many threads.
struct Process {
    Process(const db::PgConfig& config, const StoreLimits& limits_) : limits(limits_), names(config) {}

    const StoreLimits limits;
    Names names;
    Turns turns;
    KnownKeys known;
    Begun begun;
    Claims claims;
    OwnerRoom room;
    OpenRoom open_room;
    // When crawls and owners were last given URLs, so that they take turns.
    struct UrlTurns {
        std::uint64_t turns = 0;
        std::map<std::int64_t, std::uint64_t> groups{}, owners{};
    };
    Guarded<UrlTurns> url_turns;
};

// Changes to the counts of an owner.
struct OwnerTally {
    std::int64_t open_jobs = 0, running_jobs = 0, running_urls = 0, pages = 0;
};

// Changes to the counts of a group, made without locking it. The group may be over.
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

// Changes to the counts of the outbox, by group and collection.
struct ChangeTally {
    std::int64_t queued = 0, completed = 0, failed = 0, cancelled = 0, paused = 0;
    std::optional<std::string> last_error{};
};

// What other processes should know of a transaction beside its events.
struct News {
    bool wakes = false;  // there may be work to do
    PutInLine jobs{};
};

class Ledger {
public:
    // `opening`: the answers to what was asked in the round trip that began the transaction.
    Ledger(db::PgConnection& sql, Process& process, Timestamp now, std::vector<db::PgRows> opening)
        : sql_(sql), process_(process), now_(now), opening_(std::move(opening)) {}

    db::PgConnection& sql() { return sql_; }
    Process& process() { return process_; }
    const StoreLimits& limits() const { return process_.limits; }
    Names& names() { return process_.names; }
    Timestamp now() const { return now_; }
    std::vector<db::PgRows> take_opening() { return std::exchange(opening_, {}); }
    // The number that the server gave this transaction; "" until an operation has asked for it.
    const std::string& transaction() const { return transaction_; }
    void set_transaction(std::string number) { transaction_ = std::move(number); }

    // Ids in ascending order, none of them ever given before.
    Result<std::vector<std::int64_t>> new_ids(std::size_t count);
    Result<std::int64_t> new_id();
    // Asks for ids in the round trip of other queries. Pass the answer to keep_ids; new_ids(count) then needs
    // no query of its own.
    static std::size_t ask_for_ids(db::PgBatch& batch, std::size_t count);
    void keep_ids(const db::PgRows& rows);

    // Locks these groups at once, in order. A transaction that locks many groups one by one may block others.
    Result<void> lock_groups(const std::set<std::int64_t>& ids, IfLocked if_locked = IfLocked::wait);
    bool has_locked(std::int64_t group) const { return groups_.contains(group); }
    // Locks a group that is not over; nullptr if it is over or does not exist. 0 is never the id of a group.
    Result<OpenGroup*> group(std::int64_t id);
    // The same, also for a group that is over.
    Result<OpenGroup*> any_group(std::int64_t id);
    // Marks the group: it will be saved, and checked for completion.
    void touch(OpenGroup& group) {
        if (!std::exchange(group.is_dirty, true)) dirty_groups_.push_back(group.id);
    }
    const std::vector<std::int64_t>& dirty_groups() const { return dirty_groups_; }
    // A place for a group may have become free.
    void reconsider_groups() { groups_may_start_ = true; }

    // Puts a job that is in no table in its place: in line, or among the waiting jobs.
    void put_in_line(JobRow row) { line_.push_back(std::move(row)); }
    void add_payload(std::int64_t id, std::string_view body) { payloads_.emplace_back(id, body); }
    // Ends a job that is in no table. If it had a lease, the lease is no longer counted.
    Result<void> end_job(JobEnd end);
    Result<void> count_open_job(std::int64_t owner, std::int64_t group, int change);

    OwnerTally& tally_of_owner(std::int64_t owner) { return owners_[owner]; }
    GroupTally& tally_of_group(std::int64_t group) { return groups_tally_[group]; }
    ChangeTally& tally_of_changes(std::int64_t group, const std::string& collection) {
        return changes_[{group, collection}];
    }
    // The host has one URL lease less.
    void free_host(std::int64_t host) { ++freed_hosts_[host]; }
    // The worker learns of the lost lease at its next beat.
    void tell_lost(std::int64_t worker, std::int64_t id) { lost_[worker].push_back(id); }
    // Puts jobs back in line that were passed over because their owner had no place, as far as there are
    // places now.
    Result<void> promote_backlog();
    // An owner may have a free place again.
    void reconsider_owners() { has_freed_owner_ = true; }

    // Told after the commit.
    void tell(Event event) { events_.push_back(std::move(event)); }
    void tell_group(const OpenGroup& group);
    void will_be_known(std::int64_t group, const UrlKey& key) { admitted_.emplace_back(group, key); }
    void forget_known() { forgets_known_ = true; }
    void wake() { news_.wakes = true; }
    // Remembers how far a claim of jobs of this kind has come.
    void claimed(std::int64_t kind, const Claims::Begin& begin, const Heads& heads) {
        claimed_.insert_or_assign(kind, std::pair(begin, heads));
    }
    // A lease has ended. Whether its handler had begun no longer matters.
    void forget_begun(std::int64_t token) { ended_leases_.push_back(token); }
    void has_saved_begun(std::vector<LeaseRef> leases) { saved_begun_ = std::move(leases); }

    // Writes what was gathered, so that statements see it, in one round trip with the next statement.
    Result<void> flush();
    // Completes what is complete and begins what may begin until nothing changes any more. Then writes
    // everything.
    Result<void> before_commit();
    void after_commit();

    const std::vector<Event>& events() const { return events_; }
    const News& news() const { return news_; }

private:
    Result<void> flush_jobs();
    Result<void> flush_owners();
    void flush_rest();
    void save_groups();
    Result<void> settle();
    Result<Parking> parking_of(const JobRow& row);

    db::PgConnection& sql_;
    Process& process_;
    const Timestamp now_;
    std::vector<db::PgRows> opening_;
    std::deque<std::int64_t> ids_;  // not used yet
    std::size_t ids_at_once_ = 1;
    std::string transaction_;

    std::map<std::int64_t, OpenGroup> groups_;
    std::vector<std::int64_t> dirty_groups_;
    bool groups_may_start_ = false;

    std::vector<JobRow> line_;
    std::vector<JobEnd> ended_;
    std::vector<std::pair<std::int64_t, std::string>> payloads_;
    std::map<std::int64_t, OwnerTally> owners_;
    std::map<std::int64_t, GroupTally> groups_tally_;
    std::map<std::pair<std::int64_t, std::string>, ChangeTally> changes_;
    std::map<std::int64_t, std::int64_t> freed_hosts_;
    std::map<std::int64_t, std::vector<std::int64_t>> lost_;
    bool has_freed_owner_ = false;

    std::vector<Event> events_;
    std::vector<std::pair<std::int64_t, UrlKey>> admitted_;
    std::map<std::int64_t, std::pair<Claims::Begin, Heads>> claimed_;
    News news_;
    std::vector<std::int64_t> ended_leases_;
    std::vector<LeaseRef> saved_begun_;
    bool forgets_known_ = false;
};

}  // namespace quarry::store::postgres
