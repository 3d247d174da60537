// The claim of jobs of one kind: the next in line, and now and then the oldest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

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

}  // namespace quarry::store::postgres
