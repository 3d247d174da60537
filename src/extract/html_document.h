// HTML pages as documents.
#pragma once

#include "base/result.h"
#include "extract/extract.h"
#include "extract/selection.h"
#include "html/encoding/encoding.h"
#include "html/tree.h"
#include "model/document.h"
#include "model/page.h"
#include "url/url.h"

namespace quarry::extract {

Result<Document> html_document(const Page& page, html::Decoded decoded, const ExtractOptions& options);

// Writes the selected part of the tree as markdown, HTML and text, as far as they were asked for.
void write_content(const html::Tree& tree, const Selection& selection, const url::Url* base,
                   const ExtractOptions& options, Document& document);

// The same, and the links and images of all of the tree.
void write_forms(const html::Tree& tree, const Selection& selection, const url::Url* base,
                 const ExtractOptions& options, Document& document);

// Fills in the language by looking at the text, if the page does not state it and metadata is wanted.
void detect_missing_language(const ExtractOptions& options, Document& document);

// Adds a sentence to what the document warns of.
void add_warning(Document& document, std::string_view sentence);

}  // namespace quarry::extract
