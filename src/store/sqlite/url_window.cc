#include "store/sqlite/url_window.h"

#include <algorithm>

namespace quarry::store {

void UrlWindow::add(const UrlPlace& place) {
    if (place > end_) return;  // the table will bring it
    const bool is_last = empty() || places_.back() < place;
    if (is_last && is_complete() && places_.size() - head_ >= wanted) {
        // Enough in memory: from here on only the table knows.
        end_ = places_.back();
        return;
    }
    if (is_last) {
        places_.push_back(place);
        return;
    }
    const auto begin = places_.begin() + static_cast<std::ptrdiff_t>(head_);
    const auto where = std::lower_bound(begin, places_.end(), place);
    if (*where != place) places_.insert(where, place);
}

std::optional<UrlPlace> UrlWindow::pop() {
    if (empty()) return std::nullopt;
    const UrlPlace first = places_[head_++];
    if (empty()) {
        places_.clear();
        head_ = 0;
    } else if (head_ >= wanted) {
        places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(head_));
        head_ = 0;
    }
    return first;
}

void UrlWindow::refill(std::span<const UrlPlace> next, std::optional<UrlPlace> new_end) {
    places_.insert(places_.end(), next.begin(), next.end());
    end_ = new_end.value_or(everything);
}

}  // namespace quarry::store
