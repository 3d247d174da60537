#include "html/parser.h"

#include <utility>

#include "html/construction/tree_builder.h"

namespace quarry::html {

Tree parse(std::string source, const ParserOptions& options) {
    return TreeBuilder(std::move(source), options).parse_document();
}

Tree parse_fragment(std::string source, const FragmentContext& context, const ParserOptions& options) {
    return TreeBuilder(std::move(source), options).parse_fragment(context);
}

}  // namespace quarry::html
