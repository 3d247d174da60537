// Where a page leads.
#pragma once

#include <vector>

#include "html/tree.h"
#include "model/document.h"
#include "url/url.h"

namespace quarry::extract {

// Every <a> and <area> of the page that leads to an http(s) URL, in order, each URL once. Links into the same
// page (#section) are left out, unless the fragment is a route (#/users). A URL linked twice takes its text
// from the first link that has one, and is nofollow only if every link to it is.
std::vector<Link> find_links(const html::Tree& tree, const url::Url* base);

// What the page shows in <frame> and <iframe>: pages of their own, which a crawl may want.
std::vector<Link> find_frames(const html::Tree& tree, const url::Url* base);

// The feeds that <link rel=alternate> names.
std::vector<Link> find_feeds(const html::Tree& tree, const url::Url* base);

}  // namespace quarry::extract
