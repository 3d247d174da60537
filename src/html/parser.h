// The HTML5 parser of the WHATWG standard: any bytes in, a tree out. It cannot fail; what no page needs is
// capped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "html/tree.h"

namespace quarry::html {

// Pages beyond these limits are attacks or accidents. At a limit, content goes to the nearest ancestor that
// still may take it; text is not dropped, except past `source_bytes` and, past `nodes`, that of elements such
// as <script> and <textarea>. Templates nested past `depth` and never closed become plain elements, so that
// the rest of the page is not inert.
struct ParserLimits {
    std::uint32_t depth = 512;
    std::uint32_t nodes = 1'000'000;  // about 90 bytes each while parsing; the largest real pages have half
    std::uint32_t attributes_per_element = 512;
    std::uint32_t active_formatting_elements = 64;
    std::uint64_t source_bytes = 256 * 1024 * 1024;
};

enum class Scripting : std::uint8_t {
    off,  // <noscript> holds elements: what extraction wants
    on,   // <noscript> holds raw text, as in a browser
};

struct ParserOptions {
    ParserLimits limits{};
    Scripting scripting = Scripting::off;
};

// Parses a whole page. `source` is UTF-8; invalid sequences become U+FFFD. The tree keeps the buffer.
Tree parse(std::string source, const ParserOptions& options = {});

// Parses as the contents of an element (the standard's fragment case): the tree's document holds one <html>
// element whose children are the fragment. Scores and tools use it; the extractor does not.
struct FragmentContext {
    std::string_view tag = "div";
    Namespace space = Namespace::html;
};
Tree parse_fragment(std::string source, const FragmentContext& context, const ParserOptions& options = {});

}  // namespace quarry::html
