#include "extract/markdown/markdown.h"

#include "extract/markdown/writer.h"

namespace quarry::extract {

std::string to_markdown(const html::Tree& tree, const Selection& selection, const MarkdownOptions& options) {
    return markdown::Writer(tree, selection, options).write();
}

}  // namespace quarry::extract
