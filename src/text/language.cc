#include "text/language.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

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

namespace {

// A page's language shows in its first screens; CLD2 needs about 1 ms for this much.
constexpr std::size_t sample_bytes = 32 * 1024;
// Of most pages two short passages, from the beginning and from the middle, say as much.
constexpr std::size_t passage_bytes = 1024;
constexpr int sure_percent = 95;
// CLD2 looks a few bytes ahead without asking where the buffer ends.
constexpr std::size_t padding_bytes = 16;
// Below this many bytes of letters CLD2's guesses are no better than chance for related languages.
constexpr int fewest_text_bytes = 32;
// Less than half of the text in one language is a mixed page.
constexpr int least_percent = 50;

// At most so many bytes from the place on, without cutting a character.
std::string_view passage(std::string_view text, std::size_t start, std::size_t size) {
    while (start < text.size() && is_utf8_continuation(text[start])) ++start;
    text.remove_prefix(start);
    size = std::min(text.size(), size);
    while (size > 0 && size < text.size() && is_utf8_continuation(text[size])) --size;
    return text.substr(0, size);
}

struct Verdict {
    CLD2::Language language = CLD2::UNKNOWN_LANGUAGE;
    bool is_reliable = false;
    int percent = 0;
    int text_bytes = 0;
    int valid_bytes = 0;
};

Verdict look_at(std::string_view sample) {
    Verdict verdict;
    std::array<CLD2::Language, 3> languages{};
    std::array<int, 3> percents{};
    std::array<double, 3> scores{};
    const CLD2::CLDHints no_hints = {nullptr, nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
    CLD2::ExtDetectLanguageSummaryCheckUTF8(sample.data(), static_cast<int>(sample.size()), true, &no_hints,
                                            0, languages.data(), percents.data(), scores.data(), nullptr,
                                            &verdict.text_bytes, &verdict.is_reliable, &verdict.valid_bytes);
    verdict.language = languages[0];
    verdict.percent = percents[0];
    return verdict;
}

// CLD2 stops at control characters as it does at broken UTF-8, so they become spaces here.
Verdict ask_cld2(std::string sample) {
    std::ranges::replace_if(
        sample, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; }, ' ');
    sample.append(padding_bytes, ' ');
    const Verdict verdict = look_at(sample);
    if (static_cast<std::size_t>(verdict.valid_bytes) >= sample.size()) return verdict;
    sample.resize(static_cast<std::size_t>(verdict.valid_bytes));
    sample.append(padding_bytes, ' ');
    return look_at(sample);
}

// CLD2 knows some languages by codes that have been replaced since.
std::string_view current_code(std::string_view code) {
    struct Replaced {
        std::string_view old_code, code;
    };
    static constexpr Replaced replaced[] = {
        {"iw", "he"}, {"jw", "jv"}, {"in", "id"}, {"mo", "ro"}, {"zh", "zh-Hans"}};
    const auto* found = std::ranges::find(replaced, code, &Replaced::old_code);
    return found == std::end(replaced) ? code : found->code;
}

constexpr char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
}

// "en-US" in parts; empty if a part is no subtag.
std::vector<std::string> split_tag(std::string_view tag) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = tag.find_first_of("-_");
        const std::string_view part = tag.substr(0, end);
        const bool is_subtag = !part.empty() && part.size() <= 8 && std::ranges::all_of(part, [](char c) {
            return is_ascii_letter(c) || is_ascii_digit(c);
        });
        if (!is_subtag) return {};
        parts.emplace_back(part);
        std::ranges::transform(parts.back(), parts.back().begin(), to_ascii_lower);
        if (end == std::string_view::npos) return parts;
        tag.remove_prefix(end + 1);
    }
}

// The code of the language, or "" if the verdict is not to be trusted.
std::string code_of(const Verdict& verdict) {
    if (!verdict.is_reliable || verdict.percent < least_percent || verdict.text_bytes < fewest_text_bytes)
        return {};
    const std::string_view code = CLD2::LanguageCode(verdict.language);
    if (code == "un" || code.starts_with("xx")) return {};
    return std::string(current_code(code));
}

std::string_view middle_of(std::string_view text, std::size_t size) {
    return passage(text, std::min(text.size(), sample_bytes) / 2, size);
}

// Two glimpses are enough for most pages; pages with much code need a longer look.
bool is_english_throughout(std::string_view text) {
    constexpr std::size_t glimpse_bytes = 512, look_bytes = 8 * 1024;
    const bool is_long = text.size() > 4 * glimpse_bytes;
    if (is_long && is_plainly_english(passage(text, 0, glimpse_bytes)) &&
        is_plainly_english(middle_of(text, glimpse_bytes)))
        return true;
    return is_plainly_english(passage(text, 0, look_bytes));
}

}  // namespace

std::string detect_language(std::string_view utf8) {
    if (is_english_throughout(utf8)) return "en";
    if (utf8.size() > 4 * passage_bytes) {
        const std::string passages =
            std::string(passage(utf8, 0, passage_bytes)) + ' ' + std::string(middle_of(utf8, passage_bytes));
        const Verdict verdict = ask_cld2(passages);
        if (verdict.percent >= sure_percent && !code_of(verdict).empty()) return code_of(verdict);
    }
    return code_of(ask_cld2(std::string(passage(utf8, 0, sample_bytes))));
}

std::string normalise_language_tag(std::string_view tag) {
    std::vector<std::string> parts = split_tag(trimmed(tag));
    if (parts.empty() || parts[0].size() < 2 || parts[0].size() > 3 ||
        !std::ranges::all_of(parts[0], is_ascii_letter)) {
        return {};
    }
    std::string normalised = parts[0];
    bool in_extension = false;  // behind "-x-" or "-u-" everything stays in lower case
    for (std::size_t i = 1; i < parts.size(); ++i) {
        std::string& part = parts[i];
        if (part.size() == 1) in_extension = true;
        const bool is_region = part.size() == 2 && std::ranges::all_of(part, is_ascii_letter);
        const bool is_script = part.size() == 4 && is_ascii_letter(part[0]);
        if (is_region && !in_extension) std::ranges::transform(part, part.begin(), upper);
        if (is_script && !in_extension) part[0] = upper(part[0]);
        normalised += '-' + part;
    }
    return normalised;
}

}  // namespace quarry::text
