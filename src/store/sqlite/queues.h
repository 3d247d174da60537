// In which order work is leased, in memory: jobs, URLs of a crawl, changes of the outbox, and ids by the time
// at which they become due. Jobs go by priority, then owners and groups take turns; so do the hosts of a
// crawl. Memory holds a window of the URLs and changes; when a window runs empty, it is refilled from the
// table. An id may be stale: check its row before using it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "model/ids.h"

namespace quarry::store {

// Ids by the time at which they become due. An entry may be out of date: the caller checks the row before it
// uses the id.

class TimeQueue {
public:
    void push(Timestamp when, std::int64_t id) { entries_.emplace(when, id); }

    std::optional<std::int64_t> pop_due(Timestamp now) {
        if (entries_.empty() || entries_.top().first > now) return std::nullopt;
        const std::int64_t id = entries_.top().second;
        entries_.pop();
        return id;
    }

    std::optional<Timestamp> next() const {
        if (entries_.empty()) return std::nullopt;
        return entries_.top().first;
    }

private:
    using Entry = std::pair<Timestamp, std::int64_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
};

// Ids in the order in which they came, eight bytes each. A deque would take half a kilobyte even for one id,
// and every waiting group has one of these. A vector would need three times its size while it grows to a
// million.

class IdFifo {
public:
    bool empty() const { return next_ == first_.size(); }
    std::int64_t front() const { return first_[next_]; }

    void push(std::int64_t id) {
        if (!rest_ && first_.size() < few) {
            first_.push_back(id);
            return;
        }
        if (!rest_) rest_ = std::make_unique<std::deque<std::int64_t>>();
        rest_->push_back(id);
    }

    void pop() {
        ++next_;
        if (!empty()) return;
        first_.clear();
        next_ = 0;
        if (rest_) refill();
    }

    void clear() { *this = {}; }

private:
    static constexpr std::size_t few = 64;

    void refill() {
        const auto count = static_cast<std::ptrdiff_t>(std::min(few, rest_->size()));
        first_.assign(rest_->begin(), rest_->begin() + count);
        rest_->erase(rest_->begin(), rest_->begin() + count);
        if (rest_->empty()) rest_.reset();
    }

    // The invariant: if `first_` is used up, there is nothing in `rest_` either.
    std::vector<std::int64_t> first_;
    std::size_t next_ = 0;
    std::unique_ptr<std::deque<std::int64_t>> rest_;
};

// In which order jobs run: by priority; within a priority, owners take turns; within an owner, its groups
// take turns; within a group, the oldest goes first. Now and then the oldest job of all goes first, so that a
// low priority is delayed but never starved.
//
// Pure memory: ids only, rebuilt at start. An id may be stale (its job was cancelled, paused, or moved to
// another priority): the caller checks the job's row before it uses the id.

struct ReadyPlace {
    int kind = 0;
    int priority = 0;
    int owner = 0;
    std::int64_t group = 0;  // 0 for none
};

class ReadyQueue {
public:
    void push(const ReadyPlace& place, std::int64_t id);

    struct Taken {
        std::int64_t id = 0;
        int priority = 0;  // of the line that the job stood in
    };
    // The next job of this kind; nothing if none may run.
    std::optional<Taken> pop(int kind);

    // Jobs of a closed owner (at its limit) and of a held group (paused, or waiting itself) stay in their
    // lines and are passed over.
    void close_owner(int owner) { closed_owners_.insert(owner); }
    void open_owner(int owner);
    void hold_group(std::int64_t group) { held_groups_.insert(group); }
    void release_group(std::int64_t group);
    // Forgets the group and its ids.
    void drop_group(std::int64_t group);

private:
    struct GroupLine {
        std::int64_t group = 0;
        bool has_turns = false;
        IdFifo ids{};
    };
    struct OwnerLine {
        int owner = 0;
        bool has_turns = false;
        std::deque<GroupLine*> turns{};
        std::unordered_map<std::int64_t, GroupLine> groups{};
    };
    struct Level {
        std::deque<OwnerLine*> turns{};
        std::unordered_map<int, OwnerLine> owners{};
    };
    struct Kind {
        unsigned claims = 0;
        std::map<int, Level> levels{};
    };

