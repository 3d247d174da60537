#include "branding/typography.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "branding/fonts.h"
#include "branding/parts.h"

namespace quarry::branding {
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

}  // namespace quarry::branding
