#include "search/query_pieces.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace quarry::search {
namespace {

using Kind = QueryPiece::Kind;

// Straight, and as word processors and phones make them.
constexpr std::array<std::string_view, 5> quote_marks{"\"", "“", "”", "„", "«"};
constexpr std::array<std::string_view, 5> closing_marks{"\"", "”", "”", "“", "»"};

// "de", "pt-BR": longer words after lang: are words, not languages.
bool is_language(std::string_view text) {
    const std::string_view name = text.substr(0, text.find('-'));
    return name.size() >= 2 && name.size() <= 3 && std::ranges::all_of(name, is_ascii_letter);
}

// What an operator narrows to, if the word is one: "site:" followed by something that can be a site.
QueryPiece operator_or_word(std::string_view word) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || colon + 1 == word.size()) return {.text = word};
    const std::string_view name = word.substr(0, colon), value = word.substr(colon + 1);
    if (same_letters(name, "site") && value.front() != ':') return {.kind = Kind::site, .text = value};
    if (same_letters(name, "path") && value.front() == '/') return {.kind = Kind::path, .text = value};
    if (same_letters(name, "lang") && is_language(value)) return {.kind = Kind::language, .text = value};
    return {.text = word};
}

class Cutter {
public:
    explicit Cutter(std::string_view typed) : rest_(typed) {}

    std::vector<QueryPiece> cut() {
        while (skip_space()) cut_piece();
        return std::move(pieces_);
    }

private:
    bool skip_space() {
        while (!rest_.empty() && is_ascii_space(rest_.front())) rest_.remove_prefix(1);
        return !rest_.empty();
    }

    void cut_piece() {
        const bool excluded = takes_minus();
        if (const auto mark = quote_at(rest_); mark != quote_marks.size()) {
            rest_.remove_prefix(quote_marks[mark].size());
            add({.kind = Kind::phrase, .excluded = excluded, .text = until_closed(closing_marks[mark])});
            return;
        }
        QueryPiece piece = operator_or_word(until_space());
        piece.excluded = excluded;
        // There is no narrowing away from a site: said of one, the minus is one of a word.
        if (excluded && piece.kind != Kind::word) piece = {.excluded = true, .text = piece.text};
        add(piece);
    }

    // A minus that touches what follows it but not what precedes it. A number keeps its sign, and two minus
    // begin an option of a program: both are words.
    bool takes_minus() {
        if (rest_.size() < 2 || rest_[0] != '-') return false;
        const char next = rest_[1];
        if (next == '-' || is_ascii_space(next) || is_ascii_digit(next)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    static std::size_t quote_at(std::string_view text) {
        return static_cast<std::size_t>(
            std::ranges::find_if(quote_marks, [&](auto mark) { return text.starts_with(mark); }) -
            quote_marks.begin());
    }

    std::string_view until_closed(std::string_view mark) {
        const std::size_t end = std::min(rest_.find(mark), rest_.size());
        const std::string_view text = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + mark.size(), rest_.size()));
        return text;
    }

    std::string_view until_space() {
        const std::size_t end = std::min(rest_.find_first_of(ascii_white_space), rest_.size());
        const std::string_view word = rest_.substr(0, end);
        rest_.remove_prefix(end);
        return word;
    }

    void add(const QueryPiece& piece) {
        if (!trimmed(piece.text).empty()) pieces_.push_back(piece);
    }

    std::string_view rest_;
    std::vector<QueryPiece> pieces_;
};

}  // namespace

std::vector<QueryPiece> query_pieces(std::string_view typed) {
    return Cutter(typed).cut();
}

}  // namespace quarry::search
