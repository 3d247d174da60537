#include "extract/metadata/icon.h"

#include <charconv>
#include <limits>

#include "base/ascii.h"
#include "extract/metadata/base_url.h"

namespace quarry::extract {

namespace {

// Of sizes="16x16 32x32" the largest; "any" is larger than all; 1 if nothing is said.
int pixels(std::string_view sizes) {
    if (has_word(sizes, "any")) return std::numeric_limits<int>::max();
    int largest = 1;
    while (!(sizes = trimmed(sizes)).empty()) {
        const std::size_t end = std::min(sizes.find_first_of(ascii_white_space), sizes.size());
        int width = 0;
        std::from_chars(sizes.data(), sizes.data() + end, width);
        largest = std::max(largest, width);
        sizes.remove_prefix(end);
    }
    return largest;
}

int rank(const LinkTag& link) {
    // An icon for telephones' home screens is large, but has a background and no transparency: a last resort.
    if (!has_word(link.rel, "icon")) return has_word(link.rel, "apple-touch-icon") ? 0 : -1;
    const bool scales = same_letters(trimmed(link.type), "image/svg+xml") || link.href.ends_with(".svg");
    return scales ? std::numeric_limits<int>::max() : pixels(link.sizes);
}

}  // namespace

std::string favicon(const PageFacts& facts, const url::Url* base) {
    std::string best;
    int best_rank = -1;
    for (const LinkTag& link : facts.links) {
        const int own_rank = rank(link);
        if (own_rank <= best_rank) continue;
        std::string url = absolute_url(link.href, base);
        if (url.empty()) continue;  // data: icons, for instance
        best = std::move(url);
        best_rank = own_rank;
    }
    return best.empty() && base != nullptr ? absolute_url("/favicon.ico", base) : best;
}

}  // namespace quarry::extract
