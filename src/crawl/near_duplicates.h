// Pages that say nearly the same: print versions, the same article under two addresses, a list with another
// date on top. A simhash (Charikar 2002) is 64 bits of a text in which nearly equal texts differ in few.
// NearDuplicates knows which page of a crawl said nearly the same before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/frontier.h"

namespace quarry::crawl {

// The simhash of a document's markdown or plain text, taken over every run of three words. Letter case,
// punctuation and the targets of links make no difference. Words are separated by characters that are neither
// letters nor digits. In a script without spaces between words, every character is a word. At most the first
// and the last 256 KB are read.
//
// The hash is 0 for texts of under 30 words: if two short pages differ in one word, that word matters. The
// caller compares the texts themselves when it finds 0.
std::uint64_t simhash(std::string_view text);

// The number of bits in which the two differ. Up to 3 of 64 means nearly the same text.
int simhash_distance(std::uint64_t one, std::uint64_t other);

// Finds simhashes within 3 bits, or within 1 if the titles differ: the pages of a reference are made from one
// template and say much the same, but the title of each names its subject. Of four bands of 16 bits, at least
// one is the same in both hashes. So only pages that share a band are compared: a few out of a hundred
// thousand.
//
// Memory is bounded: 48 bytes a page, and beyond `capacity` pages the oldest are forgotten. Time is bounded
// as well: at most a few hundred pages of each band are compared, the latest first. Used by one thread at a
// time.
class NearDuplicates {
public:
    static constexpr int largest_distance = 3, largest_distance_of_others = 1;

    explicit NearDuplicates(std::size_t capacity = 100'000);

    // Returns the page that this one nearly repeats. If there is no such page, this page is remembered.
    // Otherwise it is not, so that all copies name one original, and a row of small changes does not lead
    // from one page to a quite different one. A hash of 0 (see simhash()) is near nothing. A page is not near
    // itself.
    std::optional<UrlKey> add(std::uint64_t hash, std::string_view title, const UrlKey& page);

    std::size_t size() const { return entries_.size(); }

private:
    static constexpr std::size_t bands = 4;

    // Pages are numbered from 1 as they come. A page's entry is overwritten `capacity` pages later. The
    // number then shows that a link to the page is dead, so nothing has to be unlinked.
    using Number = std::uint32_t;
    struct Entry {
        std::uint64_t hash = 0, title = 0;  // the title's is an ordinary hash
        UrlKey page{};
        std::array<Number, bands> before{};  // the page before in the same band
    };

    const Entry* find(const Entry& page) const;
    void remember(Entry page);
    const Entry* entry(Number number) const;

    std::size_t capacity_;
    std::vector<Entry> entries_;
    std::array<std::vector<Number>, bands> latest_;  // by band's value
    Number last_ = 0;
};

}  // namespace quarry::crawl
