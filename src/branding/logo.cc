#include "branding/logo.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"

namespace quarry::branding {
namespace {

constexpr int least_score = 40;

bool mentions(const LogoCandidate& candidate, std::string_view word) {
    return candidate.words.contains(word);
}

// Logos of others: of customers, of partners, of ways to pay.
bool is_of_others(const LogoCandidate& candidate) {
    constexpr std::array<std::string_view, 8> words{"partner", "customer", "client", "sponsor",
                                                    "payment", "avatar",   "social", "integration"};
    return std::ranges::any_of(words, [&](std::string_view word) { return mentions(candidate, word); });
}

int score_of(const LogoCandidate& candidate) {
    constexpr double near_top = 250, near_left = 500;
    int score = 0;
    if (mentions(candidate, "logo")) score += 30;
    if (mentions(candidate, "brand")) score += 10;
    if (candidate.in_header) score += 30;
    if (candidate.leads_home) score += 30;
    if (candidate.top < near_top) score += 10;
    if (candidate.left < near_left) score += 5;
    const bool has_size_of_one =
        candidate.width >= 16 && candidate.width <= 640 && candidate.height >= 10 && candidate.height <= 320;
    score += has_size_of_one ? 10 : -25;
    if (candidate.in_footer) score -= 20;
    if (is_of_others(candidate)) score -= 50;
    return score;
}

}  // namespace

std::string choose_logo(const std::vector<LogoCandidate>& candidates) {
    const LogoCandidate* best = nullptr;
    int best_score = least_score - 1;
    for (const LogoCandidate& candidate : candidates) {
        const int score = score_of(candidate);
        if (score <= best_score) continue;
        best = &candidate;
        best_score = score;
    }
    return best ? best->url : "";
}

std::string choose_favicon(const std::vector<Icon>& icons) {
    const Icon* best = nullptr;
    const auto rank = [](const Icon& icon) {
        if (has_word(icon.relation, "icon")) return 2;
        return icon.relation.starts_with("apple-touch-icon") ? 1 : 0;
    };
    for (const Icon& icon : icons) {
        if (rank(icon) == 0) continue;
        const bool is_better =
            !best || rank(icon) > rank(*best) || (rank(icon) == rank(*best) && icon.size > best->size);
        if (is_better) best = &icon;
    }
    return best ? best->url : "";
}

}  // namespace quarry::branding
