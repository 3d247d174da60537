// Claims: who gets which job, URL or change next. A Claimer gives workers what is due, and takes back what
// a claim took whose answer was lost. A JobClaim takes jobs of one kind: the next in line, and now and then
// the oldest. LastLook remembers for a moment what a look at due work has shown, because looking is most of
// what a claim costs and busy workers claim every few milliseconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "store/postgres/ledger.h"
#include "store/postgres/transactor.h"
#include "store/postgres/upkeep.h"
#include "store/postgres/writing/operations.h"

namespace quarry::store::postgres {

// What a look at what is due has shown, for a moment: a look is most of what a claim costs, and workers that
// are busy claim every few milliseconds.

class LastLook {
public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::chrono::milliseconds lives{50};

    // Nothing if one has to look: it was too long ago, or something is due. What others have delayed since is
    // not in it, so `next` is no later than when one has to look again.
    std::optional<Due> at(Timestamp now, Time steady_now = std::chrono::steady_clock::now()) const {
        return known_.with([&](const Known& known) -> std::optional<Due> {
            if (steady_now >= known.seen_at + lives || known.due.now) return std::nullopt;
            if (known.due.next && *known.due.next <= now) return std::nullopt;
            Due due = known.due;
            due.next = earlier(due.next, now + lives);
            return due;
        });
    }
    void set(const Due& due, Time steady_now = std::chrono::steady_clock::now()) {
        known_.with([&](Known& known) { known = {.due = due, .seen_at = steady_now}; });
    }

private:
    struct Known {
        Due due{};
        Time seen_at{};
    };
    Guarded<Known> known_;
};

// The claim of jobs of one kind: the next in line, and now and then the oldest.

// What owners may have running.
enum class Limits : std::uint8_t {
    far,   // nobody's can be reached
    near,  // each job's owner is looked at
};

class JobClaim {
public:
    struct Statements {
        db::PgStatement next, oldest;
    };

    // `id`: of the kind.
    JobClaim(Process& process, WorkerId worker, const Demand::Kind& kind, std::int64_t id, Limits limits);

    void ask(db::PgBatch& batch) const;
    // `answers` begins with those to ask(), which are taken off. What was not given because its owner had no
    // place is asked for again.
    Result<void> take(Ledger& ledger, std::span<const db::PgRows>& answers, std::vector<JobLease>& jobs);

private:
    struct Row {
        Place place{};
        int index = 0;  // in the answer
    };
    using Before = bool (*)(const Row&, const Row&);
    // One of the two orders in which jobs are taken.
    struct Line {
        const db::PgStatement* sql;
        Before before;
        Place head{};  // where the last claim ended
        std::uint64_t wanted = 0;
    };

    db::PgValues values(const Line& line) const;
    Result<void> take(Line& line, Ledger& ledger, const db::PgRows& first, std::vector<JobLease>& jobs) const;
    static std::vector<Row> in_order(const db::PgRows& answer, Before before);
    static bool in_turn(const Row& a, const Row& b);
    static bool by_age(const Row& a, const Row& b);
    // How many of them run: an owner may have no place.
    Result<std::uint64_t> add(Ledger& ledger, const db::PgRows& answer, std::span<const Row> rows,
                              std::vector<JobLease>& jobs) const;
    Result<JobLease> lease_of(Ledger& ledger, const db::PgRow& row) const;

    Process* process_;
    WorkerId worker_;
    Demand::Kind kind_;
    std::int64_t id_;
    Claims::Begin begin_;
    Line next_, oldest_;
};

// Claims: who gets which job, URL or change next.

// One claim of whatever a worker demands. What is due by itself is done before (due.h).
class Leasing {
public:
    Leasing(Process& process, const Demand& demand) : process_(process), demand_(demand) {}

    enum class Begin : std::uint8_t {
        at_once,  // nothing is to be done first: jobs may be claimed in the round trip that begins
        later,
    };
    // What lease() wants to know, in the round trip that begins its transaction.
    void ask(db::PgBatch& batch, Begin begin);
    // `has_backlog`: jobs may wait for a place of their owner's.
    Answer<Leased> lease(Ledger& ledger, std::span<const db::PgRows> asked, bool has_backlog);

private:
    bool are_kinds_known() const;
    Result<void> claim_jobs(db::PgBatch& batch, Limits limits);
    Result<void> lease_jobs(Ledger& ledger, std::span<const db::PgRows> asked, Leased& leased);

    Process& process_;
    const Demand& demand_;
    std::vector<JobClaim> claims_;  // that were asked for
};

// What a transaction has claimed, for when its end is not known.
struct Claim {
    std::string transaction{};
    std::vector<LeaseRef> leases{};
};
Claim claim_of(const Ledger& ledger, const Leased& leased);

// Of the frontier. Sets next_due if hosts have asked for patience.
Result<void> lease_urls(Ledger& ledger, const Demand& demand, Leased& leased);
// Of the outbox.
Result<void> lease_changes(Ledger& ledger, const Demand& demand, Leased& leased);

// Gives workers what is due, and takes back what a claim took whose answer was lost.

class Claimer {
public:
    Claimer(Transactor& transactor, const Leadership& leadership)
        : transactor_(transactor), leadership_(leadership) {}

    // As Store::lease.
    Result<Leased> lease(const Demand& demand);

private:
    enum class WhatIsDue : std::uint8_t { first, is_done };
    Result<std::optional<Leased>> claim(const Demand& demand, WhatIsDue if_due);
    bool is_for_others(const Due& due) const;
    Result<void> give_back_unconfirmed();

    Transactor& transactor_;
    const Leadership& leadership_;
    Guarded<std::vector<Claim>> unconfirmed_;
    LastLook last_look_;
};

}  // namespace quarry::store::postgres
