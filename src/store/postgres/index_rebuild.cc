#include "store/postgres/index_rebuild.h"

#include "base/threads.h"
#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

using namespace std::chrono_literals;

// Commands that are soon over rebuild nothing.
constexpr auto between_index_looks = 10min;
constexpr auto longest_rebuild = 6h;

// A day is claimed before it is used: who fails does not try again and again.
constexpr db::PgStatement claim_day_sql{"claim_rebuild", R"sql(
    insert into quarry.meta(name, value) values ('indexes_rebuilt_at', $1)
    on conflict (name) do update set value = excluded.value where meta.value <= $1 - 86400000
    returning 1)sql"};

// What a rebuild that was stopped has left.
constexpr const char* left_over_sql = R"sql(
    select format('%I.%I', space.nspname, class.relname)
    from pg_index join pg_class as class on class.oid = indexrelid
                  join pg_namespace as space on space.oid = class.relnamespace
    where space.nspname = 'quarry' and not indisvalid and class.relname ~ '_cc(new|old)\d*$')sql";

// An entry has 12 bytes besides its columns, and a page of a B-tree is nine tenths full at best and seven as
// a rule. Three times that and more is bloat, from 8 MB on. What was never counted is left alone.
constexpr const char* bloated_sql = R"sql(
    select format('%I.%I', space.nspname, class.relname)
    from pg_class as class
         join pg_namespace as space on space.oid = class.relnamespace
         join pg_index as idx on idx.indexrelid = class.oid
         join pg_class as owner on owner.oid = idx.indrelid
         join pg_am on pg_am.oid = class.relam
         cross join lateral (
             select 12 + sum(coalesce(stats.avg_width, 8)) as bytes
             from unnest(idx.indkey::int2[]) as key(attnum)
                  left join pg_attribute as attribute on attribute.attrelid = owner.oid and attribute.attnum = key.attnum
                  left join pg_stats as stats on stats.schemaname = space.nspname and stats.tablename = owner.relname
                                                 and stats.attname = attribute.attname) as entry
    where space.nspname = 'quarry' and class.relkind = 'i' and pg_am.amname = 'btree' and idx.indisvalid
      and class.reltuples >= 0 and pg_relation_size(class.oid) >= 8 * 1024 * 1024
      and pg_relation_size(class.oid) > 3 * class.reltuples * entry.bytes / 0.7
    order by pg_relation_size(class.oid) desc)sql";

Result<std::vector<std::string>> names_of(db::PgConnection& connection, const char* sql) {
    const db::PgRows rows = TRY(connection.query(sql));
    std::vector<std::string> names;
    for (int index = 0; index < rows.size(); ++index) names.emplace_back(rows.text(index, 0));
    return names;
}

}  // namespace

IndexUpkeep::IndexUpkeep(Transactor& transactor, const Leadership& leadership, db::PgConfig config,
                         Maintenance maintenance)
    : transactor_(transactor), leadership_(leadership), config_([&] {
          config.statement_timeout = longest_rebuild;
          return std::move(config);
      }()) {
    if (maintenance == Maintenance::by_itself)
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Result<bool> IndexUpkeep::is_due() {
    return transactor_.run<bool>(Durability::later, [&](Ledger& ledger) -> Answer<bool> {
        if (!TRY(leadership_.lead(ledger))) return Result<bool>(false);
        const db::PgRows claimed =
            TRY(ledger.sql().run(claim_day_sql, db::PgValues(column_of(ledger.now()))));
        return Result<bool>(!claimed.empty());
    });
}

Result<std::vector<std::string>> IndexUpkeep::rebuild(const std::stop_token& stop) {
    std::vector<std::string> rebuilt;
    const bool is_time = TRY(is_due());
    if (!is_time) return rebuilt;
    db::PgConnection connection = TRY(db::PgConnection::open(config_));
    const db::PgCancel cancel(connection);
    const std::stop_callback on_stop(stop, [&cancel] { cancel.now(); });
    for (const std::string& name : TRY(names_of(connection, left_over_sql)))
        TRY(connection.execute("drop index concurrently if exists " + name));
    for (const std::string& name : TRY(names_of(connection, bloated_sql))) {
        if (stop.stop_requested()) break;
        TRY(connection.execute("reindex index concurrently " + name));
        rebuilt.push_back(name);
    }
    return rebuilt;
}

void IndexUpkeep::run(const std::stop_token& stop) {
    name_this_thread("pg-indexes");
    while (pause_for(between_index_looks, stop)) (void)rebuild(stop);
}

}  // namespace quarry::store::postgres
