#include "store/rows/columns.h"
#include "store/sqlite/tables/metrics.h"

namespace quarry::store {

namespace {

// Days begin at midnight, UTC: 86,400,000 milliseconds each.
constexpr std::string_view fold_requests_sql = R"sql(
INSERT INTO request_day(day, route, status, requests, took_us)
    SELECT at / 86400000 * 86400000, route, status, count(*), sum(took_us) FROM request
    WHERE id IN (SELECT id FROM request WHERE at < ?1 ORDER BY at, id LIMIT ?2) GROUP BY 1, 2, 3
ON CONFLICT(day, route, status) DO UPDATE SET requests = requests + excluded.requests,
                                              took_us = took_us + excluded.took_us)sql";

constexpr std::string_view drop_requests_sql =
    "DELETE FROM request WHERE id IN (SELECT id FROM request WHERE at < ?1 ORDER BY at, id LIMIT ?2)";

}  // namespace

Answer<std::int64_t> add_key(Ledger& ledger, const ApiKey& key) {
    const db::Blob hash{{reinterpret_cast<const char*>(key.hash.data()), key.hash.size()}};
    db::Statement find = TRY(ledger.connection().prepare("SELECT 1 FROM api_key WHERE hash = ?1"));
    if (TRY(find.bind(hash).step()))
        return Result<std::int64_t>(fail(ErrorCode::conflict, "there is such a key already"));
    db::Statement insert = TRY(ledger.connection().prepare(
        "INSERT INTO api_key(id, owner, name, hint, hash, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
    const std::int64_t id = ledger.next_id();
    TRY(insert.bind(id, key.owner, key.name, key.hint, hash, column_of(ledger.now())).run());
    return id;
}

Answer<bool> revoke_key(Ledger& ledger, std::int64_t id) {
    db::Statement revoke = TRY(ledger.connection().prepare(
        "UPDATE api_key SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL"));
    TRY(revoke.bind(id, column_of(ledger.now())).run());
    return ledger.connection().changes() > 0;
}

Answer<void> add_requests(Ledger& ledger, std::span<const RequestRecord> requests) {
    db::Statement insert = TRY(ledger.connection().prepare(
        "INSERT INTO request(id, at, method, path, route, status, took_us, request_id, peer, user_agent,"
        " owner, extra) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"));
    for (const RequestRecord& request : requests) {
        TRY(insert
                .bind(ledger.next_id(), column_of(request.at), request.method, request.path, request.route,
                      request.status, std::int64_t{request.took.count()}, request.request_id, request.peer,
                      request.user_agent, request.owner, request.extra)
                .run());
    }
    return Result<void>{};
}

Result<std::int64_t> fold_requests(Ledger& ledger, Timestamp when, int limit) {
    db::Statement fold = TRY(ledger.connection().prepare(fold_requests_sql));
    TRY(fold.bind(column_of(when), limit).run());
    db::Statement drop = TRY(ledger.connection().prepare(drop_requests_sql));
    TRY(drop.bind(column_of(when), limit).run());
    return ledger.connection().changes();
}

}  // namespace quarry::store
