#include "store/postgres/tables/urls.h"

#include <set>

#include "store/rows/columns.h"
#include "store/rules/transitions.h"

namespace quarry::store::postgres {

namespace {

#define LEASE_COLUMNS "id, token, worker, owner, grp, host, has_begun"
#define URL_COLUMNS \
    "f.id, f.grp, f.host, f.state, f.run_at, f.priority, f.attempts, f.stalls, f.status, f.url, f.snoozes"

constexpr db::PgStatement find_url_sql{"find_url",
                                       "select " URL_COLUMNS " from quarry.frontier f where f.id = $1"};
constexpr db::PgStatement url_find_key_sql{"find_url_key", R"sql(
    select id from quarry.frontier where grp = $1 and key = $2
    union all select url from quarry.alias where grp = $1 and key = $2 limit 1)sql"};
constexpr db::PgStatement url_insert_alias_sql{
    "insert_alias", "insert into quarry.alias(grp, key, url) values ($1, $2, $3) on conflict do nothing"};

#define TAKE_URL_LEASES(condition)                                \
    "with d as (delete from quarry.url_lease " condition          \
    " returning url_lease.*) select d.id, d.token, "              \
    "d.worker, d.owner, d.grp, d.host, d.has_begun, " URL_COLUMNS \
    " from d join quarry.frontier f on f.id = d.id"
constexpr db::PgStatement take_fenced_urls_sql{
    "take_url_leases", TAKE_URL_LEASES("using unnest($1::bigint[], $2::bigint[]) as u(id, token) "
                                       "where url_lease.id = u.id and url_lease.token = u.token")};
constexpr db::PgStatement take_urls_of_worker_sql{"take_url_leases_of_worker",
                                                  TAKE_URL_LEASES("where worker = $1")};
constexpr db::PgStatement url_take_of_group_sql{
    "take_url_leases_of_group", "delete from quarry.url_lease where grp = $1 returning " LEASE_COLUMNS};
constexpr db::PgStatement url_take_one_sql{
    "take_url_lease", "delete from quarry.url_lease where id = $1 returning " LEASE_COLUMNS};

constexpr db::PgStatement url_end_sql{"end_url", R"sql(
    update quarry.frontier set state = $2, skipped = $3, status = $4, attempts = $5, stalls = $6, content = $7,
                               finished_at = $8, token = $9, final_url = $10, note = $11, run_at = null,
                               fetch_us = $12, extract_us = $13, error = $14
    where id = $1)sql"};
constexpr db::PgStatement url_requeue_sql{"requeue_url", R"sql(
    update quarry.frontier set attempts = $2, stalls = $3, run_at = $4, note = coalesce($5, note), status = $6,
                               snoozes = $7
    where id = $1)sql"};
constexpr db::PgStatement url_line_sql{"put_url_in_line", R"sql(
    with r as (insert into quarry.url_ready(grp, host, priority, id) values ($1, $2, $3, $4) on conflict do nothing)
    insert into quarry.url_lane(grp, host, turn) values ($1, $2, nextval('quarry.token')) on conflict do nothing)sql"};
constexpr db::PgStatement url_delay_sql{"delay_url", R"sql(
    insert into quarry.url_delayed(id, grp, run_at) values ($1, $2, $3)
    on conflict (id) do update set run_at = excluded.run_at)sql"};
constexpr db::PgStatement url_unline_sql{"take_url_from_line", R"sql(
    with r as (delete from quarry.url_ready where grp = $1 and host = $2 and priority = $3 and id = $4)
    delete from quarry.url_delayed where id = $4)sql"};
constexpr db::PgStatement url_renew_sql{"renew_url", R"sql(
    update quarry.frontier set state = 0, run_at = null, attempts = 0, stalls = 0, snoozes = 0, skipped = 0,
                               finished_at = null, token = null, error = null
    where id = $1)sql"};
constexpr db::PgStatement forget_url_sql{"forget_url", "delete from quarry.frontier where id = $1"};

constexpr db::PgStatement url_drop_sql{"drop_waiting_urls", R"sql(
    with r as (delete from quarry.url_ready where grp = $1), l as (delete from quarry.url_lane where grp = $1)
    delete from quarry.url_delayed where grp = $1)sql"};
constexpr db::PgStatement url_restore_sql{"restore_waiting_urls", R"sql(
    with waiting as (select id, host, priority, run_at from quarry.frontier where grp = $1 and state = 0),
         r as (insert into quarry.url_ready(grp, host, priority, id)
               select $1, host, priority, id from waiting where run_at is null on conflict do nothing),
         l as (insert into quarry.url_lane(grp, host, turn)
               select $1, host, nextval('quarry.token')
               from (select host from waiting where run_at is null group by host order by min(id)) hosts
               on conflict do nothing),
         d as (insert into quarry.url_delayed(id, grp, run_at)
               select id, $1, run_at from waiting where run_at is not null on conflict do nothing)
    select count(*) from waiting)sql"};

// The order in which ids are given is that of discovery.
constexpr db::PgStatement url_admit_sql{"admit_urls", R"sql(
    with added as (
        insert into quarry.frontier(id, grp, host, key, state, depth, redirects, source, priority, url)
        select nextval('quarry.id'), $1, host, key, 0, depth, redirects, source, priority, url
        from (select * from unnest($2::bigint[], $3::bytea[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                                   $8::text[]) with ordinality
                  as u(host, key, depth, redirects, source, priority, url, place) order by place) given
        on conflict (grp, key) do nothing returning id, host, priority),
    r as (insert into quarry.url_ready(grp, host, priority, id) select $1, host, priority, id from added),
    l as (insert into quarry.url_lane(grp, host, turn)
          select $1, host, nextval('quarry.token')
          from (select host from added group by host order by min(id)) hosts on conflict do nothing)
    select count(*) from added)sql"};
constexpr db::PgStatement url_known_sql{"known_url_keys", R"sql(
    select key from quarry.frontier where grp = $1 and key = any($2::bytea[]) and $3
    union all select key from quarry.alias where grp = $1 and key = any($2::bytea[]))sql"};

// A crawl that is paused, or waits for its place, is awake all the same.
constexpr db::PgStatement url_wake_sql{"wake_urls", R"sql(
    with due as materialized (select id, grp from quarry.url_delayed where run_at <= $1 order by run_at limit 1000),
         groups as materialized (select grp.id from quarry.grp where id in (select grp from due) order by id for update),
         gone as (delete from quarry.url_delayed using due join groups on groups.id = due.grp
                  where url_delayed.id = due.id returning url_delayed.id),
         urls as (update quarry.frontier set run_at = null from gone
                  where frontier.id = gone.id and frontier.state = 0 returning frontier.id, grp, host, priority),
         r as (insert into quarry.url_ready(grp, host, priority, id) select grp, host, priority, id from urls
               on conflict do nothing)
    insert into quarry.url_lane(grp, host, turn)
    select grp, host, nextval('quarry.token') from urls group by grp, host on conflict do nothing)sql"};

UrlLeaseRow url_lease_of(const db::PgRow& row) {
    return {.id = row.integer(0),
            .token = row.integer(1),
            .worker = row.integer(2),
            .owner = row.integer(3),
            .group = row.integer(4),
            .host = row.integer(5),
            .has_begun = row.boolean(6)};
}

UrlRow url_of(const db::PgRow& row, int first) {
    return {.id = row.integer(first),
            .group = row.integer(first + 1),
            .host = row.integer(first + 2),
            .state = static_cast<UrlState>(row.integer(first + 3)),
            .run_at = time_of(row.optional_integer(first + 4)),
            .priority = static_cast<int>(row.integer(first + 5)),
            .attempts = static_cast<int>(row.integer(first + 6)),
            .stalls = static_cast<int>(row.integer(first + 7)),
            .snoozes = static_cast<int>(row.integer(first + 10)),
            .status = static_cast<int>(row.integer(first + 8)),
            .url = std::string(row.text(first + 9))};
}

std::vector<LeasedUrl> leased_urls_of(const db::PgRows& rows) {
    std::vector<LeasedUrl> leased;
    for (int index = 0; index < rows.size(); ++index) {
        const db::PgRow row(rows, index);
        leased.push_back({url_lease_of(row), url_of(row, 7)});
    }
    return leased;
}

std::optional<std::string_view> or_null(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::int64_t> or_null(std::chrono::microseconds spent) {
    return spent.count() == 0 ? std::nullopt : std::optional<std::int64_t>(spent.count());
}

// URLs that are to be admitted, as columns.
class Admission {
public:
    Admission(Ledger& ledger, OpenGroup& group) : ledger_(ledger), group_(group) {}

    Result<void> run(std::span<const FoundUrl> urls) {
        for (const FoundUrl& url : urls) {
            if (!ledger_.process().known.contains(GroupId(group_.id), url.key)) candidates_.push_back(&url);
        }
        if (candidates_.empty()) return {};
        std::int64_t room = group_.url_limit - group_.counters.discovered;
        const bool is_tight = room < std::ssize(candidates_);
        if (is_tight || group_.has_aliases) TRY(leave_out_known(is_tight));
        std::set<UrlKey> chosen;
        std::erase_if(candidates_, [&](const FoundUrl* url) {
            if (chosen.contains(url->key)) return true;
            if (room <= 0) {
                ++group_.counters.not_admitted;
                ledger_.touch(group_);
                return true;
            }
            --room;
            chosen.insert(url->key);
            return false;
        });
        return candidates_.empty() ? Result<void>{} : insert();
    }

private:
    Result<void> leave_out_known(bool also_urls) {
        std::vector<KeyColumn> columns;
        for (const FoundUrl* url : candidates_) columns.emplace_back(url->key);
        db::PgBlobs keys;
        for (const KeyColumn& column : columns) keys.values.emplace_back(column.blob().bytes);
        const db::PgRows rows =
            TRY(ledger_.sql().run(url_known_sql, db::PgValues(group_.id, keys, also_urls)));
        std::set<UrlKey> known;
        for (int row = 0; row < rows.size(); ++row)
            known.insert(key_of(rows.text(row, 0)).value_or(UrlKey{}));
        std::erase_if(candidates_, [&](const FoundUrl* url) { return known.contains(url->key); });
        return {};
    }

    Result<void> insert() {
        std::vector<std::string> names;
        for (const FoundUrl* url : candidates_) names.push_back(url->host);
        const std::vector<std::int64_t> hosts = TRY(ledger_.names().hosts(names));
        std::vector<KeyColumn> columns;
        columns.reserve(candidates_.size());
        db::PgBlobs keys;
        db::PgIntegers depths, redirects, sources, priorities;
        db::PgTexts urls;
        for (const FoundUrl* url : candidates_) {
            keys.values.emplace_back(columns.emplace_back(url->key).blob().bytes);
            depths.emplace_back(url->depth);
            redirects.emplace_back(url->redirects);
            sources.emplace_back(static_cast<int>(url->source));
            priorities.emplace_back(url->priority);
            urls.emplace_back(url->url);
            ledger_.will_be_known(group_.id, url->key);
        }
        const db::PgRows rows =
            TRY(ledger_.sql().run(url_admit_sql, db::PgValues(group_.id, hosts, keys, depths, redirects,
                                                              sources, priorities, urls)));
        const std::int64_t added = rows.integer(0, 0);
        if (added == 0) return {};
        group_.counters.discovered += added;
        group_.counters.queued += added;
        ledger_.touch(group_);
        ledger_.wake();
        return {};
    }

    Ledger& ledger_;
    OpenGroup& group_;
    std::vector<const FoundUrl*> candidates_;
};

}  // namespace

Result<void> admit(Ledger& ledger, OpenGroup& group, std::span<const FoundUrl> urls) {
    return Admission(ledger, group).run(urls);
}

Result<std::optional<std::int64_t>> find_key(db::PgConnection& sql, std::int64_t group, const UrlKey& key) {
    const KeyColumn column(key);
    const db::PgRows rows = TRY(sql.run(url_find_key_sql, db::PgValues(group, column.blob())));
    if (rows.empty()) return std::nullopt;
    return rows.integer(0, 0);
}

Result<void> insert_alias(db::PgConnection& sql, std::int64_t group, const UrlKey& key, std::int64_t url) {
    const KeyColumn column(key);
    TRY(sql.run(url_insert_alias_sql, db::PgValues(group, column.blob(), url)));
    return {};
}

Result<std::optional<UrlRow>> find_url(db::PgConnection& sql, std::int64_t id) {
    const db::PgRows rows = TRY(sql.run(find_url_sql, db::PgValues(id)));
    if (rows.empty()) return std::nullopt;
    return url_of(db::PgRow(rows, 0), 0);
}

Result<std::vector<LeasedUrl>> take_url_leases(db::PgConnection& sql, const db::PgIntegers& ids,
                                               const db::PgIntegers& tokens) {
    return leased_urls_of(TRY(sql.run(take_fenced_urls_sql, db::PgValues(ids, tokens))));
}

Result<std::vector<LeasedUrl>> take_url_leases_of_worker(db::PgConnection& sql, std::int64_t worker) {
    return leased_urls_of(TRY(sql.run(take_urls_of_worker_sql, db::PgValues(worker))));
}

Result<std::vector<UrlLeaseRow>> take_url_leases_of_group(db::PgConnection& sql, std::int64_t group) {
    const db::PgRows rows = TRY(sql.run(url_take_of_group_sql, db::PgValues(group)));
    std::vector<UrlLeaseRow> leases;
    for (int row = 0; row < rows.size(); ++row) leases.push_back(url_lease_of(db::PgRow(rows, row)));
    return leases;
}

Result<std::optional<UrlLeaseRow>> take_url_lease(db::PgConnection& sql, std::int64_t id) {
    const db::PgRows rows = TRY(sql.run(url_take_one_sql, db::PgValues(id)));
    if (rows.empty()) return std::nullopt;
    return url_lease_of(db::PgRow(rows, 0));
}

Result<void> forget_url_lease(Ledger& ledger, const UrlLeaseRow& lease) {
    --ledger.tally_of_owner(lease.owner).running_urls;
    ledger.free_host(lease.host);
    ledger.wake();
    return {};
}

Result<void> end_url(Ledger& ledger, const UrlRow& row, const UrlEnd& end, UrlState was) {
    std::optional<std::int64_t> error;
    if (end.error) error = static_cast<std::int64_t>(*end.error);
    ledger.sql().later(
        url_end_sql,
        db::PgValues(row.id, static_cast<int>(end.state), static_cast<int>(end.skipped), end.status,
                     row.attempts, row.stalls, end.content, column_of(ledger.now()), end.token,
                     or_null(std::string_view(end.final_url)), or_null(std::string_view(end.note)),
                     or_null(end.fetch), or_null(end.extract), error));
    OpenGroup* group = TRY(ledger.group(row.group));
    if (!group) return {};
    count_url(group->counters, was, 0, -1);
    count_url(group->counters, end.state, end.status, 1);
    ledger.touch(*group);
    if (end.state == UrlState::completed) ++ledger.tally_of_owner(group->owner).pages;
    if (end.state == UrlState::completed || end.state == UrlState::failed) {
        ledger.tell({.what = end.state == UrlState::completed ? Event::What::page : Event::What::url_failed,
                     .group = GroupId(row.group),
                     .id = JobId(row.id),
                     // Who is told may write it down.
                     .url = group->pages.zero_retention ? std::string() : row.url,
                     .status = end.status,
                     .state = end.state == UrlState::completed ? JobState::completed : JobState::failed});
    }
    return {};
}

Result<void> requeue_url(Ledger& ledger, const UrlRow& row, std::optional<std::string_view> note) {
    TRY(ledger.sql().run(url_requeue_sql,
                         db::PgValues(row.id, row.attempts, row.stalls, column_of(row.run_at), note,
                                      row.status, row.snoozes)));
    return {};
}

Result<void> put_url_in_line(Ledger& ledger, const UrlRow& row) {
    ledger.wake();
    if (row.run_at) {
        TRY(ledger.sql().run(url_delay_sql, db::PgValues(row.id, row.group, column_of(*row.run_at))));
    } else {
        TRY(ledger.sql().run(url_line_sql, db::PgValues(row.group, row.host, row.priority, row.id)));
    }
    return {};
}

Result<void> take_url_from_line(db::PgConnection& sql, const UrlRow& row) {
    TRY(sql.run(url_unline_sql, db::PgValues(row.group, row.host, row.priority, row.id)));
    return {};
}

Result<void> renew_url(Ledger& ledger, UrlRow row) {
    TRY(ledger.sql().run(url_renew_sql, db::PgValues(row.id)));
    row.run_at.reset();
    return put_url_in_line(ledger, row);
}

Result<void> forget_url(db::PgConnection& sql, std::int64_t id) {
    TRY(sql.run(forget_url_sql, db::PgValues(id)));
    return {};
}

Result<void> drop_waiting_urls(db::PgConnection& sql, std::int64_t group) {
    TRY(sql.run(url_drop_sql, db::PgValues(group)));
    return {};
}

Result<std::int64_t> restore_waiting_urls(db::PgConnection& sql, std::int64_t group) {
    return TRY(sql.run(url_restore_sql, db::PgValues(group))).integer(0, 0);
}

Result<void> wake_urls(Ledger& ledger) {
    TRY(ledger.sql().run(url_wake_sql, db::PgValues(column_of(ledger.now()))));
    ledger.wake();
    return {};
}

}  // namespace quarry::store::postgres
