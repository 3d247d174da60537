#include "work/indexing/embedding.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/pause.h"
#include "base/thread_name.h"

namespace quarry::work {

using std::chrono::steady_clock;

ProviderWatch::ProviderWatch(Parts parts)
    : parts_(std::move(parts)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ProviderWatch::waits(const std::string& collection, const std::string& why) {
    {
        std::lock_guard lock(mutex_);
        if (!note(collection)) return;
    }
    changed_.notify_all();
    tell(fmt::format("embedding waits collection={} error=\"{}\"", collection, why));
}

// With the lock. False if it is noted already.
bool ProviderWatch::note(const std::string& collection) {
    const auto [entry, is_new] = waiting_.try_emplace(collection);
    if (!is_new) return false;
    const Time now = steady_clock::now();
    entry->second = {.since = now, .ask_from = now};
    const auto answered = answered_.find(collection);
    if (answered == answered_.end()) return true;
    const auto rest = rest_after(answered->second.repeats);
    if (now - answered->second.at > 2 * rest)
        answered_.erase(answered);
    else
        entry->second.ask_from = answered->second.at + rest;
    return true;
}

std::chrono::milliseconds ProviderWatch::rest_after(int repeats) const {
    constexpr int most_doublings = 5;
    return parts_.every * (1 << std::min(repeats, most_doublings));
}

void ProviderWatch::run(const std::stop_token& stop) {
    name_this_thread("provider watch");
    while (!look_for_waiting())
        if (!pause_for(parts_.every, stop)) return;
    while (!stop.stop_requested()) {
        std::vector<std::string> collections;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, stop, [&] { return !waiting_.empty(); });
            const Time now = steady_clock::now();
            for (const auto& [collection, waiting] : waiting_)
                if (waiting.ask_from <= now) collections.push_back(collection);
        }
        for (const std::string& collection : collections)
            if (!stop.stop_requested()) ask(collection, stop);
        pause_for(parts_.every, stop);
    }
}

// What a process before this one left behind. False if the store could not say.
bool ProviderWatch::look_for_waiting() {
    const auto waiting = parts_.reader->outbox_counts("", std::nullopt);
    if (!waiting) return false;
    if (!waiting->next_due) return true;
    const auto counts = parts_.reader->job_counts({.kind = "embed_page", .states = {JobState::queued}});
    if (!counts) return false;
    std::lock_guard lock(mutex_);
    for (const store::StateCount& count : *counts) note(count.collection);
    return true;
}

void ProviderWatch::ask(const std::string& collection, const std::stop_token& stop) {
    if (!parts_.embedders.try_out(collection, *parts_.reader, stop)) return;
    Time since;
    {
        // Before the pages are hastened: whichever waits again is noted again.
        std::lock_guard lock(mutex_);
        since = waiting_.at(collection).since;
        waiting_.erase(collection);
        Answered& answered = answered_[collection];
        answered.repeats += answered.at == Time{} ? 0 : 1;
        answered.at = steady_clock::now();
    }
    const auto hastened =
        parts_.store.hasten({.states = {JobState::queued}, .collection = collection});
    if (!hastened) {
        std::lock_guard lock(mutex_);
        note(collection);
        return;
    }
    if (*hastened == 0) return;
    const auto away = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - since);
    tell(fmt::format("embedding goes on collection={} pages={} waited_ms={}", collection, *hastened,
                     away.count()));
}

void ProviderWatch::tell(std::string line) const {
    if (parts_.log) parts_.log(std::move(line));
}

}  // namespace quarry::work
