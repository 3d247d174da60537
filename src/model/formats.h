// The forms in which a document can be asked for. Nothing that is not asked for is computed.
#pragma once

#include <string_view>

#include "base/result.h"

namespace quarry {

struct Formats {
    bool markdown = true;
    bool html = false;      // the main content as cleaned HTML
    bool raw_html = false;  // the whole page as it was sent, converted to UTF-8
    bool text = false;      // the main content as plain text
    bool links = false;
    bool images = false;
    bool branding = false;  // how the page looks: colours, fonts, logo; seen in a browser only
    bool metadata = true;

    // True if the document's own words were asked for, so that a page without any is a failure.
    bool wants_content() const { return markdown || html || text; }
};

// Reads a list such as "markdown,rawHtml". Only what is named is wanted. Fails with `invalid_argument` on an
// unknown name or an empty list; the sentence says which names there are.
Result<Formats> parse_formats(std::string_view list);

}  // namespace quarry
