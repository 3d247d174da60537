#include "store/sqlite/queues.h"

namespace quarry::store {

void OutboxQueue::clear() {
    windows_.clear();
    leased_.clear();
    next_due_.reset();
}

Result<std::optional<UrlPlace>> OutboxQueue::take(const std::string& collection) {
    auto first = windows_.end();
    for (auto at = collection.empty() ? windows_.begin() : windows_.find(collection); at != windows_.end();) {
        UrlWindow& window = at->second;
        while (window.empty() && !window.is_complete()) TRY(refill_(at->first, window));
        if (window.empty()) {
            at = windows_.erase(at);
        } else {
            if (first == windows_.end() || window.front() < first->second.front()) first = at;
            ++at;
        }
        if (!collection.empty()) break;
    }
    if (first == windows_.end()) return std::nullopt;
    return first->second.pop();
}

bool OutboxQueue::unlease(PageId page, const std::string& collection) {
    const auto found = leased_.find(number(page));
    if (found == leased_.end()) return false;
    const std::optional<UrlPlace> aside = found->second;
    leased_.erase(found);
    if (aside) add(collection, *aside);
    return aside.has_value();
}

}  // namespace quarry::store
