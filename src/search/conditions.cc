#include "search/conditions.h"

#include <algorithm>
#include <unordered_set>

namespace quarry::search {
namespace {

// Looks at one text after the other and remembers what of the query it saw.
class Examination {
public:
    Examination(const Query& query, text::TermReader& reader)
        : query_(query), reader_(reader), seen_phrases_(query.phrases.size()) {
        for (const std::string& term : query.keywords.required) missing_.insert(term);
        for (const std::string& term : query.keywords.excluded) unwanted_.insert(term);
    }

    // False if something is there that must not be.
    bool look_at(std::string_view text) {
        const auto terms = reader_.read(text);
        for (const text::Term& term : terms) {
            if (unwanted_.contains(term.text)) return false;
            missing_.erase(term.text);
        }
        if (!query_.needs_text()) return true;
        const TermSequence sequence = sequence_of(terms);
        for (std::size_t i = 0; i < seen_phrases_.size(); ++i)
            seen_phrases_[i] = seen_phrases_[i] || has(sequence, query_.phrases[i]);
        return std::ranges::none_of(query_.excluded,
                                    [&](const TermSequence& phrase) { return has(sequence, phrase); });
    }

    bool saw_all() const {
        return missing_.empty() && std::ranges::all_of(seen_phrases_, [](bool seen) { return seen; });
    }

private:
    static bool has(const TermSequence& sequence, const TermSequence& phrase) {
        return !std::ranges::search(sequence, phrase).empty();
    }

    const Query& query_;
    text::TermReader& reader_;
    std::vector<bool> seen_phrases_;
    std::unordered_set<std::string_view> missing_, unwanted_;
};

}  // namespace

bool has_conditions(const Query& query) {
    return query.needs_text() || !query.keywords.required.empty() || !query.keywords.excluded.empty();
}

bool meets(const Query& query, const index::FoundChunk& found, text::TermReader& reader) {
    Examination examination(query, reader);
    if (!examination.look_at(found.label.title)) return false;
    for (const std::string& heading : found.chunk.headings) {
        if (!examination.look_at(heading)) return false;
    }
    return examination.look_at(found.chunk.text) && examination.saw_all();
}

}  // namespace quarry::search
