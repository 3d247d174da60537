// What is text already: plain text, markdown and JSON as documents.
#pragma once

#include "base/result.h"
#include "extract/extract.h"
#include "html/encoding/encoding.h"
#include "model/document.h"
#include "model/page.h"

namespace quarry::extract {

// The text as it is. Its title is its first line if that reads like one, else the last part of the URL.
Result<Document> plain_document(const Page& page, const html::Decoded& decoded,
                                const ExtractOptions& options);

// The markdown as it is, without front matter, which becomes metadata. Its title is stated there, or is the
// first heading. Its links and images are read from it.
Result<Document> markdown_document(const Page& page, const html::Decoded& decoded,
                                   const ExtractOptions& options);

// One code block, indented if that is cheap.
Result<Document> json_document(const Page& page, const html::Decoded& decoded, const ExtractOptions& options);

}  // namespace quarry::extract
