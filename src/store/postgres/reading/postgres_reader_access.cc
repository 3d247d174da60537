#include "store/postgres/reading/postgres_reader_access.h"

#include "store/postgres/reading/query.h"
#include "store/rows/access_rows.h"

namespace quarry::store::postgres {

Result<std::vector<ApiKey>> read_keys(db::PgConnection& connection) {
    std::vector<ApiKey> keys;
    TRY(Query("select " KEY_COLUMNS " from quarry.api_key order by id")
            .each(connection, [&](const db::PgRow& row) { keys.push_back(api_key_of(row)); }));
    return keys;
}

Result<std::optional<OwnerLimits>> read_limits(db::PgConnection& connection, const std::string& owner) {
    Query query("select " LIMIT_COLUMNS " from quarry.owner where running_jobs is not null");
    query.add(" and name = ?", owner);
    std::optional<OwnerLimits> limits;
    TRY(query.each(connection, [&](const db::PgRow& row) { limits = limits_of(row); }));
    return limits;
}

Result<std::vector<UsageDay>> read_usage(db::PgConnection& connection, const std::string& owner,
                                         Timestamp since) {
    Query query("select day, pages from quarry.usage where true");
    query.add(" and owner = (select id from quarry.owner where name = ?)", owner);
    query.add(" and day >= ?", column_of(since)).add(" order by day limit ?", 10'000);
    std::vector<UsageDay> days;
    TRY(query.each(connection, [&](const db::PgRow& row) {
        days.push_back({.day = time_of(row.integer(0)), .pages = row.integer(1)});
    }));
    return days;
}

Result<std::vector<RequestRecord>> read_requests(db::PgConnection& connection, const RequestFilter& filter) {
    Query query("select " REQUEST_COLUMNS " from quarry.request where true");
    if (filter.since) query.add(" and at >= ?", column_of(*filter.since));
    if (filter.before) query.add(" and at < ?", column_of(*filter.before));
    if (!filter.owner.empty()) query.add(" and owner = ?", filter.owner);
    if (filter.least_status > 0) query.add(" and status >= ?", filter.least_status);
    query.add(" order by at desc, id desc limit ?", filter.limit);
    std::vector<RequestRecord> requests;
    TRY(query.each(connection, [&](const db::PgRow& row) { requests.push_back(request_of(row)); }));
    return requests;
}

Result<std::vector<RequestDay>> read_request_days(db::PgConnection& connection, int limit) {
    Query query("select day, route, status, requests, took_us from quarry.request_day");
    query.add(" order by day desc, route collate \"C\", status limit ?", limit);
    std::vector<RequestDay> days;
    TRY(query.each(connection, [&](const db::PgRow& row) { days.push_back(request_day_of(row)); }));
    return days;
}

}  // namespace quarry::store::postgres
