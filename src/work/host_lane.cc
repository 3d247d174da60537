#include "work/host_lane.h"

#include <algorithm>

namespace quarry::work {

void HostLane::obey(const CrawlContext& crawl, std::optional<std::chrono::milliseconds> crawl_delay) {
    const crawl::PaceRules asked = crawl::pace_rules(crawl.options, crawl_delay);
    const auto [wish, is_new] = wishes_.emplace(crawl.id, asked);
    if (!is_new) wish->second = crawl::joined(wish->second, asked);
    join_wishes();
}

void HostLane::join_wishes() {
    if (wishes_.empty()) return;
    crawl::PaceRules rules = wishes_.begin()->second;
    for (const auto& [group, wish] : wishes_) rules = crawl::joined(rules, wish);
    if (rules_ == rules) return;
    rules_ = rules;
    pace.with([&](crawl::HostPace& host) { host.set_rules(rules); });
}

void HostLane::add(WaitingUrl url) {
    const auto same = [&](const Queue& queue) { return queue.crawl->id == url.crawl->id; };
    auto queue = std::ranges::find_if(queues_, same);
    if (queue == queues_.end()) queue = queues_.insert(queues_.end(), Queue{.crawl = url.crawl, .urls = {}});
    queue->urls.push_back(std::move(url));
    ++waiting_;
}

std::optional<WaitingUrl> HostLane::take_next() {
    for (std::size_t tried = 0; tried < queues_.size(); ++tried) {
        next_ = (next_ + 1) % queues_.size();
        Queue& queue = queues_[next_];
        if (queue.urls.empty() || !queue.crawl->may_start_another()) continue;
        std::optional<WaitingUrl> url(std::move(queue.urls.front()));
        queue.urls.pop_front();
        --waiting_;
        return url;
    }
    return std::nullopt;
}

void HostLane::put_back(WaitingUrl url) {
    for (Queue& queue : queues_) {
        if (queue.crawl->id != url.crawl->id) continue;
        queue.urls.push_front(std::move(url));
        ++waiting_;
        return;
    }
    add(std::move(url));
}

std::vector<WaitingUrl> HostLane::remove(GroupId group) {
    std::vector<WaitingUrl> removed;
    std::erase_if(queues_, [&](Queue& queue) {
        if (queue.crawl->id != group) return false;
        std::ranges::move(queue.urls, std::back_inserter(removed));
        return true;
    });
    next_ = 0;
    waiting_ -= removed.size();
    // A crawl that is over slows nobody down.
    wishes_.erase(group);
    join_wishes();
    return removed;
}

std::vector<WaitingUrl> HostLane::remove_all() {
    std::vector<WaitingUrl> removed;
    for (Queue& queue : queues_) std::ranges::move(queue.urls, std::back_inserter(removed));
    queues_.clear();
    next_ = waiting_ = 0;
    return removed;
}

}  // namespace quarry::work
