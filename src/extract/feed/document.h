// A feed as a page and as a document. Once a feed is a page, everything that reads pages reads feeds too.
#pragma once

#include <string>

#include "base/result.h"
#include "extract/extract.h"
#include "extract/feed/parser.h"
#include "model/document.h"
#include "model/page.h"
#include "url/url.h"

namespace quarry::extract {

// A feed as a page, so that everything that reads pages reads feeds too.

// The title as a heading, then each item: a heading that links to it, its date and author, its text. Texts
// are cleaned one by one, with links made absolute against the item's own address, so that broken HTML in one
// cannot swallow the next.
std::string to_html(const Feed& feed, const url::Url* base);

// Feeds as documents.

Result<Document> feed_document(const Page& page, const ExtractOptions& options);

}  // namespace quarry::extract
