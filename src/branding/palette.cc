#include "branding/palette.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace quarry::branding {
namespace {

constexpr double least_alpha = 0.1;   // less, and nobody sees it
constexpr double least_share = 0.03;  // of the page's letters, for a colour to be one of its texts

struct Scored {
    Color color{};
    double score = 0;
};

// Colours that are nearly the same count as one: a button and its lighter edge.
class Scores {
public:
    void add(const Color& color, double points) {
        const auto known =
            std::ranges::find_if(all_, [&](const Scored& one) { return are_alike(one.color, color); });
        if (known != all_.end()) {
            known->score += points;
        } else {
            all_.push_back({color, points});
        }
    }

    const Scored* like(const Color& color) const {
        const auto known =
            std::ranges::find_if(all_, [&](const Scored& one) { return are_alike(one.color, color); });
        return known == all_.end() ? nullptr : &*known;
    }

    // The best that is like none of these.
    std::optional<Color> best(const std::vector<std::optional<Color>>& taken) const {
        const Scored* found = nullptr;
        for (const Scored& one : all_) {
            const bool is_taken = std::ranges::any_of(
                taken, [&](const auto& color) { return color && are_alike(*color, one.color); });
            if (!is_taken && one.score > 0 && (!found || one.score > found->score)) found = &one;
        }
        return found ? std::optional(found->color) : std::nullopt;
    }

private:
    std::vector<Scored> all_;
};

std::optional<Color> seen(const std::optional<Color>& color, const Color& ground) {
    if (!color || color->alpha < least_alpha) return std::nullopt;
    return over(*color, ground);
}

// "--text-primary" is what is written, not what is primary.
bool names_something_else(std::string_view name) {
    constexpr std::array<std::string_view, 8> words{"text",   "on-",   "bg",         "background",
                                                    "border", "hover", "foreground", "light"};
    return std::ranges::any_of(words, [&](std::string_view word) { return name.contains(word); });
}

// The first that the page names with one of these words.
std::optional<Color> named(const Facts& facts, std::initializer_list<std::string_view> words,
                           const Color& ground) {
    for (const std::string_view word : words)
        for (const Variable& variable : facts.variables)
            if (variable.name.ends_with(word) && !names_something_else(variable.name))
                return seen(variable.color, ground);
    return std::nullopt;
}

// By the number of letters, most first.
std::vector<Scored> letters_of(const Facts& facts, const Color& ground, bool (*counts)(const Lettering&)) {
    std::vector<Scored> colors;
    for (const Lettering& text : facts.lettering) {
        const auto color = counts(text) ? seen(text.style.color, ground) : std::nullopt;
        if (!color) continue;
        const auto known = std::ranges::find(colors, *color, &Scored::color);
        if (known != colors.end()) {
            known->score += text.letters;
        } else {
            colors.push_back({*color, text.letters});
        }
    }
    std::ranges::stable_sort(colors, std::ranges::greater(), &Scored::score);
    return colors;
}

void choose_texts(const Facts& facts, Palette& palette) {
    const auto plain = letters_of(facts, palette.background,
                                  [](const Lettering& text) { return !text.is_link && !text.is_heading; });
    double all = 0;
    for (const Scored& one : plain) all += one.score;
    if (!plain.empty()) palette.text_primary = plain.front().color;
    if (!palette.text_primary) palette.text_primary = seen(facts.body.color, palette.background);
    for (const Scored& one : plain) {
        if (one.score < all * least_share || are_alike(one.color, *palette.text_primary)) continue;
        palette.text_secondary = one.color;
        break;
    }
    const auto links =
        letters_of(facts, palette.background, [](const Lettering& text) { return text.is_link; });
    // Links of a menu often look like text; those that can be told from it are the ones meant.
    const auto vivid = std::ranges::find_if(links, [](const Scored& one) { return is_vivid(one.color); });
    if (vivid != links.end()) {
        palette.link = vivid->color;
    } else if (!links.empty()) {
        palette.link = links.front().color;
    }
}

Scores scores_of(const Facts& facts, const Palette& palette) {
    constexpr double of_first_button = 4, of_action = 2, of_link = 3, of_theme = 3, of_header = 2;
    constexpr double of_grey = 0.25;  // of what a vivid one has
    constexpr std::size_t most_buttons = 12;
    Scores scores;
    const auto add = [&](const std::optional<Color>& color, double points) {
        const auto shown = seen(color, palette.background);
        if (!shown || are_alike(*shown, palette.background)) return;
        scores.add(*shown, is_vivid(*shown) ? points : points * of_grey);
    };
    std::size_t count = 0;
    for (const Control& button : facts.buttons) {
        if (++count > most_buttons) break;
        add(button.background, (count == 1 ? of_first_button : 1) + (button.is_action ? of_action : 0));
    }
    add(palette.link, of_link);
    add(facts.theme, of_theme);
    add(facts.header, of_header);
    return scores;
}

}  // namespace

Palette palette_of(const Facts& facts) {
    constexpr double of_name = 4;
    Palette palette;
    if (facts.background) palette.background = over(*facts.background, white);
    choose_texts(facts, palette);
    Scores scores = scores_of(facts, palette);
    const auto used = [&](std::initializer_list<std::string_view> words) {
        const auto color = named(facts, words, palette.background);
        return color && scores.like(*color) ? color : std::nullopt;
    };
    if (const auto color = used({"primary", "primary-color", "brand", "brand-color"}))
        scores.add(*color, of_name);
    palette.primary = scores.best({});
    const auto differs = [&](const std::optional<Color>& color, const std::optional<Color>& other) {
        return color && (!other || !are_alike(*color, *other));
    };
    palette.accent = used({"accent", "accent-color"});
    if (!differs(palette.accent, palette.primary)) palette.accent.reset();
    if (!palette.accent && differs(palette.link, palette.primary) && is_vivid(*palette.link))
        palette.accent = palette.link;
    palette.secondary = used({"secondary", "secondary-color"});
    if (!differs(palette.secondary, palette.primary) || !differs(palette.secondary, palette.accent))
        palette.secondary = scores.best({palette.primary, palette.accent});
    palette.success = named(facts, {"success", "success-color"}, palette.background);
    palette.warning = named(facts, {"warning", "warning-color"}, palette.background);
    palette.error = named(facts, {"error", "danger", "error-color", "danger-color"}, palette.background);
    return palette;
}

}  // namespace quarry::branding
