// Most links of a page lead to pages the crawl knows already. This small memory of admitted keys lets any
// thread see that without asking the database: "yes" is certain, "no" says nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "model/frontier.h"
#include "model/ids.h"

namespace quarry::store {

// Direct-mapped: each key has one place, where the last one to come stays. Safe from many threads; only
// committed keys may be added.
class KnownKeys {
public:
    KnownKeys() : slots_(slot_count) {}

    bool contains(GroupId group, const UrlKey& key) const;
    void add(GroupId group, const UrlKey& key);
    void clear();

private:
    static constexpr std::size_t slot_count = std::size_t{1} << 18;  // 4 MB

    // The two halves are written one after the other. A reader that sees halves of two keys takes them for a
    // third, which is one that anybody asks for with a chance of 2^-64.
    struct Slot {
        std::atomic<std::uint64_t> high{0}, low{0};
    };

    std::vector<Slot> slots_;
};

}  // namespace quarry::store
