// Ids by the time at which something is to happen to them. An entry may be out of date: whoever takes one
// looks at the row before believing it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/base_clock.h"

namespace quarry::store {

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

}  // namespace quarry::store
