#include "base/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace quarry {
namespace {

// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
std::size_t typing_errors(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), current(b.size() + 1);
    std::iota(last.begin(), last.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({last[j] + 1, current[j - 1] + 1, substitution});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
        }
        before_last.swap(last);
        last.swap(current);
    }
    return last[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, std::span<const std::string> candidates) {
    constexpr std::size_t longest_word = 64;  // Longer "words" are not typing errors; this bounds the work.
    if (word.size() > longest_word) return {};
    std::string best;
    const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
    std::size_t fewest = (word.size() - dashes) / 3 + 2;  // One error in three letters, and one for luck.
    for (const std::string& candidate : candidates) {
        const std::size_t errors = typing_errors(word, candidate);
        if (errors < fewest) {
            fewest = errors;
            best = candidate;
        }
    }
    return best;
}

}  // namespace quarry
