// From the bytes of a page to a document: the one door to this folder. Pure: no network, no files, no clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/document.h"
#include "model/page.h"
#include "model/page_options.h"

namespace quarry::extract {

enum class WhenEmpty : std::uint8_t {
    fail,
    keep,  // with a warning: a page may have links to follow and nothing to read
};

struct ExtractOptions {
    Formats formats{};
    bool full_page = false;                   // everything a browser would show, not the main content only
    std::vector<std::string> include_tags{};  // CSS selectors: only what is inside them, wherever on the page
    std::vector<std::string> exclude_tags{};  // CSS selectors: without what is inside them
    std::vector<AttributeWish> attributes{};  // of the whole page
    bool keep_data_images = false;            // pictures that are written into the page
    WhenEmpty when_empty = WhenEmpty::fail;   // the page has no text, though text was asked for
    bool is_rendered = false;                 // the page is as a browser built it: its scripts were run
};

// Reads HTML, XHTML, plain text, markdown, RSS and Atom feeds, and JSON; what it is, is told by header, bytes
// and URL together. Fails with
//   unsupported       another kind of content; the sentence says which. PDF is one: see
//   work/page/read_document.h not_found         the page has no text, though text was asked for; says so if
//   scripts would make it
//                     (see WhenEmpty)
//   invalid_argument  a selector cannot be read
//   corrupt           a feed that is not even nearly one
// Time and memory are linear in the size of the page.
Result<Document> extract(const Page& page, const ExtractOptions& options = {});

}  // namespace quarry::extract
