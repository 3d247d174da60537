#include "api/notifier.h"

#include <algorithm>
#include <set>

#include "base/threads.h"
#include "model/job.h"

namespace quarry::api {
namespace {

constexpr std::chrono::seconds between_looks{1};

bool is_end(const store::Event& event) {
    return event.what == store::Event::What::group_changed && !goes_on(event.state) &&
           event.state != JobState::paused;
}

// Where there was no memory to tell somebody, the next look finds it out.
template <typename What>
void in_peace(What what) {
    try {
        what();
    } catch (const std::exception&) {
    }
}

}  // namespace

Live::Live(Look look) : look_(std::move(look)), thread_([this](std::stop_token stop) { run(stop); }) {}

Live::~Live() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    std::vector<News> rest;
    news_.take(rest, TimePoint::min());
    for (News& news : rest)
        if (auto* waiting = std::get_if<Waiting>(&news)) waiting->waiter(false);
    for (auto& [group, waiting] : waiting_) waiting.waiter(false);
}

void Live::tell(std::span<const store::Event> events) {
    if (interested_ == 0) return;
    for (const store::Event& event : events) news_.post(event);
}

void Live::listen(std::optional<GroupId> group, Listener listener, std::function<bool()> is_wanted,
                  Hears hears) {
    ++interested_;
    news_.post(Listening{
        .group = group, .listener = std::move(listener), .is_wanted = std::move(is_wanted), .hears = hears});
}

void Live::tell_again(const store::Event& event) {
    news_.post(Sign{event});
}

void Live::when_over(GroupId group, TimePoint until, Waiter waiter) {
    ++interested_;
    news_.post(Waiting{.group = group, .until = until, .waiter = std::move(waiter)});
}

void Live::tell_over(GroupId group) {
    news_.post(Over{group});
}

void Live::run(std::stop_token stop) {
    name_this_thread("api events");
    std::vector<News> news;
    while (!stop.stop_requested()) {
        news_.take(news, next_end(), stop);
        for (News& one : news)
            in_peace([&] { std::visit([&](auto& what) { handle(std::move(what)); }, one); });
        in_peace([&] { end_waiting(); });
        in_peace([&] { look(); });
    }
}

void Live::look() {
    const auto now = std::chrono::steady_clock::now();
    if (!look_ || interested_ == 0 || now - looked_at_ < between_looks) return;
    looked_at_ = now;
    interested_ -= static_cast<int>(
        std::erase_if(listening_, [](const Listening& listening) { return !listening.is_wanted(); }));
    std::set<GroupId> groups;
    for (const auto& [group, waiting] : waiting_) groups.insert(group);
    for (const Listening& listening : listening_)
        if (listening.group) groups.insert(*listening.group);
    look_({groups.begin(), groups.end()});
}

void Live::handle(Sign sign) {
    interested_ -= static_cast<int>(std::erase_if(listening_, [&](Listening& listening) {
        const bool is_meant = listening.hears == Hears::signs && listening.group == sign.event.group;
        return is_meant && !listening.listener(sign.event);
    }));
}

void Live::handle(Waiting waiting) {
    const GroupId group = waiting.group;
    waiting_.emplace(group, std::move(waiting));
}

void Live::handle(Listening listening) {
    interested_ -= static_cast<int>(
        std::erase_if(listening_, [](const Listening& other) { return !other.is_wanted(); }));
    listening_.push_back(std::move(listening));
}

void Live::handle(store::Event event) {
    interested_ -= static_cast<int>(std::erase_if(listening_, [&](Listening& listening) {
        const bool is_meant = !listening.group || listening.group == event.group;
        return is_meant && !listening.listener(event);
    }));
    if (event.group && is_end(event)) handle(Over{*event.group});
}

void Live::handle(Over over) {
    const auto [first, last] = waiting_.equal_range(over.group);
    for (auto at = first; at != last; ++at) at->second.waiter(true);
    interested_ -= static_cast<int>(std::distance(first, last));
    waiting_.erase(first, last);
}

std::optional<Live::TimePoint> Live::next_end() const {
    const auto first =
        std::ranges::min_element(waiting_, {}, [](const auto& entry) { return entry.second.until; });
    std::optional<TimePoint> next;
    if (first != waiting_.end()) next = first->second.until;
    if (look_ && interested_ > 0)
        next = std::min(next.value_or(TimePoint::max()), looked_at_ + between_looks);
    return next;
}

void Live::end_waiting() {
    const auto now = std::chrono::steady_clock::now();
    for (auto at = waiting_.begin(); at != waiting_.end();) {
        if (at->second.until > now) {
            ++at;
            continue;
        }
        at->second.waiter(false);
        at = waiting_.erase(at);
        --interested_;
    }
}

}  // namespace quarry::api
