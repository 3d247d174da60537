#include "text/plainly_english.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ascii.h"

namespace quarry::text {
namespace {

// The words in order of frequency; together a quarter to a third of the words of running text.
constexpr std::string_view small_words[] = {
    "the",  "of",    "and",  "to",    "that",  "for",   "it",    "with",   "be",   "this", "are",
    "or",   "by",    "not",  "which", "from",  "you",   "if",    "have",   "can",  "when", "has",
    "will", "there", "been", "their", "other", "would", "these", "should", "only", "used", "then",
    "than", "any",   "your", "they",  "each",  "must",  "does",  "more"};

constexpr std::size_t longest = 6;

// A short word as a number: its letters, in lower case, one byte each.
constexpr std::uint64_t add_letter(std::uint64_t word, char letter) {
    return word << 8 | (static_cast<unsigned char>(letter) | 0x20U);
}

class WordSet {
public:
    constexpr WordSet() {
        for (const std::string_view spelling : small_words) {
            std::uint64_t word = 0;
            for (const char letter : spelling) word = add_letter(word, letter);
            std::size_t at = slot(word);
            while (slots_[at] != 0) at = (at + 1) % slots_.size();
            slots_[at] = word;
        }
    }

    constexpr bool contains(std::uint64_t word) const {
        for (std::size_t at = slot(word); slots_[at] != 0; at = (at + 1) % slots_.size()) {
            if (slots_[at] == word) return true;
        }
        return false;
    }

private:
    static constexpr std::size_t slot(std::uint64_t word) { return word * 0x9E3779B97F4A7C15U >> 56; }
    std::array<std::uint64_t, 256> slots_{};
};

constexpr WordSet small_word_set;

constexpr bool is_word_byte(char c) {
    return is_ascii_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

struct WordCounts {
    std::size_t words = 0;
    std::size_t small = 0;
};

WordCounts count_words(std::string_view text) {
    WordCounts counts;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!is_word_byte(text[at])) {
            // The address of a link in markdown is in no language.
            if (text[at] == ']' && text.substr(at + 1, 1) == "(")
                at = std::min(text.find(')', at), text.size());
            continue;
        }
        const std::size_t start = at;
        std::uint64_t word = 0;
        for (; at < text.size() && is_word_byte(text[at]); ++at) word = add_letter(word, text[at]);
        ++counts.words;
        counts.small += at - start <= longest && small_word_set.contains(word);
    }
    return counts;
}

}  // namespace

bool is_plainly_english(std::string_view utf8) {
    constexpr std::size_t fewest_words = 20;
    // Half of what running text has: a page that is half something else does not pass.
    constexpr std::size_t least_percent = 14;
    const WordCounts counts = count_words(utf8);
    return counts.words >= fewest_words && counts.small * 100 >= counts.words * least_percent;
}

}  // namespace quarry::text
