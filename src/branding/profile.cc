// Pieces of a profile: what is not known is not in it.
#include "branding/profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "branding/color.h"
#include "branding/facts.h"
#include "branding/fonts.h"
#include "branding/logo.h"
#include "branding/palette.h"

namespace quarry::branding {

inline void add_text(boost::json::object& object, std::string_view key, const std::string& text) {
    if (!text.empty()) object[key] = text;
}

inline void add_color(boost::json::object& object, std::string_view key, const std::optional<Color>& color) {
    if (color) object[key] = to_hex(*color);
}

inline void add_object(boost::json::object& object, std::string_view key, boost::json::object part) {
    if (!part.empty()) object[key] = std::move(part);
}

// The fonts of a page, and how its text is set in them.

// [{"family": "Inter", "role": "body"}], those with most letters first. What the reader's machine has is none
// of the page's.
boost::json::array fonts_of(const Facts& facts);

// "fontFamilies", "fontStacks", "fontSizes", "lineHeights", "fontWeights", as far as they are known.
boost::json::object typography_of(const Facts& facts);

namespace {

namespace json = boost::json;

double rounded(double number) {
    return std::round(number * 100) / 100;
}

// "16px", "13.33px"; "" for nothing.
std::string pixels(double length) {
    return length > 0 ? fmt::format("{}px", rounded(length)) : "";
}

// The style of the largest heading that there is.
const TextStyle& heading_of(const Facts& facts) {
    for (const TextStyle* style : {&facts.h1, &facts.h2, &facts.h3})
        if (style->size > 0) return *style;
    return facts.h1;
}

struct Family {
    std::string name{};
    double letters = 0;
    bool is_of_headings = false, is_of_text = false;
};

// Those that the page sets its text in, most first.
std::vector<Family> families_of(const Facts& facts) {
    std::vector<Family> families;
    for (const Lettering& text : facts.lettering) {
        const std::string name = first_font(text.style.fonts);
        if (name.empty() || is_generic_font(name)) continue;
        auto known = std::ranges::find(families, name, &Family::name);
        if (known == families.end()) known = families.insert(families.end(), Family{.name = name});
        known->letters += text.letters;
        (text.is_heading ? known->is_of_headings : known->is_of_text) = true;
    }
    std::ranges::stable_sort(families, std::ranges::greater(), &Family::letters);
    return families;
}

json::array stack_of(const TextStyle& style) {
    json::array stack;
    for (std::string& name : font_stack(style.fonts)) stack.emplace_back(std::move(name));
    return stack;
}

// The weight that most letters have, of those that go by one name.
json::object weights_of(const Facts& facts) {
    struct Class {
        std::string_view name;
        int least, most;
    };
    constexpr std::array<Class, 4> classes{
        Class{"light", 1, 350}, {"regular", 351, 450}, {"medium", 451, 650}, {"bold", 651, 1'000}};
    json::object weights;
    for (const Class& one : classes) {
        double most_letters = 0;
        for (const Lettering& text : facts.lettering) {
            const bool is_one = text.style.weight >= one.least && text.style.weight <= one.most;
            if (!is_one || text.letters <= most_letters) continue;
            most_letters = text.letters;
            weights[one.name] = text.style.weight;
        }
    }
    return weights;
}

void add_line_height(json::object& heights, std::string_view key, const TextStyle& style) {
    if (style.size > 0 && style.line_height > 0) heights[key] = rounded(style.line_height / style.size);
}

}  // namespace

json::array fonts_of(const Facts& facts) {
    constexpr std::size_t most_fonts = 8;
    const std::string code = first_font(facts.code.fonts), body = first_font(facts.body.fonts);
    json::array fonts;
    for (const Family& family : families_of(facts)) {
        if (fonts.size() == most_fonts) break;
        json::object font{{"family", family.name}};
        if (family.name == code && family.name != body) {
            font["role"] = "monospace";
        } else {
            font["role"] = family.is_of_text || !family.is_of_headings ? "body" : "heading";
        }
        fonts.push_back(std::move(font));
    }
    return fonts;
}

json::object typography_of(const Facts& facts) {
    const TextStyle& heading = heading_of(facts);
    json::object families, stacks, sizes, heights, typography;
    add_text(families, "primary", first_font(facts.body.fonts));
    add_text(families, "heading", first_font(heading.fonts));
    add_text(families, "code", first_font(facts.code.fonts));
    const auto add_stack = [&](std::string_view key, const TextStyle& style) {
        if (json::array stack = stack_of(style); !stack.empty()) stacks[key] = std::move(stack);
    };
    add_stack("primary", facts.body);
    add_stack("heading", heading);
    add_stack("code", facts.code);
    add_text(sizes, "h1", pixels(facts.h1.size));
    add_text(sizes, "h2", pixels(facts.h2.size));
    add_text(sizes, "h3", pixels(facts.h3.size));
    add_text(sizes, "body", pixels(facts.body.size));
    add_text(sizes, "small", pixels(facts.small.size));
    add_line_height(heights, "heading", heading);
    add_line_height(heights, "body", facts.body);
    add_object(typography, "fontFamilies", std::move(families));
    add_object(typography, "fontStacks", std::move(stacks));
    add_object(typography, "fontSizes", std::move(sizes));
    add_object(typography, "lineHeights", std::move(heights));
    add_object(typography, "fontWeights", weights_of(facts));
    return typography;
}

namespace {

namespace json = boost::json;

json::object colors_of(const Palette& palette) {
    json::object colors;
    add_color(colors, "primary", palette.primary);
    add_color(colors, "secondary", palette.secondary);
    add_color(colors, "accent", palette.accent);
    add_color(colors, "background", palette.background);
    add_color(colors, "textPrimary", palette.text_primary);
    add_color(colors, "textSecondary", palette.text_secondary);
    add_color(colors, "link", palette.link);
    add_color(colors, "success", palette.success);
    add_color(colors, "warning", palette.warning);
    add_color(colors, "error", palette.error);
    return colors;
}

// Of lengths only: "8px", "50%", "8px 8px 0px 0px".
bool is_radius(std::string_view text) {
    constexpr std::size_t longest = 60;
    return !text.empty() && text.size() <= longest && std::ranges::all_of(text, [](char letter) {
        return is_ascii_digit(letter) || std::string_view(".px%e+/ ").contains(letter);
    });
}

// The distance that most distances are a multiple of; 0 if there is none.
int base_unit_of(const std::vector<double>& distances) {
    constexpr double share = 0.75;
    constexpr std::size_t fewest = 4;
    if (distances.size() < fewest) return 0;
    for (const int unit : {8, 4, 5, 6}) {
        const auto multiples =
            std::ranges::count_if(distances, [&](double distance) { return std::fmod(distance, unit) == 0; });
        if (static_cast<double>(multiples) >= share * static_cast<double>(distances.size())) return unit;
    }
    return 0;
}

// What most buttons and inputs have.
std::string common_radius(const Facts& facts) {
    std::vector<std::pair<std::string, int>> counts;
    for (const auto* controls : {&facts.buttons, &facts.inputs}) {
        for (const Control& control : *controls) {
            if (!is_radius(control.radius)) continue;
            const auto known = std::ranges::find(counts, control.radius, &std::pair<std::string, int>::first);
            if (known != counts.end()) {
                ++known->second;
            } else {
                counts.emplace_back(control.radius, 1);
            }
        }
    }
    const auto most = std::ranges::max_element(counts, {}, &std::pair<std::string, int>::second);
    return most == counts.end() ? "" : most->first;
}

json::object spacing_of(const Facts& facts) {
    json::object spacing;
    if (const int unit = base_unit_of(facts.distances); unit > 0) spacing["baseUnit"] = unit;
    add_text(spacing, "borderRadius", common_radius(facts));
    return spacing;
}

std::optional<Color> shown(const std::optional<Color>& color, const Color& ground) {
    constexpr double least_alpha = 0.1;
    if (!color || color->alpha < least_alpha) return std::nullopt;
    return over(*color, ground);
}

json::object component_of(const Control& control, const Color& ground) {
    json::object component;
    const auto background = shown(control.background, ground);
    component["background"] = background ? to_hex(*background) : "transparent";
    add_color(component, "textColor", shown(control.text, background.value_or(ground)));
    add_color(component, "borderColor", shown(control.border, ground));
    if (is_radius(control.radius)) component["borderRadius"] = control.radius;
    add_text(component, "shadow", control.shadow);
    return component;
}

// Buttons that look different, the first of the primary colour: the largest of them, as it is to be seen.
std::vector<const Control*> chief_buttons(const Facts& facts, const Palette& palette) {
    std::vector<const Control*> chief;
    const auto is_primary = [&](const Control& button) {
        const auto color = shown(button.background, palette.background);
        return color && palette.primary && are_alike(*color, *palette.primary);
    };
    for (const Control& button : facts.buttons) {
        if (!is_primary(button)) continue;
        const bool is_better = chief.empty() || std::pair(button.is_action, button.area) >
                                                    std::pair(chief[0]->is_action, chief[0]->area);
        if (is_better) chief.assign(1, &button);
    }
    for (const Control& button : facts.buttons) {
        if (chief.size() == 2) break;
        const bool is_seen =
            shown(button.background, palette.background) || shown(button.border, palette.background);
        if (is_seen && !is_primary(button)) chief.push_back(&button);
    }
    return chief;
}

json::object components_of(const Facts& facts, const Palette& palette) {
    json::object components;
    const auto buttons = chief_buttons(facts, palette);
    constexpr std::array<std::string_view, 2> names{"buttonPrimary", "buttonSecondary"};
    for (std::size_t i = 0; i < buttons.size() && i < names.size(); ++i)
        components[names[i]] = component_of(*buttons[i], palette.background);
    if (!facts.inputs.empty()) components["input"] = component_of(facts.inputs.front(), palette.background);
    return components;
}

json::object images_of(const Facts& facts) {
    json::object images;
    add_text(images, "logo", choose_logo(facts.logos));
    add_text(images, "favicon", choose_favicon(facts.icons));
    add_text(images, "ogImage", facts.picture);
    return images;
}

}  // namespace

json::object profile_of(const json::value& told) {
    const Facts facts = read_facts(told);
    const Palette palette = palette_of(facts);
    json::object profile{{"colorScheme", is_dark(palette.background) ? "dark" : "light"}};
    add_text(profile, "brandName", facts.name);
    add_text(profile, "logo", choose_logo(facts.logos));
    profile["colors"] = colors_of(palette);
    if (json::array fonts = fonts_of(facts); !fonts.empty()) profile["fonts"] = std::move(fonts);
    add_object(profile, "typography", typography_of(facts));
    add_object(profile, "spacing", spacing_of(facts));
    add_object(profile, "components", components_of(facts, palette));
    add_object(profile, "images", images_of(facts));
    return profile;
}

}  // namespace quarry::branding
