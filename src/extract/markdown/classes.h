// What class names say about an element, for the generators and widgets that most of the web is made with.
// HTML has no elements for admonitions, tab sets, formulas or line numbers; class names are the only mark
// they carry.
#pragma once

#include <cstdint>
#include <string_view>

namespace quarry::extract::markdown {

enum class ClassTrait : std::uint32_t {
    admonition = 1 << 0,  // a box with a title: note, warning, tip
    admonition_title = 1 << 1,
    code_box = 1 << 2,      // an editor or highlighter that shows code without <pre>
    line_numbers = 1 << 3,  // numbers beside code, and other things in a code box that are not code
    code_line = 1 << 4,     // one line of code each
    katex = 1 << 5,         // a formula, twice: as MathML and as boxes to look at
    katex_display = 1 << 6,
    math_picture = 1 << 7,  // what a formula looks like, when its source stands beside it
    math_source = 1 << 8,   // TeX between \( and \), for a script to render
    tab_labels = 1 << 9,    // the row of labels of a tab set
    tab_label = 1 << 10,    // a label that stands right before its panel
    tab_panel = 1 << 11,
    heading_anchor = 1 << 12,  // ¶, #, a chain: a heading's link to itself
    copy_button = 1 << 13,
    footnotes = 1 << 14,      // the list of notes
    footnote_back = 1 << 15,  // from a note back to the text
    source_link = 1 << 16,    // [source] beside a documented name
    signature = 1 << 17,      // a documented name with its parameters
};

class ClassTraits {
public:
    constexpr ClassTraits() = default;
    constexpr bool has(ClassTrait trait) const { return (bits_ & static_cast<std::uint32_t>(trait)) != 0; }
    constexpr void add(std::uint32_t bits) { bits_ |= bits; }
    constexpr bool none() const { return bits_ == 0; }

private:
    std::uint32_t bits_ = 0;
};

// The traits of all class names in a class attribute.
ClassTraits class_traits(std::string_view class_attribute);

// Calls `visit` for every name in a class attribute until it returns true. True if it did.
template <typename Visit>
bool any_class(std::string_view class_attribute, Visit visit) {
    const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    const char* const attribute_end = class_attribute.data() + class_attribute.size();
    for (const char* begin = class_attribute.data();;) {
        while (begin != attribute_end && is_space(*begin)) ++begin;
        if (begin == attribute_end) return false;
        const char* end = begin;
        while (end != attribute_end && !is_space(*end)) ++end;
        if (visit(std::string_view(begin, end))) return true;
        begin = end;
    }
}

}  // namespace quarry::extract::markdown
