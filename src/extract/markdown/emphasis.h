// Chooses how emphasis is written so that it is read back: CommonMark's delimiters have rules about what
// stands beside them, and what they cannot express falls back to HTML tags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace quarry::extract::markdown {

// What may surround inline text. The first three have delimiters of their own; the others are HTML tags that
// GitHub's markdown keeps.
enum class Format : std::uint8_t {
    strong,
    emphasis,
    strike,
    link,
    subscript,
    superscript,
    keyboard,
    inserted
};

// How a mark is written: `*`, `**` and `~~`; `_` and `__`; or as a tag.
enum class Form : std::uint8_t { star, underscore, tag };

// The beginning or the end of a format, at an offset of the text it stands in. Marks are in the order in
// which they are written, properly nested.
struct Mark {
    std::uint32_t offset = 0;
    std::uint32_t partner = 0;  // index of the other end
    std::uint32_t link = 0;     // links only: which
    Format format = Format::strong;
    Form form = Form::star;
    bool opens = false;
};

// Sets the form of every strong, emphasis and strike mark. The text is already escaped, so that the marks are
// the only delimiters in it.
void choose_forms(std::string_view text, std::vector<Mark>& marks);

// The delimiter or tag of a mark that is no link.
std::string_view spelling(const Mark& mark);

}  // namespace quarry::extract::markdown
