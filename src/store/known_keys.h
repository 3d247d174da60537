// Most links of a page lead to pages the crawl knows already. This small memory of admitted keys lets any
// thread see that without asking the database: "yes" is certain, "no" says nothing.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "model/frontier.h"
#include "model/ids.h"

namespace quarry::store {

// Each key has four places; when they are taken, one makes way. (With one place each, a crawl of 100,000
// pages forgot every third key, and asked the table for it again.) Safe from many threads to ask; one thread
// adds, and only what is committed.
class KnownKeys {
public:
    KnownKeys() : slots_(slot_count) {}

    bool contains(GroupId group, const UrlKey& key) const;
    void add(GroupId group, const UrlKey& key);
    void clear();

private:
    static constexpr std::size_t slot_count = std::size_t{1} << 18;  // 4 MB
    static constexpr std::size_t places = 4;

    // The two halves are written one after the other. A reader that sees halves of two keys takes them for a
    // third, which is one that anybody asks for with a chance of 2^-64.
    struct Slot {
        std::atomic<std::uint64_t> high{0}, low{0};
    };

    static std::size_t first_place(std::uint64_t high, std::uint64_t low) {
        // The upper bits of a product depend on all bits of both halves.
        const std::uint64_t mixed = (high ^ std::rotl(low, 32)) * 0x9e3779b97f4a7c15ull;
        return (mixed >> 32) % (slot_count / places) * places;
    }

    std::vector<Slot> slots_;
};

}  // namespace quarry::store
