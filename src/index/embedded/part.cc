#include "index/embedded/part.h"

#include <algorithm>
#include <bit>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace quarry::index {

namespace {

// The first eight letters as a number that is ordered as they are: it settles most comparisons.
std::uint64_t beginning(std::string_view term) {
    std::uint64_t letters = 0;
    std::memcpy(&letters, term.data(), std::min<std::size_t>(term.size(), 8));
    if constexpr (std::endian::native == std::endian::little) letters = __builtin_bswap64(letters);
    return letters;
}

}  // namespace

std::string_view Part::term(std::size_t at) const {
    const std::uint32_t begin = at == 0 ? 0 : ends_[at - 1].letters;
    return std::string_view(letters_).substr(begin, ends_[at].letters - begin);
}

std::string_view Part::postings(std::size_t at) const {
    const std::uint32_t begin = at == 0 ? 0 : ends_[at - 1].bytes;
    return std::string_view(bytes_).substr(begin, ends_[at].bytes - begin);
}

std::size_t Part::lower_bound(std::string_view wanted) const {
    std::size_t from = 0, to = terms();
    while (from < to) {
        const std::size_t middle = from + (to - from) / 2;
        if (term(middle) < wanted) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

std::string_view Part::find(std::string_view wanted) const {
    const std::size_t at = lower_bound(wanted);
    if (at == terms() || term(at) != wanted) return {};
    return postings(at);
}

void Part::append(std::string_view term, std::string_view postings) {
    letters_.append(term);
    bytes_.append(postings);
    ends_.push_back({static_cast<std::uint32_t>(letters_.size()), static_cast<std::uint32_t>(bytes_.size())});
}

PartBuilder::PartBuilder() : table_(1'024) {}

std::string_view PartBuilder::text(std::uint32_t word) const {
    return std::string_view(letters_).substr(words_[word].begin, words_[word].size);
}

std::uint32_t PartBuilder::number_of(std::string_view term) {
    const std::uint64_t hash = XXH3_64bits(term.data(), term.size());
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash & mask;
    for (; table_[at] != 0; at = (at + 1) & mask) {
        const std::uint32_t word = table_[at] - 1;
        if (words_[word].hash == hash && text(word) == term) return word;
    }
    words_.push_back({.hash = hash,
                      .begin = static_cast<std::uint32_t>(letters_.size()),
                      .size = static_cast<std::uint32_t>(term.size())});
    letters_.append(term);
    table_[at] = static_cast<std::uint32_t>(words_.size());
    if (words_.size() * 2 > table_.size()) widen();
    return static_cast<std::uint32_t>(words_.size() - 1);
}

void PartBuilder::widen() {
    std::vector<std::uint32_t> wider(table_.size() * 2);
    for (std::uint32_t word = 0; word < words_.size(); ++word) {
        std::size_t at = words_[word].hash & (wider.size() - 1);
        while (wider[at] != 0) at = (at + 1) & (wider.size() - 1);
        wider[at] = word + 1;
    }
    table_ = std::move(wider);
}

void PartBuilder::add(Slot slot, const std::vector<text::TermCount>& terms) {
    slots_.push_back(slot);
    for (const text::TermCount& counted : terms) {
        const std::uint32_t word = number_of(counted.term);
        ++words_[word].count;
        entries_.push_back({.term = word, .posting = {.slot = slot, .count = counted.count}});
    }
}

std::vector<std::uint32_t> PartBuilder::words_in_order() const {
    struct Key {
        std::uint64_t beginning;
        std::uint32_t word;
    };
    std::vector<Key> keys;
    keys.reserve(words_.size());
    for (std::uint32_t word = 0; word < words_.size(); ++word) keys.push_back({beginning(text(word)), word});
    std::ranges::sort(keys, [this](const Key& a, const Key& b) {
        return a.beginning != b.beginning ? a.beginning < b.beginning : text(a.word) < text(b.word);
    });
    std::vector<std::uint32_t> words;
    words.reserve(keys.size());
    for (const Key& key : keys) words.push_back(key.word);
    return words;
}

std::shared_ptr<const Part> PartBuilder::finish() {
    // Gathers each word's postings by counting, so that they stay in the order they came: by slot.
    std::vector<std::uint32_t> ends(words_.size());
    std::uint32_t total = 0;
    for (std::size_t word = 0; word < words_.size(); ++word) {
        ends[word] = total;
        total += words_[word].count;
    }
    std::vector<Posting> gathered(total);
    for (const Entry& entry : entries_) gathered[ends[entry.term]++] = entry.posting;

    auto part = std::make_shared<Part>();
    std::vector<Posting> postings;
    std::string bytes;
    for (const std::uint32_t word : words_in_order()) {
        postings.clear();
        for (std::uint32_t at = ends[word] - words_[word].count; at < ends[word]; ++at) {
            // A bag names a term once; if one did not, the counts add up.
            if (!postings.empty() && postings.back().slot == gathered[at].slot) {
                postings.back().count += gathered[at].count;
            } else {
                postings.push_back(gathered[at]);
            }
        }
        bytes.clear();
        pack_postings(postings, bytes);
        part->append(text(word), bytes);
    }
    part->set_slots(std::move(slots_));
    return part;
}

}  // namespace quarry::index
