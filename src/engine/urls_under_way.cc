#include "engine/urls_under_way.h"

#include <algorithm>

namespace quarry::work {

void UrlsUnderWay::begin(JobId id, const std::string& url) {
    state_.with([&](State& state) { state.entries[id] = {url, ++state.started}; });
}

void UrlsUnderWay::end(JobId id) {
    state_.with([&](State& state) { state.entries.erase(id); });
}

std::vector<std::string> UrlsUnderWay::longest(std::size_t limit) {
    std::vector<Entry> entries;
    state_.with([&](State& state) {
        for (const auto& [id, entry] : state.entries) entries.push_back(entry);
    });
    std::ranges::sort(entries, {}, &Entry::order);
    std::vector<std::string> urls;
    for (Entry& entry : entries) {
        if (urls.size() == limit) break;
        urls.push_back(std::move(entry.url));
    }
    return urls;
}

}  // namespace quarry::work
