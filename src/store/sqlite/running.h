// What runs now, in memory: which worker has which lease and was last heard of when, how much each owner
// has running and may have, and which worker has a host. The rows say the same to readers and to the next
// process. Leases end with this process, so beats need no commit.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "model/ids.h"
#include "store/outcome.h"
#include "store/store.h"

namespace quarry::store {

// Who works on what, in memory: the truth about leases while this process lives. The rows of `lease` say the
// same to readers and to the next process.

struct Lease {
    Token token{};
    WorkerId worker{};
    int owner = 0;
    std::int64_t group = 0;  // 0 for none
    std::int64_t host = 0;   // of a URL; 0 for a job
    int priority = 0;        // of a URL: within its group
    // What of the row is needed when it ends, so that it need not be read again.
    int kind = 0;
    int attempts = 0;
    int max_attempts = 0;
    int stalls = 0;
    int snoozes = 0;
    std::string url{};
    PageId page{};             // of a change; 0 otherwise
    std::string collection{};  // of a change
    Timestamp leased_at{};

    bool is_url() const { return host != 0; }
    bool is_change() const { return page != PageId{}; }
};

class LeaseTable {
public:
    const Lease* find(JobId id) const {
        const auto found = leases_.find(number(id));
        return found == leases_.end() ? nullptr : &found->second;
    }
    bool contains(std::int64_t id) const { return leases_.contains(id); }
    void add(JobId id, const Lease& lease) { leases_.insert_or_assign(number(id), lease); }
    // Of a job, whose row has it too.
    void set_priority(std::int64_t id, int priority) { leases_.at(id).priority = priority; }
    void remove(JobId id) { leases_.erase(number(id)); }
    void clear() { leases_.clear(); }
    std::size_t size() const { return leases_.size(); }

    template <typename Matches>
    std::vector<JobId> ids_where(Matches matches) const {
        std::vector<JobId> ids;
        for (const auto& [id, lease] : leases_) {
            if (matches(lease)) ids.push_back(JobId(id));
        }
        return ids;
    }

private:
    std::unordered_map<std::int64_t, Lease> leases_;
};

// The processes that run jobs, and when each was last heard of. In memory only: beats are not worth a commit
// of their own, and when this process ends its workers' leases do too.

struct Worker {
    Timestamp beat_at{};
    bool is_dead = false;       // its leases have been taken away; a beat makes it live again
    std::vector<JobId> lost{};  // leases taken away since its last beat
};

class WorkerTable {
public:
    void add(WorkerId id, Timestamp now) { workers_[number(id)] = {.beat_at = now}; }
    void remove(WorkerId id) { workers_.erase(number(id)); }
    Worker* find(WorkerId id) {
        const auto found = workers_.find(number(id));
        return found == workers_.end() ? nullptr : &found->second;
    }

    // Marks those silent for longer than `patience` and returns them.
    std::vector<WorkerId> bury(Timestamp now, std::chrono::milliseconds patience) {
        std::vector<WorkerId> dead;
        for (auto& [id, worker] : workers_) {
            if (worker.is_dead || now - worker.beat_at <= patience) continue;
            worker.is_dead = true;
            dead.push_back(WorkerId(id));
        }
        return dead;
    }

private:
    std::unordered_map<std::int64_t, Worker> workers_;
};

// Owners: what each may have at once, and what it has.

struct Owner {
    std::string name{};
    OwnerLimits limits{};
    int running_jobs = 0;
    int running_urls = 0;
    int running_groups = 0;
    int exclusive_groups = 0;  // of the running ones, those that run alone
    std::int64_t open_jobs = 0;
    std::uint64_t last_turn = 0;  // when one of its crawls was last given URLs

    bool has_room() const { return running_jobs < limits.running_jobs; }
};

class OwnerTable {
public:
    static Result<OwnerTable> create(db::Connection& connection, const OwnerLimits& standard);

    Result<int> ensure(const std::string& name);
    // A damaged row may name an owner that is not there: then it is nobody's.
    Owner& at(int id) {
        return id >= 1 && id <= count() ? owners_[static_cast<std::size_t>(id) - 1] : nobody_;
    }
    int count() const { return static_cast<int>(owners_.size()); }
    Result<void> set_limits(int id, const OwnerLimits& limits);
    // Pages that it had fetched, added to those of the day.
    Result<void> add_usage(int id, Timestamp now, std::int64_t pages);
    // Reads names and limits; what runs is counted anew by the caller.
    Result<void> reload();

private:
    struct Statements {
        db::Statement all, insert, set_limits, add_usage;
    };
    OwnerTable(Statements statements, const OwnerLimits& standard)
        : sql_(std::move(statements)), standard_(standard) {}

    Statements sql_;
    OwnerLimits standard_;
    std::deque<Owner> owners_;  // by id, from 1 on
    Owner nobody_;
    std::unordered_map<std::string, int> ids_;
};

// Hosts: their numbers, how they want to be treated, and which worker has them now. A host belongs to one
// worker while that worker holds URLs of it, so that politeness needs no agreement between processes.

struct Host {
    std::string name{};
    std::optional<HostRule> rule{};
};

class HostTable {
public:
    static Result<HostTable> create(db::Connection& connection);

    // The host's number; it is given one if it has none.
    Result<std::int64_t> ensure(const std::string& name);
    Result<Host> find(std::int64_t id);
    Result<void> set_rule(const HostRule& rule);
    // Not before this; nothing most of the time.
    std::optional<Timestamp> not_before(std::int64_t id) const;

    struct Claim {
        WorkerId worker{};
        int urls = 0;
    };
    const Claim* claim_on(std::int64_t id) const;
    // True if the worker had none of its URLs before.
    bool add_claim(std::int64_t id, WorkerId worker);
    void remove_claim(std::int64_t id);

    // Forgets what is not in the database.
    Result<void> reload();

private:
    struct Statements {
        db::Statement insert, find_name, find, set_rule, blocked;
    };
    explicit HostTable(Statements statements) : sql_(std::move(statements)) {}

    // Names are looked up again when they have been forgotten.
    static constexpr std::size_t remembered_hosts = 50'000;

    Statements sql_;
    std::unordered_map<std::string, std::int64_t> ids_;
    std::unordered_map<std::int64_t, Host> hosts_;
    std::unordered_map<std::int64_t, Timestamp> not_before_;
    std::unordered_map<std::int64_t, Claim> claims_;
};

}  // namespace quarry::store
