// The tables frontier and alias: the URLs of crawls, waiting and done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "model/frontier.h"
#include "store/sqlite/queues.h"

namespace quarry::store {

struct UrlRow {
    std::int64_t id = 0;
    std::int64_t group = 0;
    std::int64_t host = 0;
    UrlKey key{};
    UrlState state = UrlState::queued;
    std::optional<Timestamp> run_at{};
    int depth = 0;
    int redirects = 0;
    UrlSource source = UrlSource::link;
    int priority = 0;
    int attempts = 0;
    int stalls = 0;
    int snoozes = 0;
    int status = 0;  // HTTP, of the last try
    std::string url{};
};

// How a URL ended.
struct UrlEnd {
    UrlState state = UrlState::completed;
    SkipReason skipped = SkipReason::none;
    int status = 0;
    int attempts = 0;
    int stalls = 0;
    std::optional<ContentId> content{};
    Timestamp finished_at{};
    std::optional<Token> token{};
    std::string_view final_url{};
    std::string_view note{};
    std::chrono::microseconds fetch{}, extract{};
    std::optional<ErrorCode> error{};
};

struct DelayedUrl {
    std::int64_t id = 0;
    std::int64_t group = 0;
    Timestamp run_at{};
};

class FrontierRows {
public:
    static Result<FrontierRows> create(db::Connection& connection);

    // False if the group knows the key already.
    Result<bool> insert(std::int64_t id, std::int64_t group, std::int64_t host, const FoundUrl& url);
    Result<std::optional<UrlRow>> find(std::int64_t id);
    // The URL of the group that has the key, as its own or as another name.
    Result<std::optional<std::int64_t>> find_key(std::int64_t group, const UrlKey& key);
    Result<void> insert_alias(std::int64_t group, const UrlKey& key, std::int64_t url);
    Result<bool> has_aliases(std::int64_t group);

    Result<void> end(std::int64_t id, const UrlEnd& end);
    // Back to the queue; with `run_at` it waits for its time. `note`: nothing leaves the last one.
    Result<void> requeue(const UrlRow& row, std::optional<std::string_view> note);
    Result<void> make_ready(std::int64_t id);
    Result<std::optional<std::int64_t>> ended_by(std::int64_t id);
    // Back to the queue as if it had never been tried.
    Result<void> renew(std::int64_t id);
    Result<void> forget(std::int64_t id);
    // URLs of a group that never had their turn.
    Result<std::int64_t> count_waiting(std::int64_t group);

    // Ready URLs of a host in a group after a place, in order.
    Result<std::vector<UrlPlace>> ready_after(std::int64_t group, std::int64_t host, const UrlPlace& after,
                                              std::size_t limit);
    // The hosts that have any.
    Result<std::vector<std::int64_t>> ready_hosts(std::int64_t group);
    Result<void> for_each_delayed(const std::function<void(const DelayedUrl&)>& use);

private:
    struct Statements {
        db::Statement insert, find, find_key, find_alias, insert_alias, has_aliases, end, requeue, make_ready,
            ended_by, ready_after, next_host, delayed, renew, forget, count_waiting;
    };
    FrontierRows(db::Connection& connection, Statements statements)
        : connection_(&connection), sql_(std::move(statements)) {}

    db::Connection* connection_;
    Statements sql_;
};

}  // namespace quarry::store
