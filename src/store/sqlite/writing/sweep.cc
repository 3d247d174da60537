#include <algorithm>
#include <optional>
#include <vector>

#include "store/rows/columns.h"
#include "store/sqlite/tables/metrics.h"
#include "store/sqlite/tables/pages.h"
#include "store/sqlite/writing/operations.h"

namespace quarry::store {

namespace {

constexpr int jobs_per_step = 1'000;
constexpr int rows_per_sweep = 300;

struct EndedJob {
    std::int64_t id = 0;
    JobState state{};
    Timestamp finished_at{};
    bool zero_retention = false;
    bool is_of_group = false;
};

bool is_too_old(const EndedJob& job, const Retention& retention, Timestamp now) {
    const auto age = now - job.finished_at;
    if (job.zero_retention) return age >= retention.zero_retention;
    if (job.is_of_group) return false;  // goes with its group
    return age >= (job.state == JobState::completed ? retention.completed_jobs : retention.failed_jobs);
}

Result<std::vector<EndedJob>> ended_jobs_after(Ledger& ledger, std::int64_t after) {
    db::Statement rows = TRY(ledger.connection().prepare(R"sql(
        SELECT id, state, finished_at, zero_retention, grp IS NOT NULL FROM done
        WHERE id > ?1 ORDER BY id LIMIT ?2)sql"));
    rows.bind(after, jobs_per_step);
    std::vector<EndedJob> jobs;
    while (TRY(rows.step())) {
        jobs.push_back({.id = rows.integer(0),
                        .state = static_cast<JobState>(rows.integer(1)),
                        .finished_at = time_of(rows.integer(2)),
                        .zero_retention = rows.integer(3) != 0,
                        .is_of_group = rows.integer(4) != 0});
    }
    return jobs;
}

Result<Swept> sweep_jobs(Ledger& ledger, const Retention& retention) {
    SweepPlace& place = ledger.sweep_place;
    const auto jobs = TRY(ended_jobs_after(ledger, place.after_job));
    Swept swept;
    for (const EndedJob& job : jobs) {
        place.after_job = job.id;
        if (!is_too_old(job, retention, ledger.now())) continue;
        const SecureDelete secure = TRY(SecureDelete::begin(ledger.connection(), job.zero_retention));
        TRY(ledger.rows().jobs.forget_done(job.id));
        ++swept.jobs;
    }
    place.jobs_done = jobs.size() < static_cast<std::size_t>(jobs_per_step);
    return swept;
}

Result<std::int64_t> sweep_changes(Ledger& ledger, const Retention& retention) {
    const auto ids = TRY(ledger.outbox().rows.ended_before(ledger.now() - retention.outbox, rows_per_sweep));
    for (const std::int64_t id : ids) {
        if (const auto row = TRY(ledger.outbox().rows.find(id))) TRY(ledger.outbox().rows.forget(*row));
    }
    return std::ssize(ids);
}

struct OldGroup {
    std::int64_t id = 0;
    bool zero_retention = false;
};

Result<std::optional<OldGroup>> next_old_group(Ledger& ledger, const Retention& retention) {
    db::Statement expired = TRY(ledger.connection().prepare(R"sql(
        SELECT id FROM grp INDEXED BY grp_expires
        WHERE finished_at IS NOT NULL AND keep_ms IS NOT NULL
          AND finished_at + iif(completed > 0, keep_ms, keep_failed_ms) <= ?1 LIMIT 1)sql"));
    if (TRY(expired.bind(column_of(ledger.now())).step())) return OldGroup{expired.integer(0)};
    db::Statement find = TRY(ledger.connection().prepare(R"sql(
        SELECT id, zero_retention FROM grp
        WHERE finished_at IS NOT NULL AND keep_ms IS NULL AND finished_at <= iif(zero_retention, ?1, ?2)
        LIMIT 1)sql"));
    find.bind(column_of(ledger.now() - retention.zero_retention), column_of(ledger.now() - retention.groups));
    if (!TRY(find.step())) return std::nullopt;
    return OldGroup{find.integer(0), find.integer(1) != 0};
}

Result<std::int64_t> remove_rows(Ledger& ledger, std::string_view sql, std::int64_t group) {
    db::Statement remove = TRY(ledger.connection().prepare(sql));
    TRY(remove.bind(group, rows_per_sweep).run());
    return ledger.connection().changes();
}

Result<bool> is_private_group(Ledger& ledger, std::int64_t group) {
    db::Statement find = TRY(ledger.connection().prepare("SELECT zero_retention FROM grp WHERE id = ?1"));
    return TRY(find.bind(group).step()) && find.integer(0) != 0;
}

// Some of each table, and the group itself when nothing of it is left. Returns true then.
Result<bool> remove_some_of(Ledger& ledger, std::int64_t group, Swept& swept) {
    const DroppedPages dropped = TRY(ledger.rows().pages.drop_group(GroupId(group), rows_per_sweep));
    swept.contents += dropped.contents;
    swept.rows += dropped.results + dropped.pages;
    if (std::max(dropped.results, dropped.pages) >= rows_per_sweep) return false;
    TRY(remove_rows(ledger, R"sql(
        DELETE FROM payload WHERE id IN (SELECT id FROM done WHERE grp = ?1 ORDER BY id LIMIT ?2))sql",
                    group));
    for (const std::string_view sql :
         {"DELETE FROM done WHERE id IN (SELECT id FROM done WHERE grp = ?1 ORDER BY id LIMIT ?2)",
          "DELETE FROM frontier WHERE id IN (SELECT id FROM frontier WHERE grp = ?1 LIMIT ?2)"}) {
        const std::int64_t removed = TRY(remove_rows(ledger, sql, group));
        swept.rows += removed;
        if (removed >= rows_per_sweep) return false;
    }
    TRY(remove_rows(ledger, "DELETE FROM alias WHERE grp = ?1 AND ?2", group));
    TRY(fold_group(ledger, group));
    const bool is_private = TRY(is_private_group(ledger, group));
    TRY(remove_rows(ledger, "DELETE FROM grp WHERE id = ?1 AND ?2", group));
    if (is_private) TRY(ledger.count_private_groups(-1));
    return true;
}

}  // namespace

Answer<SweepStep> sweep_some(Ledger& ledger, const Retention& retention) {
    if (!ledger.sweep_place.jobs_done) return SweepStep{.swept = TRY(sweep_jobs(ledger, retention))};
    SweepStep step;
    step.swept.changes = TRY(sweep_changes(ledger, retention));
    step.swept.sessions = TRY(fold_sessions(ledger, ledger.now() - retention.metrics, rows_per_sweep));
    step.swept.requests = TRY(fold_requests(ledger, ledger.now() - retention.metrics, jobs_per_step));
    step.swept.operations = TRY(fold_operations(ledger, ledger.now() - retention.metrics, jobs_per_step));
    step.swept.pages = TRY(ledger.rows().pages.drop_cached(ledger.now() - retention.cache, rows_per_sweep));
    if (step.swept.total() > 0) return step;
    const auto group = TRY(next_old_group(ledger, retention));
    if (!group) {
        ledger.sweep_place = {};
        return SweepStep{.is_last = true};
    }
    const SecureDelete secure = TRY(SecureDelete::begin(ledger.connection(), group->zero_retention));
    if (TRY(remove_some_of(ledger, group->id, step.swept))) {
        ++step.swept.groups;
        step.is_private = group->zero_retention;
    }
    return step;
}

Answer<bool> erase_some(Ledger& ledger, GroupId group) {
    const auto closed = TRY(closed_group_error(ledger, group));
    if (!closed) return refuse<bool>(ErrorCode::conflict, "the group is not over");
    if (closed->code == ErrorCode::not_found) return Result<bool>(std::unexpected(*closed));
    const SecureDelete secure = TRY(SecureDelete::begin(ledger.connection(), true));
    Swept swept;
    return Result<bool>(TRY(remove_some_of(ledger, number(group), swept)));
}

}  // namespace quarry::store
