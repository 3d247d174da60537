// Everything a transaction has at hand: its connection, its time, the groups it has locked, and what it will
// write before it commits. Rows of jobs, counts and groups are gathered and written together, many with one
// statement.
//
// The operations are functions in the files around this one (adding.h, leasing.h, finishing.h …). Each may be
// run again from the start when PostgreSQL asks for it, so nothing outside of the ledger is changed by them.
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

// What an operation gives: outside, whether the database did its part (if not, everything is rolled back);
// inside, what the caller is told. An operation that refuses has written nothing.
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

// What is added to an owner.
struct OwnerTally {
    std::int64_t open_jobs = 0, running_jobs = 0, running_urls = 0, pages = 0;
};

// What is added to a group without locking it: it may be over.
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

// What is added to the counts of the outbox, by group and collection.
struct ChangeTally {
    std::int64_t queued = 0, completed = 0, failed = 0, cancelled = 0, paused = 0;
    std::optional<std::string> last_error{};
};

// What others should know of a transaction beside its events.
struct News {
    bool wakes = false;  // something may be there to be done
    PutInLine jobs{};
};

class Ledger {
public:
    // `opening`: what was asked in the round trip that began the transaction.
    Ledger(db::PgConnection& sql, Process& process, Timestamp now, std::vector<db::PgRows> opening)
        : sql_(sql), process_(process), now_(now), opening_(std::move(opening)) {}

    db::PgConnection& sql() { return sql_; }
    Process& process() { return process_; }
    const StoreLimits& limits() const { return process_.limits; }
    Names& names() { return process_.names; }
    Timestamp now() const { return now_; }
    std::vector<db::PgRows> take_opening() { return std::exchange(opening_, {}); }
    // The number that the server gave this transaction, once somebody has asked for it; "" before.
    const std::string& transaction() const { return transaction_; }
    void set_transaction(std::string number) { transaction_ = std::move(number); }

    // Ids in ascending order, none of them ever given before.
    Result<std::vector<std::int64_t>> new_ids(std::size_t count);
    Result<std::int64_t> new_id();
    // The same on the way of other questions: the answer is for keep_ids, and new_ids(count) then asks no
    // more.
    static std::size_t ask_for_ids(db::PgBatch& batch, std::size_t count);
    void keep_ids(const db::PgRows& rows);

    // Locks these groups at once, in order: whoever needs many and locks them one by one may block others.
    Result<void> lock_groups(const std::set<std::int64_t>& ids, IfLocked if_locked = IfLocked::wait);
    bool has_locked(std::int64_t group) const { return groups_.contains(group); }
    // A group that is not over, locked; nullptr if it is, or was never. 0 is never one.
    Result<OpenGroup*> group(std::int64_t id);
    // Also one that is over.
    Result<OpenGroup*> any_group(std::int64_t id);
    // Will be saved, and looked at: it may be complete.
    void touch(OpenGroup& group) {
        if (!std::exchange(group.is_dirty, true)) dirty_groups_.push_back(group.id);
    }
    const std::vector<std::int64_t>& dirty_groups() const { return dirty_groups_; }
    // Says that a place for a group may have become free.
    void reconsider_groups() { groups_may_start_ = true; }

    // A job that is in no table takes its place: in line, or among those that wait.
    void put_in_line(JobRow row) { line_.push_back(std::move(row)); }
    void add_payload(std::int64_t id, std::string_view body) { payloads_.emplace_back(id, body); }
    // A job that is in no table has ended. Its lease, if it had one, was counted off already.
    Result<void> end_job(JobEnd end);
    Result<void> count_open_job(std::int64_t owner, std::int64_t group, int change);

    OwnerTally& tally_of_owner(std::int64_t owner) { return owners_[owner]; }
    GroupTally& tally_of_group(std::int64_t group) { return groups_tally_[group]; }
    ChangeTally& tally_of_changes(std::int64_t group, const std::string& collection) {
        return changes_[{group, collection}];
    }
    // A host has so many URL leases less.
    void free_host(std::int64_t host) { ++freed_hosts_[host]; }
    // A worker is told at its next beat.
    void tell_lost(std::int64_t worker, std::int64_t id) { lost_[worker].push_back(id); }
    // Jobs that were passed over because their owner had no place are put back in line, as far as there are
    // places now.
    Result<void> promote_backlog();
    // An owner may have a place again.
    void reconsider_owners() { has_freed_owner_ = true; }

    // Told after the commit.
    void tell(Event event) { events_.push_back(std::move(event)); }
    void tell_group(const OpenGroup& group);
    void will_be_known(std::int64_t group, const UrlKey& key) { admitted_.emplace_back(group, key); }
    void forget_known() { forgets_known_ = true; }
    void wake() { news_.wakes = true; }
    // A claim of jobs of a kind has come so far.
    void claimed(std::int64_t kind, const Claims::Begin& begin, const Heads& heads) {
        claimed_.insert_or_assign(kind, std::pair(begin, heads));
    }
    // A lease has ended: whether its handler had begun matters no more.
    void forget_begun(std::int64_t token) { ended_leases_.push_back(token); }
    void has_saved_begun(std::vector<LeaseRef> leases) { saved_begun_ = std::move(leases); }

    // Writes what was gathered, so that statements see it: in one round trip with the next of them.
    Result<void> flush();
    // Completes what is complete and begins what may begin, until nothing changes any more; then all is
    // written.
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
    std::deque<std::int64_t> ids_;  // that nobody has yet
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
