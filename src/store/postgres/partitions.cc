#include "store/postgres/partitions.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "store/postgres/tables/metrics.h"
#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 10min;
constexpr auto after_failure = 1min;
constexpr auto between_drops = 1min;

struct Day {
    std::string parent{};  // "done"
    std::string name{};    // "quarry.done_20261117"
    std::int64_t begins = 0, ends = 0;
};

// Held until the end of the transaction.
constexpr db::PgStatement lock_days_sql{"lock_days", "select pg_try_advisory_xact_lock(124563942924660)"};

// A partition that was made otherwise may be for more than a day.
constexpr db::PgStatement missing_days_sql{"missing_days", R"sql(
    select tables.parent, format('quarry.%s_%s', tables.parent,
                                 to_char(to_timestamp(midnight / 1000) at time zone 'UTC', 'YYYYMMDD')),
           midnight, midnight + 86400000
    from (values ('done'), ('request'), ('operation')) as tables(parent)
         cross join generate_series($1 / 86400000 * 86400000, ($1 / 86400000 + 2) * 86400000, 86400000) as midnight
    where not exists (select 1 from quarry.day where day.parent = tables.parent
                          and day.begins < midnight + 86400000 and day.ends > midnight)
    order by midnight, tables.parent)sql"};
constexpr db::PgStatement past_days_sql{
    "past_days", "select parent, name, begins, ends from quarry.day where ends <= $1 order by ends, parent"};

// The table is made first and attached when it is ready. That stops nobody but those who read the default
// partition; creating it as a partition would stop all. What is in the default partition is read while it
// is locked: if that takes too long, another day will do, when some of it has gone.
constexpr const char* make_day_sql = R"sql(
    set local lock_timeout = '200ms';
    set local statement_timeout = '2s';
    create table {1} (like quarry.{0} including all excluding indexes);
    alter table quarry.{0} attach partition {1} for values from ({2}) to ({3}))sql";

// Nobody shall take a job out of its day, or add one to it, after it was looked at. In the end `drop` locks
// all days for a moment: who waits for us meanwhile, while we wait for them, has the longer patience. Two
// million payloads are deleted in 5 s; a day that has many more is for the sweep, until it has fewer.
constexpr const char* lock_day_sql = R"sql(
    set local lock_timeout = '200ms';
    set local statement_timeout = '30s';
    lock table {} in share mode)sql";

// What sweep.cc would leave.
constexpr const char* has_kept_jobs_sql = R"sql(
    select exists (select 1 from {} as job where case
        when zero_retention then finished_at > $3
        when grp is not null then exists (select 1 from quarry.grp where grp.id = job.grp)
        when state = 2 then finished_at > $1 else finished_at > $2 end))sql";
constexpr const char* forget_payloads_sql = R"sql(
    with p as (delete from quarry.payload using {0} as job where payload.id = job.id)
    select count(*) from {0})sql";

std::string about(const char* sql, const Day& day) {
    return fmt::format(fmt::runtime(sql), day.name);
}

Answer<std::vector<Day>> find_days(Ledger& ledger, const db::PgStatement& sql) {
    const db::PgRows rows = TRY(ledger.sql().run(sql, db::PgValues(column_of(ledger.now()))));
    std::vector<Day> days;
    for (int index = 0; index < rows.size(); ++index) {
        const db::PgRow row(rows, index);
        days.push_back({std::string(row.text(0)), std::string(row.text(1)), row.integer(2), row.integer(3)});
    }
    return days;
}

// False if somebody else is at it.
Result<bool> lock_days(Ledger& ledger) {
    return TRY(ledger.sql().run(lock_days_sql)).boolean(0, 0);
}

// Somebody may have made it meanwhile, or a row of it be in the default partition.
Result<bool> is_taken(Ledger& ledger, const Day& day) {
    return TRY(ledger.sql().query(fmt::format("select to_regclass($1) is not null or exists "
                                              "(select 1 from quarry.{0}_other where {1} >= $2 and {1} < $3)",
                                              day.parent, day.parent == "done" ? "finished_at" : "at"),
                                  db::PgValues(day.name, day.begins, day.ends)))
        .boolean(0, 0);
}

