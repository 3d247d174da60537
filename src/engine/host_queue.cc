#include "engine/host_queue.h"

#include <algorithm>

namespace quarry::work {

void HostQueue::obey(const CrawlContext& crawl, std::optional<std::chrono::milliseconds> crawl_delay) {
    const crawl::PaceRules asked = crawl::pace_rules(crawl.options, crawl_delay);
    pace.with([&](crawl::SharedPace& all) { all.obey(crawl.id, crawl.owner, asked); });
}

void HostQueue::add(WaitingUrl url) {
    const auto same = [&](const Queue& queue) { return queue.crawl->id == url.crawl->id; };
    auto queue = std::ranges::find_if(queues_, same);
    if (queue == queues_.end()) queue = queues_.insert(queues_.end(), Queue{.crawl = url.crawl, .urls = {}});
    queue->urls.push_back(std::move(url));
    ++waiting_;
}

std::optional<WaitingUrl> HostQueue::take_next(Timestamp now) {
    for (std::size_t tried = 0; tried < queues_.size(); ++tried) {
        next_ = (next_ + 1) % queues_.size();
        Queue& queue = queues_[next_];
        if (queue.urls.empty() || !queue.crawl->may_start_another()) continue;
        const GroupId id = queue.crawl->id;
        if (!pace.with([&](const crawl::SharedPace& all) { return all.may_start(id, now); })) continue;
        std::optional<WaitingUrl> url(std::move(queue.urls.front()));
        queue.urls.pop_front();
        --waiting_;
        return url;
    }
    return std::nullopt;
}

std::optional<Timestamp> HostQueue::next_start(Timestamp now) const {
    std::optional<Timestamp> first;
    for (const Queue& queue : queues_) {
        if (queue.urls.empty() || !queue.crawl->may_start_another()) continue;
        const auto next =
            pace.with([&](const crawl::SharedPace& all) { return all.next_start(queue.crawl->id, now); });
        if (next && (!first || *next < *first)) first = next;
    }
    return first;
}

std::size_t HostQueue::waiting_slowly() const {
    std::size_t urls = 0;
    for (const Queue& queue : queues_) urls += queue.is_slow() ? queue.urls.size() : 0;
    return urls;
}

std::vector<GroupId> HostQueue::slow_crawls_with(std::size_t urls) const {
    std::vector<GroupId> crawls;
    for (const Queue& queue : queues_)
        if (queue.is_slow() && queue.urls.size() >= urls) crawls.push_back(queue.crawl->id);
    return crawls;
}

void HostQueue::put_back(WaitingUrl url) {
    for (Queue& queue : queues_) {
        if (queue.crawl->id != url.crawl->id) continue;
        queue.urls.push_front(std::move(url));
        ++waiting_;
        return;
    }
    add(std::move(url));
}

std::vector<WaitingUrl> HostQueue::remove(GroupId group) {
    std::vector<WaitingUrl> removed;
    std::erase_if(queues_, [&](Queue& queue) {
        if (queue.crawl->id != group) return false;
        std::ranges::move(queue.urls, std::back_inserter(removed));
        return true;
    });
    next_ = 0;
    waiting_ -= removed.size();
    pace.with([&](crawl::SharedPace& all) { all.forget(group); });
    return removed;
}

std::vector<WaitingUrl> HostQueue::remove_all() {
    std::vector<WaitingUrl> removed;
    for (Queue& queue : queues_) std::ranges::move(queue.urls, std::back_inserter(removed));
    queues_.clear();
    next_ = waiting_ = 0;
    return removed;
}

}  // namespace quarry::work
