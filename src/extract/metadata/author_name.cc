#include "extract/metadata/author_name.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "extract/metadata/month_names.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

constexpr std::size_t max_author_bytes = 200;

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (text.size() <= prefix.size() || !same_letters(text.substr(0, prefix.size()), prefix)) return false;
    text = trimmed(text.substr(prefix.size()));
    return true;
}

std::string_view without_preposition(std::string_view text, NameSource source) {
    static constexpr std::array in_bylines{
        std::string_view{"written by "}, std::string_view{"posted by "}, std::string_view{"post by "},
        std::string_view{"words by "},   std::string_view{"story by "},  std::string_view{"published by "},
        std::string_view{"author: "},    std::string_view{"authors: "},  std::string_view{"author "},
        std::string_view{"von "},        std::string_view{"par "},       std::string_view{"por "},
        std::string_view{"door "},       std::string_view{"text: "},     std::string_view{"текст: "},
    };
    if (take_prefix(text, "by: ") || take_prefix(text, "by ")) return text;
    if (source == NameSource::value) return text;
    for (const std::string_view prefix : in_bylines) {
        if (take_prefix(text, prefix)) break;
    }
    return text;
}

bool is_weekday(std::string_view word) {
    static constexpr std::array days{
        std::string_view{"mon"}, std::string_view{"tue"}, std::string_view{"wed"}, std::string_view{"thu"},
        std::string_view{"fri"}, std::string_view{"sat"}, std::string_view{"sun"}};
    return word == "monday" || word == "tuesday" || word == "wednesday" || word == "thursday" ||
           word == "friday" || word == "saturday" || word == "sunday" ||
           std::ranges::find(days, word) != days.end();
}

std::string_view without_punctuation_at_end(std::string_view text) {
    while (!text.empty() && std::string_view(" ,:;.-").find(text.back()) != std::string_view::npos) {
        // "Jr." and "F." are parts of names.
        if (text.back() == '.' && text.size() >= 2 && text[text.size() - 2] != ' ') break;
        text.remove_suffix(1);
    }
    return text;
}

// A number cut off at the end was often that of a date: its month and weekday go too.
std::string_view without_date_words(std::string_view text) {
    while (true) {
        text = without_punctuation_at_end(text);
        const std::size_t start = text.rfind(' ');
        if (start == std::string_view::npos) return text;
        std::string word = lower_case(text.substr(start + 1));
        if (word.ends_with('.')) word.pop_back();
        if (!month_number(word) && !is_weekday(word) && word != "on") return text;
        text = text.substr(0, start);
    }
}

// Where a word of digits begins. Digits inside a word belong to the names people give themselves: "paulb203".
std::size_t number_in(std::string_view text) {
    for (std::size_t at = text.find_first_of("0123456789"); at != std::string_view::npos;
         at = text.find_first_of("0123456789", at + 1)) {
        if (at == 0 || text[at - 1] == ' ' || text[at - 1] == ',') return at;
    }
    return text.size();
}

// Up to what no name holds: a number, a bar, a bullet, a bracket.
std::string_view up_to_separator(std::string_view text) {
    const std::size_t number = number_in(text);
    std::size_t end = std::min(text.find_first_of("|/()<>[]{}"), number);
    for (const std::string_view mark : {"•", "·", "—", "»", " – ", " - ", " on ", " @", " Updated:"}) {
        end = std::min(end, text.find(mark));
    }
    text = text.substr(0, end);
    return end == number ? without_date_words(text) : without_punctuation_at_end(text);
}

// Not a URL, a handle or a mail address.
bool may_be_name(std::string_view text) {
    const bool is_url = text.find("://") != std::string_view::npos || text.starts_with("www.");
    const std::size_t at_sign = text.find('@');
    const bool is_address = at_sign != std::string_view::npos && (at_sign == 0 || text[at_sign - 1] != ' ');
    return !is_url && !is_address;
}

bool has_letter(std::string_view text) {
    return std::ranges::any_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    });
}

}  // namespace

std::string author_name(std::string_view text, NameSource source) {
    const std::string line = one_line(text, max_author_bytes);
    if (!may_be_name(line)) return {};
    const std::string_view name = up_to_separator(without_preposition(line, source));
    constexpr int most_blanks = 11;  // four people with three names each
    const bool is_short_enough = std::ranges::count(name, ' ') <= most_blanks;
    return name.size() > 1 && is_short_enough && has_letter(name) ? std::string(name) : std::string{};
}

}  // namespace quarry::extract
