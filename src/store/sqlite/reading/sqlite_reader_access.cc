#include "store/sqlite/reading/sqlite_reader_access.h"

#include "store/rows/access_rows.h"
#include "store/sqlite/reading/query.h"

namespace quarry::store {

Result<std::vector<ApiKey>> read_keys(db::Connection& connection) {
    std::vector<ApiKey> keys;
    TRY(Query("SELECT " KEY_COLUMNS " FROM api_key ORDER BY id")
            .each(connection, [&](const db::Statement& row) { keys.push_back(api_key_of(row)); }));
    return keys;
}

Result<std::optional<OwnerLimits>> read_limits(db::Connection& connection, const std::string& owner) {
    Query query("SELECT " LIMIT_COLUMNS " FROM owner WHERE running_jobs IS NOT NULL");
    query.add(" AND name = ?", owner);
    std::optional<OwnerLimits> limits;
    TRY(query.each(connection, [&](const db::Statement& row) { limits = limits_of(row); }));
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
    Query query("SELECT " REQUEST_COLUMNS " FROM request WHERE true");
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
    TRY(query.each(connection, [&](const db::Statement& row) { days.push_back(request_day_of(row)); }));
    return days;
}

}  // namespace quarry::store
