#include "store/sqlite/tables/schedules.h"

#include "store/job_json.h"
#include "store/rows/columns.h"
#include "store/sqlite/ledger.h"
#include "store/sqlite/writing/operations.h"

namespace quarry::store {

namespace {

// An expression that names no more times stays, and never comes.
constexpr Timestamp never = Timestamp::max();

Timestamp next_time(const CronExpression& cron, Timestamp now) {
    return cron.next_after(now).value_or(never);
}

Result<ScheduleTable::Entry> entry_of(const db::Statement& row) {
    Schedule schedule{.name = std::string(row.text(0)), .cron = std::string(row.text(1))};
    auto jobs = TRY(jobs_from_json(row.text(2)));
    if (!jobs.empty()) schedule.job = std::move(jobs.front());
    if (!row.is_null(3)) schedule.group = TRY(group_from_json(row.text(3)));
    CronExpression cron = TRY(CronExpression::parse(schedule.cron));
    return ScheduleTable::Entry{
        .schedule = std::move(schedule), .cron = cron, .next_at = time_of(row.integer(4))};
}

Result<void> save(Ledger& ledger, const ScheduleTable::Entry& entry) {
    const Schedule& schedule = entry.schedule;
    const std::string job = jobs_to_json({schedule.job});
    std::optional<std::string> group;
    if (schedule.group) group = group_to_json(*schedule.group);
    db::Statement statement = TRY(ledger.connection().prepare(
        "INSERT OR REPLACE INTO schedule(name, cron, job, grp, next_at) VALUES (?1, ?2, ?3, ?4, ?5)"));
    return statement.bind(schedule.name, schedule.cron, job, group, column_of(entry.next_at)).run();
}

// Limits do not refuse it: a schedule has nobody to tell. A group's limit makes it wait instead.
Result<void> add_once(Ledger& ledger, const Schedule& schedule) {
    if (!schedule.group) {
        TRY(insert_job(ledger, schedule.job));
        return {};
    }
    // What is refused is tried again at the next time.
    (void)TRY(add_group(ledger, *schedule.group, {&schedule.job, 1}, {}));
    return {};
}

}  // namespace

Result<void> ScheduleTable::load(db::Connection& connection) {
    entries_.clear();
    db::Statement rows = TRY(connection.prepare("SELECT name, cron, job, grp, next_at FROM schedule"));
    while (TRY(rows.step())) {
        Entry entry = TRY(entry_of(rows));
        entries_.insert_or_assign(entry.schedule.name, std::move(entry));
    }
    return {};
}

std::optional<Timestamp> ScheduleTable::next() const {
    std::optional<Timestamp> next;
    for (const auto& [name, entry] : entries_) {
        if (entry.next_at != never) next = earlier(next, entry.next_at);
    }
    return next;
}

Answer<void> set_schedule(Ledger& ledger, const Schedule& schedule) {
    const auto cron = CronExpression::parse(schedule.cron);
    if (!cron) return Result<void>(std::unexpected(cron.error()));
    ScheduleTable::Entry entry{.schedule = schedule,
                               .cron = *cron,
                               .next_at = schedule.next_at.value_or(next_time(*cron, ledger.now()))};
    TRY(save(ledger, entry));
    ledger.schedules.entries().insert_or_assign(schedule.name, std::move(entry));
    ledger.wake();
    return Result<void>{};
}

Answer<bool> remove_schedule(Ledger& ledger, const std::string& name) {
    db::Statement statement = TRY(ledger.connection().prepare("DELETE FROM schedule WHERE name = ?1"));
    TRY(statement.bind(name).run());
    return ledger.schedules.entries().erase(name) > 0;
}

Result<void> run_schedules(Ledger& ledger) {
    for (auto& [name, entry] : ledger.schedules.entries()) {
        if (entry.next_at > ledger.now()) continue;
        entry.next_at = next_time(entry.cron, ledger.now());
        TRY(save(ledger, entry));
        TRY(add_once(ledger, entry.schedule));
    }
    return {};
}

}  // namespace quarry::store
