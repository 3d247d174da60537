// Which URL of a crawl comes next: its hosts take turns, so that a slow one holds up nobody. Memory only; the
// table behind it is asked for more when a host's window runs empty.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>

#include "base/result.h"
#include "store/sqlite/url_window.h"

namespace quarry::store {

class FrontierQueue {
public:
    // Reads more of a host's ready URLs into its window.
    using Refill = std::function<Result<void>(std::int64_t group, std::int64_t host, UrlWindow& window)>;
    using MayTake = std::function<bool(std::int64_t host)>;

    struct Taken {
        std::int64_t host = 0;
        UrlPlace place{};
    };

    explicit FrontierQueue(Refill refill) : refill_(std::move(refill)) {}

    // A URL has become ready: its row is written already.
    void add(std::int64_t group, std::int64_t host, const UrlPlace& place);
    // The host has ready URLs in the table, of which nothing is known here. Before any `add` for it.
    void add_unread(std::int64_t group, std::int64_t host);
    void drop(std::int64_t group) { groups_.erase(group); }
    void clear() { groups_.clear(); }

    bool has_ready(std::int64_t group) const { return groups_.contains(group); }
    // The next URL of the group whose host may be taken; nothing if there is none.
    Result<std::optional<Taken>> take(std::int64_t group, const MayTake& may_take);

private:
    // A host that is not here has no ready URLs.
    struct Group {
        std::deque<std::int64_t> turns{};  // of hosts
        std::unordered_map<std::int64_t, UrlWindow> hosts{};
    };

    void drop_front_host(std::int64_t group_id, Group& group);

    Refill refill_;
    std::unordered_map<std::int64_t, Group> groups_;
};

}  // namespace quarry::store
