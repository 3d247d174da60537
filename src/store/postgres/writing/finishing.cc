#include "store/postgres/writing/finishing.h"

#include <set>
#include <unordered_map>

#include "store/postgres/writing/finish_kinds.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement groups_of_leases_sql{"groups_of_leases", R"sql(
    select grp from quarry.lease where id = any($1::bigint[]) and grp is not null
    union select grp from quarry.url_lease where id = any($1::bigint[]))sql"};

constexpr db::PgStatement ended_by_sql{"ended_by", R"sql(
    select id, token from quarry.done where id = any($1::bigint[]) and token is not null
    union all select id, token from quarry.frontier where id = any($1::bigint[]) and token is not null
    union all select id, token from quarry.outbox where id = any($1::bigint[]) and token is not null)sql"};

// The leases that these outcomes end, by their ids.
class Ended {
public:
    static Result<Ended> take(Ledger& ledger, std::span<const Finished> finished) {
        db::PgIntegers ids, tokens;
        for (const Finished& one : finished) {
            ids.emplace_back(number(one.lease.id));
            tokens.emplace_back(number(one.lease.token));
            ledger.forget_begun(number(one.lease.token));
        }
        const db::PgRows rows = TRY(ledger.sql().run(groups_of_leases_sql, db::PgValues(ids)));
        std::set<std::int64_t> groups;
        for (int row = 0; row < rows.size(); ++row) groups.insert(rows.integer(row, 0));
        TRY(ledger.lock_groups(groups));
        Ended ended;
        for (JobRow& row : TRY(take_leases(ledger.sql(), ids, tokens)))
            ended.jobs_.emplace(row.id, std::move(row));
        const auto taken = [&] { return ended.jobs_.size() + ended.urls_.size(); };
        if (taken() < finished.size()) {
            for (LeasedUrl& url : TRY(take_url_leases(ledger.sql(), ids, tokens)))
                ended.urls_.emplace(url.lease.id, std::move(url));
        }
        if (taken() < finished.size()) {
            for (LeasedChange& change : TRY(take_change_leases(ledger.sql(), ids, tokens)))
                ended.add(std::move(change));
        }
        if (taken() + ended.changes_.size() < finished.size()) TRY(ended.read_former(ledger, ids));
        return ended;
    }

    bool is_of_change(const Finished& finished) const {
        return ended_changes_.contains(number(finished.lease.id));
    }

    Result<Verdict> finish(Ledger& ledger, const Finished& finished) {
        const std::int64_t id = number(finished.lease.id);
        const std::int64_t token = number(finished.lease.token);
        if (auto job = jobs_.find(id); job != jobs_.end() && job->second.token == token) {
            TRY(finish_job(ledger, job->second, finished.outcome));
            jobs_.erase(job);
        } else if (auto url = urls_.find(id); url != urls_.end() && url->second.lease.token == token) {
            TRY(finish_url(ledger, url->second, finished.outcome));
            urls_.erase(url);
        } else if (auto change = changes_.find(id);
                   change != changes_.end() && change->second.lease.token == token) {
            TRY(finish_change(ledger, change->second, finished.outcome));
            changes_.erase(change);
        } else {
            // If it was this very outcome that ended the lease, its answer was lost on the way.
            const auto former = former_.find(id);
            const bool is_same = former != former_.end() && former->second == token;
            return is_same ? Verdict::already_applied : Verdict::conflict;
        }
        former_[id] = token;
        return Verdict::applied;
    }

private:
    void add(LeasedChange change) {
        ended_changes_.insert(change.lease.id);
        changes_.emplace(change.lease.id, std::move(change));
    }
    Result<void> read_former(Ledger& ledger, const db::PgIntegers& ids) {
        const db::PgRows rows = TRY(ledger.sql().run(ended_by_sql, db::PgValues(ids)));
        for (int row = 0; row < rows.size(); ++row) former_[rows.integer(row, 0)] = rows.integer(row, 1);
        return {};
    }

    std::unordered_map<std::int64_t, JobRow> jobs_;
    std::unordered_map<std::int64_t, LeasedUrl> urls_;
    std::unordered_map<std::int64_t, LeasedChange> changes_;
    std::set<std::int64_t> ended_changes_;                   // of them also those that were finished
    std::unordered_map<std::int64_t, std::int64_t> former_;  // tokens of outcomes that were applied
};

}  // namespace

Answer<std::vector<Verdict>> finish(Ledger& ledger, std::span<const Finished> finished) {
    Ended ended = TRY(Ended::take(ledger, finished));
    std::vector<Verdict> verdicts(finished.size());
    // Changes first: their leases are gone already, and a page that is written anew would take them for some
    // that still wait.
    for (const bool are_changes : {true, false}) {
        for (std::size_t at = 0; at < finished.size(); ++at)
            if (ended.is_of_change(finished[at]) == are_changes)
                verdicts[at] = TRY(ended.finish(ledger, finished[at]));
    }
    return verdicts;
}

}  // namespace quarry::store::postgres
