#include "work/provider_watch.h"

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
        if (!waiting_.try_emplace(collection, steady_clock::now()).second) return;
    }
    changed_.notify_all();
    tell(fmt::format("embedding waits collection={} error=\"{}\"", collection, why));
}

void ProviderWatch::run(const std::stop_token& stop) {
    name_this_thread("provider watch");
    look_for_waiting();
    while (!stop.stop_requested()) {
        std::vector<std::string> collections;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, stop, [&] { return !waiting_.empty(); });
            for (const auto& [collection, since] : waiting_) collections.push_back(collection);
        }
        for (const std::string& collection : collections)
            if (!stop.stop_requested()) ask(collection, stop);
        pause_for(parts_.every, stop);
    }
}

// What a process before this one left behind.
void ProviderWatch::look_for_waiting() {
    const auto waiting = parts_.reader->outbox_counts("", std::nullopt);
    if (!waiting || !waiting->next_due) return;
    const auto counts = parts_.reader->job_counts({.kind = "embed_page", .states = {JobState::queued}});
    if (!counts) return;
    std::lock_guard lock(mutex_);
    for (const store::StateCount& count : *counts) waiting_.try_emplace(count.collection, steady_clock::now());
}

void ProviderWatch::ask(const std::string& collection, const std::stop_token& stop) {
    if (!parts_.embedders.try_out(collection, *parts_.reader, stop)) return;
    steady_clock::time_point since;
    {
        // Before the pages are hastened: whichever waits again is noted again.
        std::lock_guard lock(mutex_);
        since = waiting_.at(collection);
        waiting_.erase(collection);
    }
    const auto hastened =
        parts_.store.hasten({.states = {JobState::queued}, .collection = collection});
    if (!hastened || *hastened == 0) return;
    const auto away = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - since);
    tell(fmt::format("embedding goes on collection={} pages={} waited_ms={}", collection, *hastened,
                     away.count()));
}

void ProviderWatch::tell(std::string line) const {
    if (parts_.log) parts_.log(std::move(line));
}

}  // namespace quarry::work
