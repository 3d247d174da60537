// Any bytes become a tree that keeps its promises, whole or as a fragment, with and without scripts, also
// when limits are met. The first byte chooses among these.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "html/parser.h"
#include "html/tree_inspection.h"

using namespace quarry::html;

namespace {

void check(const Tree& tree, std::uint32_t depth) {
    std::string fault = find_fault(tree);
    for (const Node& node : tree.nodes()) {
        if (node.depth > depth) fault = "the tree is too deep";
    }
    if (fault.empty()) return;
    std::fprintf(stderr, "%s\n", fault.c_str());
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const unsigned choice = data[0];
    const std::string source(reinterpret_cast<const char*>(data) + 1, size - 1);
    ParserOptions options;
    if ((choice & 1) != 0) options.scripting = Scripting::on;
    if ((choice & 2) != 0) options.limits = {.depth = 24, .nodes = 60, .attributes_per_element = 3};
    check(parse(source, options), options.limits.depth);

    constexpr const char* contexts[] = {"div", "table", "tr", "td", "template", "select", "title", "html"};
    const FragmentContext context{.tag = contexts[choice >> 2 & 7]};
    check(parse_fragment(source, context, options), options.limits.depth);
    const auto space = (choice & 128) != 0 ? Namespace::mathml : Namespace::svg;
    const FragmentContext foreign{.tag = space == Namespace::svg ? "desc" : "annotation-xml", .space = space};
    check(parse_fragment(source, foreign, options), options.limits.depth);
    return 0;
}
