// What a page states in tags and headers made for machines, gathered in one walk and not yet judged. What
// it asks of robots, in meta tags and in X-Robots-Tag headers, is here too. (What a site asks about all of
// its pages is robots.txt, in crawl/.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "html/tree.h"
#include "model/document.h"
#include "model/page.h"

namespace quarry::extract {

// What a page asks of robots about itself: in meta tags and in X-Robots-Tag headers. (What a site asks about
// all of its pages is robots.txt, in crawl/.)

// Adds what the content of a <meta name="robots"> or <meta name="quarry"> asks. Directives add up: the
// strictest wins. Unknown ones, and those about search engines' result pages (max-snippet:20), are passed
// over.
void add_robots_meta(std::string_view content, RobotsDirectives& directives);

// Adds what every X-Robots-Tag header asks of all robots or of quarry: "noindex", "quarry: nofollow". What is
// meant for other agents ("otherbot: noindex, nofollow") is passed over, to the next agent in the same
// header.
void add_robots_headers(const std::vector<Header>& headers, RobotsDirectives& directives);

// Everything a page states about itself in tags made for machines, gathered in one walk and not yet judged.

// A <link> of the head: the icon, the canonical address.
struct LinkTag {
    std::string_view rel{};
    std::string_view href{};
    std::string_view sizes{};
    std::string_view type{};
};

// Views point into the tree. Lengths and counts are bounded: what is beyond them no page needs.
struct PageFacts {
    std::string title{};                // of <title>
    std::string heading{};              // the first <h1> that has words
    std::string_view language{};        // <html lang>
    std::string http_equiv_language{};  // <meta http-equiv="content-language">
    std::vector<NamedValue> metas{};    // named <meta> tags in page order; the names as written
    std::vector<LinkTag> links{};
    std::vector<std::string_view> json_ld{};  // the contents of JSON-LD scripts

    // The value of the first meta tag with one of these lower-case names, the earlier name first; "" if there
    // is none.
    std::string_view meta(std::initializer_list<std::string_view> names) const;
};

PageFacts gather_facts(const html::Tree& tree);

}  // namespace quarry::extract
