#include "branding/profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/ascii.h"
#include "branding/facts.h"
#include "branding/logo.h"
#include "branding/palette.h"
#include "branding/parts.h"
#include "branding/typography.h"

namespace quarry::branding {
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
