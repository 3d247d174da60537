#include "store/sqlite/frontier_queue.h"

namespace quarry::store {

void FrontierQueue::add(std::int64_t group, std::int64_t host, const UrlPlace& place) {
    Group& urls = groups_[group];
    const auto [window, is_new] = urls.hosts.try_emplace(host);
    if (is_new) urls.turns.push_back(host);
    window->second.add(place);
}

void FrontierQueue::add_unread(std::int64_t group, std::int64_t host) {
    Group& urls = groups_[group];
    if (urls.hosts.try_emplace(host, UrlWindow::unread()).second) urls.turns.push_back(host);
}

void FrontierQueue::drop_front_host(std::int64_t group_id, Group& group) {
    group.hosts.erase(group.turns.front());
    group.turns.pop_front();
    if (group.hosts.empty()) groups_.erase(group_id);
}

Result<std::optional<FrontierQueue::Taken>> FrontierQueue::take(std::int64_t group_id,
                                                                const MayTake& may_take) {
    const auto found = groups_.find(group_id);
    if (found == groups_.end()) return std::nullopt;
    Group& group = found->second;
    for (std::size_t left = group.turns.size(); left > 0; --left) {
        const std::int64_t host = group.turns.front();
        if (may_take(host)) {
            UrlWindow& window = group.hosts.at(host);
            while (window.empty() && !window.is_complete()) TRY(refill_(group_id, host, window));
            const std::optional<UrlPlace> place = window.pop();
            if (!place) {
                drop_front_host(group_id, group);
                continue;
            }
            group.turns.pop_front();
            group.turns.push_back(host);
            return Taken{host, *place};
        }
        group.turns.pop_front();
        group.turns.push_back(host);
    }
    return std::nullopt;
}

}  // namespace quarry::store
