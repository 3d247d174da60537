#include "store/postgres/upkeep.h"

#include <random>

#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement lead_sql{"lead", R"sql(
    insert into quarry.leader(duty, holder, until) values ('maintenance', $1, $3)
    on conflict (duty) do update set holder = excluded.holder, until = excluded.until
    where leader.holder = excluded.holder or leader.until <= $2
    returning 1)sql"};
constexpr db::PgStatement resign_sql{"resign", "delete from quarry.leader where holder = $1"};

}  // namespace

Leadership::Leadership() {
    std::random_device random;
    id_ = static_cast<std::int64_t>((std::uint64_t{random()} << 31) ^ random());
}

Result<bool> Leadership::lead(Ledger& ledger) const {
    const Timestamp until = ledger.now() + lasts;
    return !TRY(ledger.sql().run(lead_sql, db::PgValues(id_, column_of(ledger.now()), column_of(until))))
                .empty();
}

Answer<void> Leadership::resign(Ledger& ledger) const {
    TRY(ledger.sql().run(resign_sql, db::PgValues(id_)));
    return Result<void>{};
}

}  // namespace quarry::store::postgres
