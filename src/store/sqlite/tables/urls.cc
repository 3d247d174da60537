#include "store/sqlite/tables/urls.h"

#include "store/rows/columns.h"

namespace quarry::store {

namespace {

UrlRow url_row_of(const db::Statement& row) {
    return {.id = row.integer(0),
            .group = row.integer(1),
            .host = row.integer(2),
            .key = key_of(row.text(3)).value_or(UrlKey{}),
            .state = static_cast<UrlState>(row.integer(4)),
            .run_at = time_of(row.optional_integer(5)),
            .depth = static_cast<int>(row.integer(6)),
            .redirects = static_cast<int>(row.integer(7)),
            .source = static_cast<UrlSource>(row.integer(8)),
            .priority = static_cast<int>(row.integer(9)),
            .attempts = static_cast<int>(row.integer(10)),
            .stalls = static_cast<int>(row.integer(11)),
            .snoozes = static_cast<int>(row.integer(12)),
            .status = static_cast<int>(row.integer(13)),
            .url = std::string(row.text(14))};
}

std::optional<std::string_view> nullable(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

// A time that was not measured is left out, so that it costs no byte.
std::optional<std::int64_t> nullable(std::chrono::microseconds spent) {
    return spent.count() == 0 ? std::nullopt : std::optional<std::int64_t>(spent.count());
}

Result<std::optional<std::int64_t>> first_integer(db::Statement& statement) {
    if (!TRY(statement.step())) return std::nullopt;
    const auto value = statement.optional_integer(0);
    statement.reset();
    return value;
}

}  // namespace

Result<FrontierRows> FrontierRows::create(db::Connection& connection) {
    Statements sql;
    sql.insert = TRY(connection.prepare(R"sql(
        INSERT OR IGNORE INTO frontier(id, grp, host, key, state, depth, redirects, source, priority,
                                       attempts, stalls, skipped, status, url)
        VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, ?8, 0, 0, 0, 0, ?9))sql"));
    sql.find = TRY(connection.prepare(R"sql(
        SELECT id, grp, host, key, state, run_at, depth, redirects, source, priority, attempts, stalls,
               snoozes, status, url
        FROM frontier WHERE id = ?1)sql"));
    sql.find_key = TRY(connection.prepare("SELECT id FROM frontier WHERE grp = ?1 AND key = ?2"));
    sql.find_alias = TRY(connection.prepare("SELECT url FROM alias WHERE grp = ?1 AND key = ?2"));
    sql.insert_alias =
        TRY(connection.prepare("INSERT OR IGNORE INTO alias(grp, key, url) VALUES (?1, ?2, ?3)"));
    sql.has_aliases = TRY(connection.prepare("SELECT 1 FROM alias WHERE grp = ?1 LIMIT 1"));
    sql.end = TRY(connection.prepare(R"sql(
        UPDATE frontier SET state = ?2, skipped = ?3, status = ?4, attempts = ?5, stalls = ?6, content = ?7,
                            finished_at = ?8, token = ?9, final_url = ?10, note = ?11, run_at = NULL,
                            fetch_us = ?12, extract_us = ?13, error = ?14
        WHERE id = ?1)sql"));
    sql.requeue = TRY(connection.prepare(R"sql(
        UPDATE frontier SET attempts = ?2, stalls = ?3, run_at = ?4, note = coalesce(?5, note), status = ?6,
                            snoozes = ?7
        WHERE id = ?1)sql"));
    sql.make_ready = TRY(connection.prepare("UPDATE frontier SET run_at = NULL WHERE id = ?1"));
    sql.ended_by = TRY(connection.prepare("SELECT token FROM frontier WHERE id = ?1"));
    sql.ready_after = TRY(connection.prepare(R"sql(
        SELECT priority, id FROM frontier INDEXED BY frontier_ready
        WHERE grp = ?1 AND host = ?2 AND state = 0 AND run_at IS NULL AND (priority, id) > (?3, ?4)
        ORDER BY priority, id LIMIT ?5)sql"));
    // One step of a skip scan: SQLite 3.40 would read every row for DISTINCT.
    sql.next_host = TRY(connection.prepare(R"sql(
        SELECT host FROM frontier INDEXED BY frontier_ready
        WHERE grp = ?1 AND host > ?2 AND state = 0 AND run_at IS NULL ORDER BY host LIMIT 1)sql"));
    sql.delayed =
        TRY(connection.prepare("SELECT id, grp, run_at FROM frontier INDEXED BY frontier_delayed "
                               "WHERE state = 0 AND run_at IS NOT NULL"));
    sql.renew = TRY(connection.prepare(R"sql(
        UPDATE frontier SET state = 0, run_at = NULL, attempts = 0, stalls = 0, snoozes = 0, skipped = 0,
                            finished_at = NULL, token = NULL, error = NULL
        WHERE id = ?1)sql"));
    sql.forget = TRY(connection.prepare("DELETE FROM frontier WHERE id = ?1"));
    sql.count_waiting = TRY(connection.prepare("SELECT count(*) FROM frontier WHERE grp = ?1 AND state = 0"));
    return FrontierRows(connection, std::move(sql));
}

Result<bool> FrontierRows::insert(std::int64_t id, std::int64_t group, std::int64_t host,
                                  const FoundUrl& url) {
    const KeyColumn key(url.key);
    TRY(sql_.insert
            .bind(id, group, host, key.blob(), url.depth, url.redirects, static_cast<int>(url.source),
                  url.priority, url.url)
            .run());
    return connection_->changes() > 0;
}

Result<std::optional<UrlRow>> FrontierRows::find(std::int64_t id) {
    if (!TRY(sql_.find.bind(id).step())) return std::nullopt;
    UrlRow row = url_row_of(sql_.find);
    sql_.find.reset();
    return row;
}

Result<std::optional<std::int64_t>> FrontierRows::find_key(std::int64_t group, const UrlKey& key) {
    const KeyColumn column(key);
    if (const auto id = TRY(first_integer(sql_.find_key.bind(group, column.blob())))) return id;
    return first_integer(sql_.find_alias.bind(group, column.blob()));
}

Result<void> FrontierRows::insert_alias(std::int64_t group, const UrlKey& key, std::int64_t url) {
    const KeyColumn column(key);
    return sql_.insert_alias.bind(group, column.blob(), url).run();
}

Result<bool> FrontierRows::has_aliases(std::int64_t group) {
    return TRY(first_integer(sql_.has_aliases.bind(group))).has_value();
}

Result<void> FrontierRows::end(std::int64_t id, const UrlEnd& end) {
    std::optional<std::int64_t> token, content, error;
    if (end.token) token = number(*end.token);
    if (end.content) content = number(*end.content);
    if (end.error) error = static_cast<std::int64_t>(*end.error);
    return sql_.end
        .bind(id, static_cast<int>(end.state), static_cast<int>(end.skipped), end.status, end.attempts,
              end.stalls, content, column_of(end.finished_at), token, nullable(end.final_url),
              nullable(end.note), nullable(end.fetch), nullable(end.extract), error)
        .run();
}

Result<void> FrontierRows::requeue(const UrlRow& row, std::optional<std::string_view> note) {
    return sql_.requeue
        .bind(row.id, row.attempts, row.stalls, column_of(row.run_at), note, row.status, row.snoozes)
        .run();
}

Result<void> FrontierRows::make_ready(std::int64_t id) {
    return sql_.make_ready.bind(id).run();
}

Result<std::optional<std::int64_t>> FrontierRows::ended_by(std::int64_t id) {
    return first_integer(sql_.ended_by.bind(id));
}

Result<void> FrontierRows::renew(std::int64_t id) {
    return sql_.renew.bind(id).run();
}

Result<void> FrontierRows::forget(std::int64_t id) {
    return sql_.forget.bind(id).run();
}

Result<std::int64_t> FrontierRows::count_waiting(std::int64_t group) {
    return TRY(first_integer(sql_.count_waiting.bind(group))).value_or(0);
}

Result<std::vector<UrlPlace>> FrontierRows::ready_after(std::int64_t group, std::int64_t host,
                                                        const UrlPlace& after, std::size_t limit) {
    std::vector<UrlPlace> places;
    auto& rows =
        sql_.ready_after.bind(group, host, after.priority, after.id, static_cast<std::int64_t>(limit));
    while (TRY(rows.step())) places.push_back({static_cast<int>(rows.integer(0)), rows.integer(1)});
    rows.reset();
    return places;
}

Result<std::vector<std::int64_t>> FrontierRows::ready_hosts(std::int64_t group) {
    std::vector<std::int64_t> hosts;
    std::int64_t last = 0;
    while (const auto host = TRY(first_integer(sql_.next_host.bind(group, last)))) {
        hosts.push_back(*host);
        last = *host;
    }
    return hosts;
}

Result<void> FrontierRows::for_each_delayed(const std::function<void(const DelayedUrl&)>& use) {
    auto& rows = sql_.delayed.bind();
    while (TRY(rows.step())) use({rows.integer(0), rows.integer(1), time_of(rows.integer(2))});
    rows.reset();
    return {};
}

}  // namespace quarry::store
