#include "index/embedded/similar_words.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

#include "index/embedded/merging.h"
#include "index/embedded/postings.h"
#include "index/embedded/segments.h"

namespace quarry::index {

namespace {

// Longer ones are no words that somebody mistypes.
constexpr std::size_t longest = 40;

std::u32string letters_of(std::string_view text) {
    std::u32string letters;
    for (std::size_t at = 0; at < text.size();) {
        char32_t letter = static_cast<std::uint8_t>(text[at++]);
        while (at < text.size() && (static_cast<std::uint8_t>(text[at]) & 0xc0) == 0x80) {
            letter = (letter << 6) | (static_cast<std::uint8_t>(text[at++]) & 0x3f);
        }
        letters.push_back(letter);
    }
    return letters;
}

// Bytes of the first character.
std::string_view first_letter(std::string_view word) {
    std::size_t size = 1;
    while (size < word.size() && (static_cast<std::uint8_t>(word[size]) & 0xc0) == 0x80) ++size;
    return word.substr(0, std::min(size, word.size()));
}

struct Similar {
    int slips = 0;
    std::int64_t chunks = 0;
};

// Words that begin with the same letter as the one that was typed, if they are like it.
class SimilarWords {
public:
    SimilarWords(std::string_view typed, int most) : typed_(typed), most_(most) {}

    std::string_view prefix() const { return first_letter(typed_); }

    Result<void> add(std::unique_ptr<TermCursor> cursor) {
        while (TRY(cursor->next())) {
            const std::string_view term = cursor->term();
            if (term < prefix()) continue;
            if (!term.starts_with(prefix())) break;
            if (term.size() > longest || term == typed_) continue;
            const int slips = slips_between(typed_, term, most_);
            if (slips > most_) continue;
            Similar& similar = words_[std::string(term)];
            similar.slips = slips;
            similar.chunks += posting_count(cursor->postings());
        }
        return {};
    }

    // The fewest slips first, then the most frequent.
    std::vector<std::string> best(std::size_t limit) const {
        std::vector<std::pair<Similar, std::string>> all;
        for (const auto& [word, similar] : words_) all.emplace_back(similar, word);
        std::ranges::stable_sort(all, [](const auto& a, const auto& b) {
            return a.first.slips != b.first.slips ? a.first.slips < b.first.slips
                                                  : a.first.chunks > b.first.chunks;
        });
        std::vector<std::string> words;
        for (const auto& [similar, word] : all) {
            if (words.size() < limit) words.push_back(word);
        }
        return words;
    }

private:
    std::string_view typed_;
    int most_;
    std::map<std::string, Similar, std::less<>> words_;
};

}  // namespace

int slips_between(std::string_view a, std::string_view b, int most) {
    // A character has four bytes at most: most words are told apart by this alone.
    const std::size_t longer = std::max(a.size(), b.size()), shorter = std::min(a.size(), b.size());
    if (longer - shorter > 4 * static_cast<std::size_t>(most)) return most + 1;
    const std::u32string from = letters_of(a), to = letters_of(b);
    const auto difference = static_cast<std::ptrdiff_t>(from.size()) - static_cast<std::ptrdiff_t>(to.size());
    if (difference > most || -difference > most) return most + 1;
    std::vector<int> before(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
    for (std::size_t j = 0; j <= to.size(); ++j) last[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= from.size(); ++i) {
        row[0] = static_cast<int>(i);
        int least = row[0];
        for (std::size_t j = 1; j <= to.size(); ++j) {
            row[j] =
                std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1)});
            const bool are_swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if (are_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
            least = std::min(least, row[j]);
        }
        if (least > most) return most + 1;
        before = std::exchange(last, std::exchange(row, std::move(before)));
    }
    return std::min(last[to.size()], most + 1);
}

Result<std::vector<std::string>> find_similar_words(ReadConnection& rows, const Sources& sources,
                                                    const std::string& word, int limit) {
    const std::size_t letters = letters_of(word).size();
    if (letters < 3 || word.size() > longest || limit <= 0) return std::vector<std::string>();
    SimilarWords similar(word, letters < 6 ? 1 : 2);
    for (const auto& part : sources.parts) {
        const std::size_t first = part->lower_bound(similar.prefix());
        TRY(similar.add(open_part(*part, first == 0 ? std::string_view() : part->term(first - 1))));
    }
    for (const Segment& segment : sources.segments) {
        auto cursor = TRY(open_segment(rows.connection(), segment.id, std::string(similar.prefix())));
        TRY(similar.add(std::move(cursor)));
    }
    return similar.best(static_cast<std::size_t>(limit));
}

}  // namespace quarry::index
