// Sites whose pages are empty without a browser: one page was found to be, so the others are not fetched in
// vain.
#pragma once

#include <set>
#include <string>

#include "base/guarded.h"

namespace quarry::work {

// Any thread.
class RenderedSites {
public:
    bool has(const std::string& origin) const {
        return origins_.with([&](const auto& origins) { return origins.contains(origin); });
    }
    void add(const std::string& origin) {
        origins_.with([&](auto& origins) {
            // Forgetting costs one page more of each site.
            if (origins.size() >= most_sites) origins.clear();
            origins.insert(origin);
        });
    }

private:
    static constexpr std::size_t most_sites = 10'000;

    Guarded<std::set<std::string>> origins_;
};

}  // namespace quarry::work
