// Metadata of an HTML page: what its tags, its JSON-LD, its body and its HTTP headers say about it, judged.
#pragma once

#include <vector>

#include "html/tree.h"
#include "model/document.h"
#include "model/page.h"
#include "url/url.h"

namespace quarry::extract {

// The title is that of <title>, else og:title, else the first heading. Dates are ISO 8601 where they could be
// read. The language is what the page declares, or "": to detect it takes the text. Everything is bounded in
// length and number. Pure; linear in the size of the tree.
Metadata read_metadata(const html::Tree& tree, const url::Url* base, const std::vector<Header>& headers);

}  // namespace quarry::extract
