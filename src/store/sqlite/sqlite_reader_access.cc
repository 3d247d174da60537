#include "store/sqlite/sqlite_reader_access.h"

#include <algorithm>

#include "store/sqlite/columns.h"
#include "store/sqlite/sqlite_reader_query.h"

namespace quarry::store {

namespace {

KeyHash hash_of(std::string_view bytes) {
    KeyHash hash{};
    if (bytes.size() == hash.size())
        std::ranges::transform(bytes, hash.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    return hash;
}

RequestRecord request_of(const db::Statement& row) {
    return {.at = time_of(row.integer(0)),
            .method = std::string(row.text(1)),
            .path = std::string(row.text(2)),
            .route = std::string(row.text(3)),
            .status = static_cast<int>(row.integer(4)),
            .took = std::chrono::microseconds(row.integer(5)),
            .request_id = std::string(row.text(6)),
            .peer = std::string(row.text(7)),
            .user_agent = std::string(row.text(8)),
            .owner = std::string(row.text(9)),
            .extra = std::string(row.text(10))};
}

}  // namespace

Result<std::vector<ApiKey>> read_keys(db::Connection& connection) {
    std::vector<ApiKey> keys;
    TRY(Query("SELECT id, owner, name, hint, hash, created_at, revoked_at FROM api_key ORDER BY id")
            .each(connection, [&](const db::Statement& row) {
                keys.push_back({.id = row.integer(0),
                                .owner = std::string(row.text(1)),
                                .name = std::string(row.text(2)),
                                .hint = std::string(row.text(3)),
                                .hash = hash_of(row.text(4)),
                                .created_at = time_of(row.integer(5)),
                                .revoked_at = time_of(row.optional_integer(6))});
            }));
    return keys;
}

Result<std::optional<OwnerLimits>> read_limits(db::Connection& connection, const std::string& owner) {
    Query query(
        "SELECT running_jobs, running_groups, open_jobs, requests_per_minute, pages_per_month FROM owner"
        " WHERE running_jobs IS NOT NULL");
    query.add(" AND name = ?", owner);
    std::optional<OwnerLimits> limits;
    TRY(query.each(connection, [&](const db::Statement& row) {
        limits = {.running_jobs = static_cast<int>(row.integer(0)),
                  .running_groups = static_cast<int>(row.integer(1)),
                  .open_jobs = row.integer(2),
                  .requests_per_minute = row.integer(3),
                  .pages_per_month = row.integer(4)};
    }));
    return limits;
}

Result<std::vector<UsageDay>> read_usage(db::Connection& connection, const std::string& owner,
                                         Timestamp since) {
    Query query("SELECT day, pages FROM usage JOIN owner ON owner.id = usage.owner WHERE true");
    query.add(" AND owner.name = ?", owner).add(" AND day >= ?", column_of(since));
    query.add(" ORDER BY day LIMIT ?", 10'000);
    std::vector<UsageDay> days;
    TRY(query.each(connection, [&](const db::Statement& row) {
        days.push_back({.day = time_of(row.integer(0)), .pages = row.integer(1)});
    }));
    return days;
}

Result<std::vector<RequestRecord>> read_requests(db::Connection& connection, const RequestFilter& filter) {
    Query query(
        "SELECT at, method, path, route, status, took_us, request_id, peer, user_agent, owner, extra"
        " FROM request WHERE true");
    if (filter.since) query.add(" AND at >= ?", column_of(*filter.since));
    if (filter.before) query.add(" AND at < ?", column_of(*filter.before));
    if (!filter.owner.empty()) query.add(" AND owner = ?", filter.owner);
    if (filter.least_status > 0) query.add(" AND status >= ?", filter.least_status);
    query.add(" ORDER BY at DESC, id DESC LIMIT ?", filter.limit);
    std::vector<RequestRecord> requests;
    TRY(query.each(connection, [&](const db::Statement& row) { requests.push_back(request_of(row)); }));
    return requests;
}

Result<std::vector<RequestDay>> read_request_days(db::Connection& connection, int limit) {
    Query query("SELECT day, route, status, requests, took_us FROM request_day WHERE true");
    query.add(" ORDER BY day DESC, route, status LIMIT ?", limit);
    std::vector<RequestDay> days;
    TRY(query.each(connection, [&](const db::Statement& row) {
        days.push_back({.day = time_of(row.integer(0)),
                        .route = std::string(row.text(1)),
                        .status = static_cast<int>(row.integer(2)),
                        .requests = row.integer(3),
                        .took = std::chrono::microseconds(row.integer(4))});
    }));
    return days;
}

}  // namespace quarry::store
