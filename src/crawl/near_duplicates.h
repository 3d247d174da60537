// Which page of a crawl said nearly the same before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/frontier.h"

namespace quarry::crawl {

// Finds simhashes within 3 bits. Of four bands of 16 bits at least one is the same in both, so that only
// pages that share a band are compared: a few out of a hundred thousand.
//
// Memory is bounded: 40 bytes a page, and beyond `capacity` pages the oldest are forgotten. So is time: at
// most a few hundred pages of each band are compared, the latest first. Used by one thread at a time.
class NearDuplicates {
public:
    static constexpr int largest_distance = 3;

    explicit NearDuplicates(std::size_t capacity = 100'000);

    // The page that this one nearly repeats. If there is none, this page is remembered; if there is, it is
    // not, so that all copies name one original, and a row of small changes does not lead from one page to a
    // quite different one. A hash of 0 (see simhash.h) is near nothing. A page is not near itself.
    std::optional<UrlKey> add(std::uint64_t hash, const UrlKey& page);

    std::size_t size() const { return entries_.size(); }

private:
    static constexpr std::size_t bands = 4;

    // Pages are numbered from 1 as they come. A page's entry is overwritten `capacity` pages later; a link to
    // it is then known to be dead by its number, and nothing has to be unlinked.
    using Number = std::uint32_t;
    struct Entry {
        std::uint64_t hash = 0;
        UrlKey page{};
        std::array<Number, bands> before{};  // the page before in the same band
    };

    std::optional<UrlKey> find(std::uint64_t hash, const UrlKey& page) const;
    void remember(std::uint64_t hash, const UrlKey& page);
    const Entry* entry(Number number) const;

    std::size_t capacity_;
    std::vector<Entry> entries_;
    std::array<std::vector<Number>, bands> latest_;  // by band's value
    Number last_ = 0;
};

}  // namespace quarry::crawl
