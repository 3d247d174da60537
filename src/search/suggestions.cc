#include "search/suggestions.h"

#include <algorithm>
#include <map>

#include "base/ascii.h"

namespace quarry::search {
namespace {

constexpr int most_suggestions = 3;
constexpr std::size_t most_words_asked = 8;  // each costs a look through the vocabulary

class Speller {
public:
    Speller(index::Index& index, const Misspelled& misspelled, text::TermReader& reader)
        : index_(index), misspelled_(misspelled), reader_(reader) {}

    Result<std::vector<std::string>> suggest() {
        for (const std::string& term : TRY(unknown_terms())) {
            auto words = TRY(similar_to(term));
            if (!words.empty()) respelled_.emplace(term, std::move(words));
        }
        std::vector<std::string> suggestions;
        for (std::size_t n = 0; n < most_suggestions && !respelled_.empty(); ++n) {
            std::string suggestion = spelled_anew(n);
            if (std::ranges::find(suggestions, suggestion) == suggestions.end())
                suggestions.push_back(std::move(suggestion));
        }
        return suggestions;
    }

private:
    Result<std::vector<std::string>> unknown_terms() {
        std::vector<std::string> unknown;
        for (const auto& word : misspelled_.query.keywords.words) {
            if (unknown.size() >= most_words_asked) break;
            if (misspelled_.known.contains(word.term)) continue;
            if (TRY(chunks_with(word.term)).empty()) unknown.push_back(word.term);
        }
        return unknown;
    }

    Result<std::vector<index::Scored>> chunks_with(const std::string& term) {
        return index_.match(misspelled_.collection, {.words = {{.term = term}}}, {}, 1);
    }

    // As a text of the collection spells them: the index knows "instal", a person wants "installation".
    Result<std::vector<std::string>> similar_to(const std::string& term) {
        std::vector<std::string> words;
        for (const std::string& similar :
             TRY(index_.similar_words(misspelled_.collection, term, most_suggestions))) {
            std::string word = TRY(as_written(similar));
            if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
        }
        return words;
    }

    Result<std::string> as_written(const std::string& term) {
        const auto found = TRY(chunks_with(term));
        if (found.empty()) return term;
        const ChunkRef ref = found.front().chunk;
        for (const index::FoundChunk& chunk : TRY(index_.read(misspelled_.collection, std::span(&ref, 1)))) {
            if (std::string word = word_in(chunk.chunk.text, term); !word.empty()) return word;
            if (std::string word = word_in(chunk.label.title, term); !word.empty()) return word;
        }
        return term;
    }

    std::string word_in(const std::string& text, const std::string& term) {
        for (const text::Term& read : reader_.read(text)) {
            if (read.text == term)
                return lower_case(std::string_view(text).substr(read.begin, read.end - read.begin));
        }
        return "";
    }

    // The query with the nth choice for each unknown word, or its last.
    std::string spelled_anew(std::size_t n) {
        const std::string& typed = misspelled_.typed;
        std::string spelled;
        std::size_t at = 0;
        for (const text::Term& term : reader_.read(typed)) {
            const auto choices = respelled_.find(term.text);
            if (choices == respelled_.end() || term.begin < at) continue;
            spelled.append(typed, at, term.begin - at);
            spelled += choices->second[std::min(n, choices->second.size() - 1)];
            at = term.end;
        }
        return spelled.append(typed, at);
    }

    index::Index& index_;
    const Misspelled& misspelled_;
    text::TermReader& reader_;
    std::map<std::string, std::vector<std::string>, std::less<>> respelled_;  // by term
};

}  // namespace

Result<std::vector<std::string>> suggest_spellings(index::Index& index, const Misspelled& misspelled,
                                                   text::TermReader& reader) {
    return Speller(index, misspelled, reader).suggest();
}

}  // namespace quarry::search
