// Parses anything as a selector and matches it against a small page that has something of everything.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "html/parser.h"
#include "html/selector/selector.h"

using namespace quarry::html;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Tree tree = parse(
        "<!doctype html><html lang=en><body class='a b'><div id=x><p>one<a href=/x rel='a b'>x</a></p>"
        "<ul><li>1<li class=on>2<li>3</ul><form><input type=checkbox checked><input disabled></form>"
        "<svg><foreignObject><p title=t>y</p></foreignObject></svg><template><b>z</b></template></div>");
    const auto selectors = parse_selectors({reinterpret_cast<const char*>(data), size});
    if (!selectors) return 0;
    for (const NodeId id : select(tree, *selectors)) {
        if (!tree.is_element(id)) std::abort();
    }
    return 0;
}
