#include "store/postgres/witness.h"

#include <random>

#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement write_witness_sql{"write_witness", R"sql(
    insert into quarry.witness(slot, count, at) values ($1, $2, $3)
    on conflict (slot) do update set count = excluded.count, at = excluded.at)sql"};
constexpr db::PgStatement read_witness_sql{"read_witness",
                                           "select 1 from quarry.witness where slot = $1 and count = $2"};
constexpr db::PgStatement status_sql{"transaction_status",
                                     "select coalesce(pg_xact_status($1::xid8) = 'in progress', false)"};
constexpr db::PgStatement end_transaction_sql{"end_transaction", R"sql(
    select pg_terminate_backend(pid) from pg_stat_activity
    where backend_xid = $1::xid8::xid and pid <> pg_backend_pid())sql"};

std::int64_t random_number() {
    thread_local std::mt19937_64 random(std::random_device{}());
    return static_cast<std::int64_t>(random() >> 2) + 1;
}

}  // namespace

Witnessed Witnesses::write(db::PgConnection& connection, std::string transaction, Timestamp now) {
    Slot slot = free_.with([](auto& slots) {
        if (slots.empty()) return Slot{.id = random_number()};
        const Slot last = slots.back();
        slots.pop_back();
        return last;
    });
    ++slot.count;
    connection.later(write_witness_sql, db::PgValues(slot.id, slot.count, column_of(now)));
    return {.slot = slot.id, .count = slot.count, .transaction = std::move(transaction)};
}

void Witnesses::give_back(const Witnessed& witnessed) {
    free_.with([&](auto& slots) { slots.push_back({witnessed.slot, witnessed.count}); });
}

Result<bool> Witnesses::tells_of(db::PgConnection& connection, const Witnessed& witnessed) {
    return !TRY(connection.run(read_witness_sql, db::PgValues(witnessed.slot, witnessed.count))).empty();
}

Result<bool> is_running(db::PgConnection& connection, const std::string& transaction) {
    if (transaction.empty()) return false;
    const auto rows = connection.run(status_sql, db::PgValues(transaction));
    if (rows) return rows->boolean(0, 0);
    // A number that was never given: the server has crashed since, and lost it.
    if (connection.is_open() && connection.failure() == db::PgFailure::other) return false;
    return std::unexpected(rows.error());
}

Result<void> end_transaction(db::PgConnection& connection, const std::string& transaction) {
    TRY(connection.run(end_transaction_sql, db::PgValues(transaction)));
    return {};
}

}  // namespace quarry::store::postgres
