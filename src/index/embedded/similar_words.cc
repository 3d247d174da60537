#include "index/embedded/similar_words.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

#include "index/embedded/merge.h"
#include "index/embedded/postings.h"
#include "index/embedded/terms_at_rest.h"

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

// The words that begin with these letters, with how many chunks they are in.
class Vocabulary {
public:
    explicit Vocabulary(std::string_view prefix) : prefix_(prefix) {}

    Result<void> add(std::unique_ptr<TermCursor> cursor) {
        while (TRY(cursor->next())) {
            if (!cursor->term().starts_with(prefix_)) {
                if (cursor->term() > prefix_) break;
                continue;
            }
            if (cursor->term().size() > longest) continue;
            const auto count = posting_count(cursor->postings());
            const auto found = words_.find(cursor->term());
            if (found != words_.end()) {
                found->second += count;
            } else {
                words_.emplace(std::string(cursor->term()), count);
            }
        }
        return {};
    }
    const auto& words() const { return words_; }

private:
    std::string_view prefix_;
    std::map<std::string, std::int64_t, std::less<>> words_;
};

}  // namespace

int slips_between(std::string_view a, std::string_view b, int most) {
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
    const std::string prefix(first_letter(word));
    Vocabulary vocabulary(prefix);
    for (const auto& part : sources.parts) {
        const std::size_t first = part->lower_bound(prefix);
        const std::string before = first == 0 ? "" : std::string(part->term(first - 1));
        TRY(vocabulary.add(open_part(*part, before)));
    }
    for (const Segment& segment : sources.segments) {
        auto cursor = TRY(open_segment(rows.connection(), segment.id, prefix));
        TRY(vocabulary.add(std::move(cursor)));
    }

    struct Similar {
        int slips;
        std::int64_t chunks;
        const std::string* word;
    };
    const int most = letters < 6 ? 1 : 2;
    std::vector<Similar> similar;
    for (const auto& [other, chunks] : vocabulary.words()) {
        const int slips = slips_between(word, other, most);
        if (slips > 0 && slips <= most) similar.push_back({slips, chunks, &other});
    }
    std::ranges::sort(similar, [](const Similar& a, const Similar& b) {
        return a.slips != b.slips ? a.slips < b.slips : a.chunks > b.chunks;
    });
    std::vector<std::string> words;
    for (const Similar& found : similar) {
        if (words.size() == static_cast<std::size_t>(limit)) break;
        words.push_back(*found.word);
    }
    return words;
}

}  // namespace quarry::index