    std::optional<std::int64_t> pop(Level& level);
    std::optional<std::int64_t> pop(OwnerLine& line);
    std::optional<Taken> pop_oldest(Kind& kind);
    GroupLine* oldest_line(Level& level);
    void give_turns(Level& level, OwnerLine& owner, GroupLine& group);
    template <typename Use>
    void for_each_line(std::int64_t group, Use use);

    std::unordered_map<int, Kind> kinds_;
    std::unordered_set<int> closed_owners_;
    std::unordered_set<std::int64_t> held_groups_;
};

// The next URLs of one host in one crawl, in the order in which they are fetched. Memory holds a window; the
// table has the rest.

// Where a URL stands in line: the smaller priority first, then the one discovered earlier.
struct UrlPlace {
    int priority = 0;
    std::int64_t id = 0;
    friend auto operator<=>(const UrlPlace&, const UrlPlace&) = default;
};

// The invariant: every ready URL up to `end()` is here or leased. What lies beyond is only in the table.
class UrlWindow {
public:
    static constexpr std::size_t wanted = 256;

    // A window that has read nothing from the table yet.
    static UrlWindow unread() {
        UrlWindow window;
        window.end_ = {std::numeric_limits<int>::min(), 0};
        return window;
    }

    bool empty() const { return head_ == places_.size(); }
    bool is_complete() const { return end_ == everything; }
    const UrlPlace& end() const { return end_; }

    // Adds a URL that has become ready. Its row says so already.
    void add(const UrlPlace& place);
    const UrlPlace& front() const { return places_[head_]; }  // not when empty
    std::optional<UrlPlace> pop();
    // Adds the URLs that the table has after end() and up to `new_end`, without the leased ones. No `new_end`
    // means that the table has no more.
    void refill(std::span<const UrlPlace> next, std::optional<UrlPlace> new_end);

private:
    static constexpr UrlPlace everything{std::numeric_limits<int>::max(),
                                         std::numeric_limits<std::int64_t>::max()};

    std::vector<UrlPlace> places_;
    std::size_t head_ = 0;
    UrlPlace end_ = everything;
};

// Which URL of a crawl comes next: its hosts take turns, so that a slow host holds up no other. Memory only;
// when a host's window runs empty, it is refilled from the table.

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
    // The host has ready URLs in the table that are not known here. Call this before any `add` for the host.
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

// Which change of the outbox comes next: by priority, then by age, from one collection or from all. Memory
// holds a window of each collection; when a window runs empty, it is refilled from the table.
//
// Two changes of one page are never leased at once. Otherwise the older could be indexed after the newer. A
// change whose page is leased steps aside until that lease ends.

class OutboxQueue {
public:
    // Reads more of a collection's ready changes into its window.
    using Refill = std::function<Result<void>(const std::string& collection, UrlWindow& window)>;

    explicit OutboxQueue(Refill refill) : refill_(std::move(refill)) {}

    // A change has become ready: its row is written already.
    void add(const std::string& collection, const UrlPlace& place) { windows_[collection].add(place); }
    // The collection has ready changes in the table that are not known here. Call this before any `add`.
    void add_unread(const std::string& collection) { windows_.try_emplace(collection, UrlWindow::unread()); }
    void clear();

    // The next change; nothing if there is none. It may be out of date: the caller checks its row.
    Result<std::optional<UrlPlace>> take(const std::string& collection);

    bool is_leased(PageId page) const { return leased_.contains(number(page)); }
    void lease(PageId page) { leased_.try_emplace(number(page)); }
    // Puts aside a change that was taken although its page is leased. It comes back when the lease ends.
    void set_aside(PageId page, const UrlPlace& place) { leased_.at(number(page)) = place; }
    // The lease of the page has ended. True if a change of the page was waiting for that.
    bool unlease(PageId page, const std::string& collection);

    // Of the changes that wait for their time, memory knows only the earliest time. The table has them in
    // order.
    void delay_until(Timestamp when) { next_due_ = next_due_ ? std::min(*next_due_, when) : when; }
    void set_next_due(std::optional<Timestamp> when) { next_due_ = when; }
    std::optional<Timestamp> next_due() const { return next_due_; }

private:
    Refill refill_;
    std::map<std::string, UrlWindow> windows_;
    std::unordered_map<std::int64_t, std::optional<UrlPlace>> leased_;  // by page, with what stepped aside
    std::optional<Timestamp> next_due_;
};

}  // namespace quarry::store