Answer<void> make_day(Ledger& ledger, const Day& day) {
    if (!TRY(lock_days(ledger)) || TRY(is_taken(ledger, day))) return Result<void>{};
    TRY(ledger.sql().execute(
        fmt::format(fmt::runtime(make_day_sql), day.parent, day.name, day.begins, day.ends)));
    return Result<void>{};
}

// Requests and operations are looked at by their day alone.
Result<bool> is_kept(Ledger& ledger, const Day& day, const Retention& retention) {
    const Timestamp now = ledger.now();
    if (day.parent != "done") return time_of(day.ends) > kept_since(now, retention.metrics);
    return TRY(ledger.sql().query(about(has_kept_jobs_sql, day),
                                  db::PgValues(column_of(kept_since(now, retention.completed_jobs)),
                                               column_of(kept_since(now, retention.failed_jobs)),
                                               column_of(now - retention.zero_retention))))
        .boolean(0, 0);
}

Answer<Swept> drop_day(Ledger& ledger, const Day& day, const Retention& retention) {
    if (TRY(is_kept(ledger, day, retention)) || !TRY(lock_days(ledger))) return Swept{};
    TRY(ledger.sql().execute(about(lock_day_sql, day)));
    if (TRY(is_kept(ledger, day, retention))) return Swept{};
    Swept swept;
    if (day.parent == "request") {
        swept.requests = TRY(sum_up_requests(ledger, day.name));
    } else if (day.parent == "operation") {
        swept.operations = TRY(sum_up_operations(ledger, day.name));
    } else {
        swept.jobs = TRY(ledger.sql().query(about(forget_payloads_sql, day))).integer(0, 0);
    }
    TRY(ledger.sql().execute(about("drop table {}", day)));
    return swept;
}

// True if it is time, which it is again after a while.
bool begin_look(Guarded<Timestamp>& next, Timestamp now, std::chrono::milliseconds pause) {
    return next.with([&](Timestamp& due) {
        if (now < due) return false;
        due = now + pause;
        return true;
    });
}

}  // namespace

Timestamp kept_since(Timestamp now, std::chrono::milliseconds retention) {
    const Timestamp since = now - retention;
    return retention < 24h ? since : std::chrono::floor<std::chrono::days>(since);
}

void Partitions::make_coming() {
    const Timestamp now = transactor_.now();
    if (!begin_look(next_making_, now, between_looks)) return;
    const auto missing = transactor_.run<std::vector<Day>>(
        Durability::later, [](Ledger& ledger) { return find_days(ledger, missing_days_sql); });
    bool are_made = missing.has_value();
    for (const Day& day : missing.value_or(std::vector<Day>{})) {
        // Each by itself: what it locks is free again at once, and one that fails stops no other.
        const auto made =
            transactor_.run<void>(Durability::later, [&](Ledger& ledger) { return make_day(ledger, day); });
        are_made = are_made && made;
    }
    if (!are_made) next_making_.with([&](Timestamp& due) { due = now + after_failure; });
}

Swept Partitions::drop_past(const Retention& retention) {
    Swept swept;
    if (!begin_look(next_dropping_, transactor_.now(), between_drops)) return swept;
    const auto past = transactor_.run<std::vector<Day>>(
        Durability::later, [](Ledger& ledger) { return find_days(ledger, past_days_sql); });
    for (const Day& day : past.value_or(std::vector<Day>{})) {
        const auto dropped = transactor_.run<Swept>(
            Durability::later, [&](Ledger& ledger) { return drop_day(ledger, day, retention); });
        if (!dropped) break;  // the others would wait for the same
        swept.add(*dropped);
    }
    return swept;
}

}  // namespace quarry::store::postgres
