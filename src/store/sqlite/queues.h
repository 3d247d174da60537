// Which change of the outbox comes next: by priority, then by age, of one collection or of all. Memory holds
// a window of each collection; the table behind it is asked for more when a window runs empty.
//
// Of one page never two changes are leased at once, or the older could be indexed after the newer: a change
// whose page is leased steps aside until that lease ends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/base_clock.h"
#include "base/result.h"
#include "model/model_ids.h"
#include "store/sqlite/url_window.h"

namespace quarry::store {

class OutboxQueue {
public:
    // Reads more of a collection's ready changes into its window.
    using Refill = std::function<Result<void>(const std::string& collection, UrlWindow& window)>;

    explicit OutboxQueue(Refill refill) : refill_(std::move(refill)) {}

    // A change has become ready: its row is written already.
    void add(const std::string& collection, const UrlPlace& place) { windows_[collection].add(place); }
    // The collection has ready changes in the table, of which nothing is known here. Before any `add`.
    void add_unread(const std::string& collection) { windows_.try_emplace(collection, UrlWindow::unread()); }
    void clear();

    // The next change; nothing if there is none. It may be out of date: whoever takes it looks at its row.
    Result<std::optional<UrlPlace>> take(const std::string& collection);

    bool is_leased(PageId page) const { return leased_.contains(number(page)); }
    void lease(PageId page) { leased_.try_emplace(number(page)); }
    // A change that was taken, though its page is leased: it will be back.
    void set_aside(PageId page, const UrlPlace& place) { leased_.at(number(page)) = place; }
    // The lease has ended. True if a change of the page had waited for that.
    bool unlease(PageId page, const std::string& collection);

    // Changes that wait for their time are known by the earliest only; the table has them in order.
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
