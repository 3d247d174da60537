#include "work/host_lane.h"

#include <algorithm>

namespace quarry::work {

namespace {

bool may_start_another(const CrawlContext& crawl) {
    return !crawl.options.max_concurrency || crawl.running < *crawl.options.max_concurrency;
}

}  // namespace

void HostLane::obey(const crawl::CrawlOptions& options,
                    std::optional<std::chrono::milliseconds> crawl_delay) {
    const crawl::PaceRules asked = crawl::pace_rules(options, crawl_delay);
    const crawl::PaceRules rules = rules_ ? crawl::joined(*rules_, asked) : asked;
    const bool is_same = rules_ && rules.connections == rules_->connections && rules.delay == rules_->delay;
    if (is_same) return;
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
        if (queue.urls.empty() || !may_start_another(*queue.crawl)) continue;
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
