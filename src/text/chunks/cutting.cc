#include "text/chunks/cutting.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "text/chunks/token_cost.h"

namespace quarry::text {
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
