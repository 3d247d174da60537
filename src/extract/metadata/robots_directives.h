// What a page asks of robots about itself: in meta tags and in X-Robots-Tag headers. (What a site asks about
// all of its pages is robots.txt, in crawl/.)
#pragma once

#include <string_view>
#include <vector>

#include "model/document.h"
#include "model/page.h"

namespace quarry::extract {

// Adds what the content of a <meta name="robots"> or <meta name="quarry"> asks. Directives add up: the
// strictest wins. Unknown ones, and those about search engines' result pages (max-snippet:20), are passed
// over.
void add_robots_meta(std::string_view content, RobotsDirectives& directives);

// Adds what every X-Robots-Tag header asks of all robots or of quarry: "noindex", "quarry: nofollow". What is
// meant for other agents ("otherbot: noindex, nofollow") is passed over, to the next agent in the same
// header.
void add_robots_headers(const std::vector<Header>& headers, RobotsDirectives& directives);

}  // namespace quarry::extract
