#include "search/query_cache.h"

#include <fmt/format.h>

namespace quarry::search {
namespace {

// The query comes last: it alone may hold any byte.
std::string name_of(const QueryCache::Key& key) {
    const EmbedderFacts& facts = key.embedder;
    constexpr char end = '\0';
    return fmt::format("{}{}{}{}{}{}{}{}{}{}{}", key.collection, end, facts.provider, end, facts.model, end,
                       facts.dimensions, end, facts.version, end, key.query);
}

}  // namespace

std::optional<std::vector<float>> QueryCache::find(const Key& key) {
    const std::string name = name_of(key);
    return entries_.with([&](Entries& entries) -> std::optional<std::vector<float>> {
        const auto place = entries.by_name.find(name);
        if (place == entries.by_name.end()) return std::nullopt;
        entries.by_use.splice(entries.by_use.begin(), entries.by_use, place->second);
        return place->second->second;
    });
}

void QueryCache::put(const Key& key, std::vector<float> vector) {
    std::string name = name_of(key);
    entries_.with([&](Entries& entries) {
        if (const auto place = entries.by_name.find(name); place != entries.by_name.end()) {
            const auto entry = place->second;
            entries.by_name.erase(place);
            entries.by_use.erase(entry);
        }
        entries.by_use.emplace_front(std::move(name), std::move(vector));
        entries.by_name.emplace(entries.by_use.front().first, entries.by_use.begin());
        if (entries.by_use.size() <= capacity_) return;
        entries.by_name.erase(entries.by_use.back().first);
        entries.by_use.pop_back();
    });
}

}  // namespace quarry::search
