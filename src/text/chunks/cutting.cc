// Fitted to what three real tokenizers make of texts of 2,000 letters: BERT's English word pieces (what bge
// and most small embedders use), and OpenAI's cl100k and o200k. Estimate divided by count, mean of 10 to 126
// texts:
//
//   abstracts              1.22  1.25  1.27        Russian     0.70  1.41  2.19
//   Node.js documentation  1.08  1.34  1.33        Chinese     1.09  1.13  1.51
//   C++                    1.08  1.41  1.40        Japanese    1.18  1.16  1.57
//   Python                 1.06  1.32  1.31        Korean      0.60  1.02  1.66
//   French                 0.98  1.23  1.41        German      0.80  1.08  1.27
//
// It errs towards too many, since a text that is too long is refused or cut off. It is too low only where an
// English model spells out a language that it does not know. The other languages are Debian's translations.
#include "text/chunks/cutting.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "text/chunks/chunk_markdown.h"

namespace quarry::text {

namespace {

constexpr std::uint64_t word_cost = 12;  // besides its letters

constexpr bool is_letter(unsigned byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

constexpr std::uint8_t byte_cost(unsigned byte) {
    if (is_letter(byte)) return 2;
    if (byte >= '0' && byte <= '9') return 10;
    if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n') return 1;
    if (byte < 0x80) return 16;                  // punctuation
    if (byte < 0xC0) return 1;                   // the rest of a letter
    if (byte >= 0xD0 && byte <= 0xD3) return 9;  // Cyrillic
    if (byte < 0xE0) return 15;                  // accents, Greek, Hebrew, Arabic
    return byte < 0xF0 ? 16 : 29;                // CJK, Thai, Indic; emoji
}

constexpr auto costs = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned byte = 0; byte < 256; ++byte) table[byte] = byte_cost(byte);
    return table;
}();

constexpr auto is_letter_byte = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned byte = 0; byte < 256; ++byte) table[byte] = is_letter(byte);
    return table;
}();

}  // namespace

std::uint64_t token_cost(std::string_view text) {
    std::uint64_t cost = 0, words = 0;
    std::uint8_t before = 0;
    for (const char c : text) {
        const auto byte = static_cast<std::uint8_t>(c);
        cost += costs[byte];
        words += is_letter_byte[byte] & ~before;
        before = is_letter_byte[byte];
    }
    return cost + words * word_cost;
}

int estimate_tokens(std::string_view text) {
    constexpr std::uint64_t most = 0x7FFFFFFF;
    const std::uint64_t tokens = (token_cost(text) + cost_per_token - 1) / cost_per_token;
    return static_cast<int>(tokens < most ? tokens : most);
}

namespace {

constexpr std::string_view abbreviations[] = {
    "al",  "approx", "bzw",  "ca",   "cf",  "ch", "co",  "corp", "dr",  "e.g", "ed", "eds", "eq",
    "etc", "fig",    "figs", "i.e",  "inc", "jr", "ltd", "mr",   "mrs", "ms",  "no", "nr",  "p",
    "pp",  "prof",   "ref",  "refs", "sec", "sr", "st",  "vgl",  "viz", "vol", "vs", "z.b",
};
static_assert(std::ranges::is_sorted(abbreviations));

// 。！？ and the full-width full stop.
bool is_wide_stop(std::string_view text, std::size_t at) {
    const std::string_view letter = text.substr(at, 3);
    return letter == "。" || letter == "！" || letter == "？" || letter == "．";
}

// Behind what closes a sentence after its stop: quotes and brackets.
std::size_t behind_closers(std::string_view text, std::size_t at) {
    for (;;) {
        const std::string_view rest = text.substr(at, 3);
        if (rest.empty()) return at;
        if (std::string_view(".!?\"')]*_`").find(rest[0]) != std::string_view::npos)
            ++at;
        else if (rest == "”" || rest == "’" || rest == "」" || rest == "』" || rest == "）" ||
                 is_wide_stop(text, at))
            at += 3;
        else
            return at;
    }
}

// "Dr." and "e.g." are followed by more of their sentence, and so are initials.
bool is_abbreviation(std::string_view text, std::size_t stop) {
    constexpr std::size_t longest = 6;
    std::size_t begin = stop;
    while (begin > 0 && stop - begin <= longest && !is_ascii_space(text[begin - 1]) && text[begin - 1] != '(')
        --begin;
    const std::size_t size = stop - begin;
    if (size == 0 || size > longest) return false;
    if (size == 1) return text[begin] >= 'A' && text[begin] <= 'Z';
    std::array<char, longest> folded{};
    std::ranges::transform(text.substr(begin, size), folded.begin(), to_ascii_lower);
    return std::ranges::binary_search(abbreviations, std::string_view(folded.data(), size));
}

bool is_stop(char c) {
    return c == '.' || c == '!' || c == '?';
}

// A caption, a name or a date standing alone is no sentence.
bool ends_like_sentence(std::string_view text) {
    while (!text.empty() && std::string_view(")\"'*_`").find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    if (text.ends_with("”") || text.ends_with("’") || text.ends_with("」")) text.remove_suffix(3);
    if (text.empty()) return false;
    return is_stop(text.back()) || (text.size() >= 3 && is_wide_stop(text, text.size() - 3));
}

}  // namespace

std::size_t sentence_end(std::string_view text, std::size_t at) {
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\xE3' || c == '\xEF') {
            if (is_wide_stop(text, at)) return behind_closers(text, at);
            continue;
        }
        if (!is_stop(c)) continue;
        const std::size_t end = behind_closers(text, at);
        if (end >= text.size()) return text.size();
        if (is_ascii_space(text[end]) && (c != '.' || !is_abbreviation(text, at))) return end;
        at = end - 1;
    }
    return text.size();
}

std::size_t cut_within(std::string_view text, std::uint64_t limit) {
    // A letter's cost alone, and that of the word it may begin: adding up bytes is quick and errs upwards.
    std::uint64_t cost = 0;
    std::size_t end = 0, gap = 0;
    bool in_word = false;
    while (end < text.size()) {
        std::size_t next = end + 1;
        while (next < text.size() && next - end < 4 && is_utf8_continuation(text[next])) ++next;
        const std::uint64_t alone = token_cost(text.substr(end, next - end));
        const bool is_letter = is_ascii_letter(text[end]);
        constexpr std::uint64_t inside_word = 2;
        cost += is_letter && in_word ? inside_word : alone;
        if (cost > limit && end > 0) break;
        in_word = is_letter;
        end = next;
        if (is_ascii_space(text[end - 1]) || text[end - 1] == ',' || text[end - 1] == ';') gap = end;
    }
    if (end == text.size()) return end;
    return gap > end / 2 ? gap : end;
}

std::size_t last_sentences(std::string_view text, std::uint64_t limit) {
    if (!ends_like_sentence(text)) return text.size();
    // Every byte costs at least one, so nothing further back can fit. What begins there may be half a
    // sentence.
    const std::size_t from = text.size() > limit ? text.size() - static_cast<std::size_t>(limit) : 0;
    std::size_t begin = from;
    if (from > 0) begin = sentence_end(text, from);
    while (begin < text.size()) {
        while (begin < text.size() && is_ascii_space(text[begin])) ++begin;
        if (token_cost(text.substr(begin)) <= limit) return begin;
        begin = sentence_end(text, begin);
    }
    return text.size();
}

}  // namespace quarry::text
