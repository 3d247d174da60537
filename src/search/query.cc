#include "search/query.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

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
    if (equals_ignore_case(name, "site") && value.front() != ':') return {.kind = Kind::site, .text = value};
    if (equals_ignore_case(name, "path") && value.front() == '/') return {.kind = Kind::path, .text = value};
    if (equals_ignore_case(name, "lang") && is_language(value))
        return {.kind = Kind::language, .text = value};
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

namespace {

using Kind = QueryPiece::Kind;

constexpr std::size_t longest_query = 8 * 1024, longest_quote = 80;
constexpr std::size_t most_terms = 256;
// What a part of an identifier counts beside the identifier itself, which is far rarer.
constexpr float part_weight = 0.3F;

// Cut where a character ends.
std::string_view bounded(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return text;
    std::size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end);
}

class QueryBuilder {
public:
    explicit QueryBuilder(text::TermReader& reader) : reader_(reader) {}

    void add(const QueryPiece& piece) {
        switch (piece.kind) {
            case Kind::site: return narrow_to_site(query_.filter, piece.text);
            case Kind::path: query_.filter.path_prefix = piece.text; return;
            case Kind::language: query_.filter.language = lower_case(piece.text); return;
            case Kind::word:
            case Kind::phrase: break;
        }
        if (piece.excluded) return exclude(piece.text);
        if (piece.kind == Kind::phrase) require(piece.text);
        query_.text += query_.text.empty() ? "" : " ";
        query_.text += piece.text;
    }

    // Scores what was gathered. Without words if there are none.
    Query finish() {
        count_words(Words::telling);
        if (query_.keywords.words.empty()) count_words(Words::all);
        return std::move(query_);
    }

private:
    enum class Words { telling, all };

    // The words are read together, as a chunk's text is: so they become the same terms.
    void count_words(Words wanted) {
        std::unordered_map<std::string_view, std::size_t> places;
        auto& words = query_.keywords.words;
        words.reserve(most_terms);  // the places' keys point into them
        for (const text::Term& term : reader_.read(query_.text)) {
            if (wanted == Words::telling && text::is_stop_word(term.text)) continue;
            const float weight = term.is_part ? part_weight : 1;
            if (const auto known = places.find(term.text); known != places.end()) {
                words[known->second].weight += weight;
            } else if (words.size() < most_terms) {
                words.push_back({.term = std::string(term.text), .weight = weight});
                places.emplace(words.back().term, words.size() - 1);
            }
        }
    }

    // The index finds the terms; that they follow each other is seen in the text. Stop words are in every
    // chunk: asking the index for them costs much and finds nothing.
    void require(std::string_view phrase) {
        const auto terms = reader_.read(phrase);
        for (const text::Term& term : terms) {
            if (query_.keywords.required.size() >= most_terms) break;
            if (!term.is_part && !text::is_stop_word(term.text))
                query_.keywords.required.emplace_back(term.text);
        }
        if (TermSequence sequence = sequence_of(terms); sequence.size() > 1)
            query_.phrases.push_back(std::move(sequence));
    }

    // A single word, also an identifier, is left out by the index; several that follow each other by their
    // text.
    void exclude(std::string_view text) {
        const auto terms = reader_.read(text);
        if (terms.empty()) return;
        const auto wholes = std::ranges::count_if(terms, [](const auto& term) { return !term.is_part; });
        if (wholes > 1)
            query_.excluded.push_back(sequence_of(terms));
        else
            query_.keywords.excluded.emplace_back(terms.front().text);
    }

    text::TermReader& reader_;
    Query query_;
};

Query read_plain(std::string_view text, text::TermReader& reader) {
    QueryBuilder builder(reader);
    builder.add({.text = text});
    return builder.finish();
}

Query read_typed(std::string_view typed, text::TermReader& reader) {
    QueryBuilder builder(reader);
    for (const QueryPiece& piece : query_pieces(typed)) builder.add(piece);
    Query query = builder.finish();
    const bool only_excludes =
        query.keywords.words.empty() && (!query.excluded.empty() || !query.keywords.excluded.empty());
    // Who asks for -Wall and nothing else asks for that, not for all that lacks it.
    return only_excludes ? read_plain(typed, reader) : query;
}

}  // namespace

Result<Query> parse_query(std::string_view text, Syntax syntax, text::TermReader& reader) {
    const std::string_view read = bounded(text, longest_query);
    Query query = syntax == Syntax::typed ? read_typed(read, reader) : read_plain(read, reader);
    if (!query.keywords.words.empty()) return query;
    return fail(ErrorCode::invalid_argument,
                fmt::format("there is no word to search for in \"{}\"", bounded(read, longest_quote)));
}

void narrow_to_site(index::Filter& filter, std::string_view site) {
    if (const std::size_t scheme = site.find("://"); scheme != std::string_view::npos)
        site.remove_prefix(scheme + 3);
    const std::size_t slash = std::min(site.find('/'), site.size());
    if (slash + 1 < site.size()) filter.path_prefix = site.substr(slash);
    std::string_view host = site.substr(0, slash);
    if (host.starts_with("*.")) host.remove_prefix(2);
    filter.host = lower_case(host.substr(0, host.find(':')));
}

TermSequence sequence_of(std::span<const text::Term> terms) {
    TermSequence sequence;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        // "non-linear" is also "nonlinear", and std::vector also std and vector: the smallest pieces follow
        // each other.
        const bool is_in_pieces =
            i + 1 < terms.size() && terms[i].begin <= terms[i + 1].begin && terms[i + 1].end <= terms[i].end;
        if (!is_in_pieces) sequence.emplace_back(terms[i].text);
    }
    return sequence;
}

}  // namespace quarry::search
