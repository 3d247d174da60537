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

// Letters in lower case; bytes beyond ASCII as they are, and 0 for all that is no part of a word.
constexpr std::array<unsigned char, 256> make_letters() {
    std::array<unsigned char, 256> letters{};
    for (std::size_t byte = 0; byte < letters.size(); ++byte) {
        const bool is_letter = is_ascii_letter(static_cast<char>(byte));
        if (is_letter || byte >= 0x80)
            letters[byte] = static_cast<unsigned char>(is_letter ? byte | 0x20U : byte);
    }
    return letters;
}

constexpr auto letters = make_letters();

constexpr unsigned char letter_of(char byte) {
    return letters[static_cast<unsigned char>(byte)];
}

class WordSet {
public:
    constexpr WordSet() {
        for (const std::string_view spelling : small_words) {
            std::uint64_t word = 0;
            for (const char letter : spelling) word = word << 8 | letter_of(letter);
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

struct WordCounts {
    std::size_t words = 0;
    std::size_t small = 0;
    std::size_t beyond_ascii = 0;  // bytes of words
};

// Code and the addresses of links, as markdown writes them, are in no language: the place after them.
std::size_t skip_markup(std::string_view text, std::size_t at) {
    if (text[at] == ']' && text.substr(at + 1, 1) == "(") return std::min(text.find(')', at), text.size());
    if (text[at] != '`') return at + 1;
    const std::size_t end = std::min(text.find_first_not_of('`', at), text.size());
    return std::min(text.find(text.substr(at, end - at), end), text.size()) + (end - at);
}

WordCounts count_words(std::string_view text) {
    WordCounts counts;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t start = at;
        // A short word as a number: its letters one byte each.
        std::uint64_t word = letter_of(text[at]);
        if (word == 0) {
            at = skip_markup(text, at);
            continue;
        }
        unsigned char letter = 0;
        counts.beyond_ascii += word >> 7;
        while (++at < text.size() && (letter = letter_of(text[at])) != 0) {
            word = word << 8 | letter;
            counts.beyond_ascii += letter >> 7;
        }
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
    // Scripts without spaces have long words, and so few that a borrowed "for" or two weigh much.
    if (counts.beyond_ascii * 20 > utf8.size()) return false;
    return counts.words >= fewest_words && counts.small * 100 >= counts.words * least_percent;
}

}  // namespace quarry::text
