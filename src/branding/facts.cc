#include "branding/facts.h"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>

#include "base/ascii.h"
#include "url/host.h"
#include "url/url.h"

namespace quarry::branding {
namespace {

namespace json = boost::json;

constexpr std::size_t most_items = 300;
constexpr std::size_t longest_text = 500;
constexpr std::size_t longest_url = 2'000;
constexpr std::size_t longest_image = std::size_t{48} << 10;  // one that is written into its address
constexpr double largest_number = 1e9;

const json::object& object_at(const json::object& object, std::string_view key) {
    static const json::object nothing;
    const json::value* value = object.if_contains(key);
    return value && value->is_object() ? value->get_object() : nothing;
}

std::string_view raw_text(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

std::string text_at(const json::object& object, std::string_view key) {
    const std::string text = url::to_valid_utf8(trimmed(raw_text(object, key)).substr(0, longest_text));
    std::string line;
    for (const char letter : text) line += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    return line;
}

double amount_of(const json::value& value) {
    if (!value.is_number()) return 0;
    boost::system::error_code problem;
    const double number = value.to_number<double>(problem);
    return problem || !std::isfinite(number) ? 0 : std::clamp(number, 0.0, largest_number);
}

double amount_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value ? amount_of(*value) : 0;
}

bool flag_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_bool() && value->get_bool();
}

std::optional<Color> color_at(const json::object& object, std::string_view key) {
    return parse_color(raw_text(object, key));
}

// "" for what is neither of the web nor an image.
std::string address_at(const json::object& object, std::string_view key) {
    const std::string_view text = raw_text(object, key);
    if (text.size() > longest_image) return {};
    if (text.starts_with("data:image/")) {
        const bool is_plain = std::ranges::all_of(text, [](char letter) {
            return letter > ' ' && letter < 0x7f && letter != '"' && letter != '<';
        });
        return is_plain ? std::string(text) : std::string();
    }
    if (text.size() > longest_url) return {};
    const auto address = url::Url::parse(text);
    return address && address->is_http() ? address->href() : std::string();
}

// Calls `take` with the objects of a list.
template <typename Take>
void each_at(const json::object& object, std::string_view key, Take take) {
    const json::value* list = object.if_contains(key);
    if (!list || !list->is_array()) return;
    std::size_t count = 0;
    for (const json::value& item : list->get_array()) {
        if (++count > most_items) return;
        if (item.is_object()) take(item.get_object());
    }
}

TextStyle style_of(const json::object& told) {
    return {.color = color_at(told, "color"),
            .fonts = text_at(told, "fonts"),
            .size = amount_at(told, "size"),
            .line_height = amount_at(told, "lineHeight"),
            .weight = static_cast<int>(std::min(amount_at(told, "weight"), 1'000.0))};
}

Control control_of(const json::object& told) {
    return {.background = color_at(told, "background"),
            .text = color_at(told, "color"),
            .border = color_at(told, "border"),
            .radius = text_at(told, "radius"),
            .shadow = text_at(told, "shadow"),
            .area = amount_at(told, "area"),
            .is_action = flag_at(told, "isAction")};
}

LogoCandidate logo_of(const json::object& told) {
    return {.url = address_at(told, "url"),
            .words = lower_case(text_at(told, "words")),
            .in_header = flag_at(told, "inHeader"),
            .in_footer = flag_at(told, "inFooter"),
            .leads_home = flag_at(told, "leadsHome"),
            .left = amount_at(told, "left"),
            .top = amount_at(told, "top"),
            .width = amount_at(told, "width"),
            .height = amount_at(told, "height")};
}

std::vector<Control> controls_at(const json::object& told, std::string_view key) {
    std::vector<Control> controls;
    each_at(told, key, [&](const json::object& control) { controls.push_back(control_of(control)); });
    return controls;
}

std::vector<double> distances_at(const json::object& told) {
    std::vector<double> distances;
    const json::value* list = told.if_contains("distances");
    if (!list || !list->is_array()) return distances;
    for (const json::value& item : list->get_array()) {
        if (distances.size() == most_items) break;
        if (const double distance = amount_of(item); distance > 0) distances.push_back(distance);
    }
    return distances;
}

void read_lists(const json::object& told, Facts& facts) {
    each_at(told, "lettering", [&](const json::object& text) {
        facts.lettering.push_back({.style = style_of(text),
                                   .letters = amount_at(text, "letters"),
                                   .is_link = flag_at(text, "isLink"),
                                   .is_heading = flag_at(text, "isHeading")});
    });
    each_at(told, "variables", [&](const json::object& variable) {
        if (const auto color = color_at(variable, "color"))
            facts.variables.push_back({lower_case(text_at(variable, "name")), *color});
    });
    each_at(told, "logos", [&](const json::object& logo) {
        LogoCandidate candidate = logo_of(logo);
        if (!candidate.url.empty()) facts.logos.push_back(std::move(candidate));
    });
    each_at(told, "icons", [&](const json::object& icon) {
        Icon found{.relation = lower_case(text_at(icon, "relation")),
                   .url = address_at(icon, "url"),
                   .size = amount_at(icon, "size")};
        if (!found.url.empty()) facts.icons.push_back(std::move(found));
    });
}

}  // namespace

Facts read_facts(const json::value& told) {
    Facts facts;
    const json::object* object = told.if_object();
    if (!object) return facts;
    facts.name = text_at(*object, "name");
    facts.background = color_at(*object, "background");
    facts.header = color_at(*object, "header");
    facts.theme = color_at(*object, "theme");
    facts.picture = address_at(*object, "picture");
    const json::object& styles = object_at(*object, "styles");
    facts.body = style_of(object_at(styles, "body"));
    facts.h1 = style_of(object_at(styles, "h1"));
    facts.h2 = style_of(object_at(styles, "h2"));
    facts.h3 = style_of(object_at(styles, "h3"));
    facts.small = style_of(object_at(styles, "small"));
    facts.code = style_of(object_at(styles, "code"));
    facts.buttons = controls_at(*object, "buttons");
    facts.inputs = controls_at(*object, "inputs");
    facts.distances = distances_at(*object);
    read_lists(*object, facts);
    return facts;
}

}  // namespace quarry::branding
