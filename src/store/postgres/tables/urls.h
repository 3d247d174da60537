// The URLs of crawls: the table frontier, which URLs may be fetched now, and which worker fetches them. The
// caller has locked the group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/frontier.h"
#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

struct UrlRow {
    std::int64_t id = 0;
    std::int64_t group = 0;
    std::int64_t host = 0;
    UrlState state = UrlState::queued;
    std::optional<Timestamp> run_at{};
    int priority = 0;
    int attempts = 0;
    int stalls = 0;
    int snoozes = 0;
    int status = 0;  // HTTP status of the last try
    std::string url{};
};

struct UrlLeaseRow {
    std::int64_t id = 0;
    std::int64_t token = 0;
    std::int64_t worker = 0;
    std::int64_t owner = 0;
    std::int64_t group = 0;
    std::int64_t host = 0;
    bool has_begun = false;
};

struct LeasedUrl {
    UrlLeaseRow lease{};
    UrlRow row{};
};

// How a URL ended.
struct UrlEnd {
    UrlState state = UrlState::completed;
    SkipReason skipped = SkipReason::none;
    int status = 0;
    std::optional<std::int64_t> content{};
    std::optional<std::int64_t> token{};
    std::string final_url{};
    std::string note{};
    std::chrono::microseconds fetch{}, extract{};
    std::optional<ErrorCode> error{};
};

// Admits the URLs that the group does not know, up to its limits.
Result<void> admit(Ledger& ledger, OpenGroup& group, std::span<const FoundUrl> urls);
// The URL of the group that has this key, as its own key or as an alias.
Result<std::optional<std::int64_t>> find_key(db::PgConnection& sql, std::int64_t group, const UrlKey& key);
Result<void> insert_alias(db::PgConnection& sql, std::int64_t group, const UrlKey& key, std::int64_t url);

Result<std::optional<UrlRow>> find_url(db::PgConnection& sql, std::int64_t id);
// These end leases: they take them out of their table. Call forget_url_lease for each, which corrects the
// counts.
Result<std::vector<LeasedUrl>> take_url_leases(db::PgConnection& sql, const db::PgIntegers& ids,
                                               const db::PgIntegers& tokens);
Result<std::vector<LeasedUrl>> take_url_leases_of_worker(db::PgConnection& sql, std::int64_t worker);
Result<std::vector<UrlLeaseRow>> take_url_leases_of_group(db::PgConnection& sql, std::int64_t group);
Result<std::optional<UrlLeaseRow>> take_url_lease(db::PgConnection& sql, std::int64_t id);
Result<void> forget_url_lease(Ledger& ledger, const UrlLeaseRow& lease);

// Ends a URL: writes the row as given, except for the key and what does not change. `was`: queued or running.
Result<void> end_url(Ledger& ledger, const UrlRow& row, const UrlEnd& end, UrlState was);
// Writes attempts, stalls, snoozes, status and run_at. Without `note` the last note stays.
Result<void> requeue_url(Ledger& ledger, const UrlRow& row, std::optional<std::string_view> note);
// Puts a queued URL in its place: among those that may be fetched, or those that wait for their time.
Result<void> put_url_in_line(Ledger& ledger, const UrlRow& row);
Result<void> take_url_from_line(db::PgConnection& sql, const UrlRow& row);
// Puts a URL back into the queue as if it had never been tried.
Result<void> renew_url(Ledger& ledger, UrlRow row);
Result<void> forget_url(db::PgConnection& sql, std::int64_t id);

// From now on no waiting URL of the group may be fetched.
Result<void> drop_waiting_urls(db::PgConnection& sql, std::int64_t group);
// Undoes drop_waiting_urls. Returns how many URLs never had their turn.
Result<std::int64_t> restore_waiting_urls(db::PgConnection& sql, std::int64_t group);
// Puts URLs whose time has come in line.
Result<void> wake_urls(Ledger& ledger);

}  // namespace quarry::store::postgres
