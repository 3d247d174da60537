// Which changes of the outbox a worker gets next: by priority, then by age, of one collection or of all.
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "store/rows/columns.h"
#include "store/postgres/tables/outbox.h"
#include "store/postgres/writing/postgres_leasing.h"

namespace quarry::store::postgres {

namespace {

// A change whose page is being indexed waits until that has ended.
std::string claim_text(std::string_view condition) {
    return fmt::format(R"sql(
    with c as materialized (select id, page, priority from quarry.change_ready r
                            where {} and not exists (select 1 from quarry.change_lease l where l.page = r.page)
                            order by priority, id limit $1 for update skip locked),
    firsts as (select distinct on (page) id, page from c order by page, priority, id),
    d as (delete from quarry.change_ready using firsts where change_ready.id = firsts.id returning change_ready.id),
    l as (insert into quarry.change_lease(id, token, worker, page, leased_at)
          select firsts.id, quarry.new_token(), $2, firsts.page, $3 from firsts join d on d.id = firsts.id
          returning id, token)
    select l.token, {} from l join quarry.outbox o on o.id = l.id order by o.priority, o.id)sql",
                       condition, CHANGE_COLUMNS);
}

const std::string claim_of_all = claim_text("$4::text is not null");
const std::string claim_of_one = claim_text("collection = $4");
const db::PgStatement claim_sql{"claim_changes", claim_of_all.c_str()};
const db::PgStatement claim_of_collection_sql{"claim_changes_of_collection", claim_of_one.c_str()};

ChangeLease lease_of(const db::PgRow& row, int max_attempts) {
    ChangeRow change = change_of(row, 1);
    ChangeLease lease{.lease = {JobId(change.id), Token(row.integer(0))},
                      .page = PageId(change.page),
                      .version = change.version,
                      .collection = std::move(change.collection),
                      .url = std::move(change.url),
                      .priority = change.priority,
                      .attempt = change.attempts + 1,
                      .max_attempts = max_attempts,
                      .snoozes = change.snoozes};
    if (change.content) lease.content = ContentId(*change.content);
    if (change.group != 0) lease.group = GroupId(change.group);
    return lease;
}

}  // namespace

Result<void> lease_changes(Ledger& ledger, const Demand& demand, Leased& leased) {
    const db::PgStatement& sql = demand.change_collection.empty() ? claim_sql : claim_of_collection_sql;
    const db::PgRows rows =
        TRY(ledger.sql().run(sql, db::PgValues(demand.changes, number(demand.worker), column_of(ledger.now()),
                                               demand.change_collection)));
    for (int row = 0; row < rows.size(); ++row)
        leased.changes.push_back(lease_of(db::PgRow(rows, row), ledger.limits().change_attempts));
    return {};
}

}  // namespace quarry::store::postgres
