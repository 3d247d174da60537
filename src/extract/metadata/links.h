// Where a page leads: the links, frames and feeds of a tree, the links written in markdown or plain text,
// and the base that relative URLs of a page are resolved against.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "html/tree.h"
#include "model/document.h"
#include "url/url.h"

namespace quarry::extract {

// What relative URLs of a page are relative to.

// The first <base href>, resolved against the page's own URL; else the page's URL. Nothing if neither is a
// usable URL (a local file converted without one). A base that is no http(s) URL is ignored, as browsers
// ignore data: and javascript: there.
std::optional<url::Url> base_url(const html::Tree& tree, std::string_view page_url);

// The absolute http(s) URL for a reference of the page, or "" if there is none: another scheme, broken, or
// relative without a base (`base` may be null). White space inside is treated as the URL standard says.
std::string absolute_url(std::string_view reference, const url::Url* base);

// Where a page leads.

// Every <a> and <area> of the page that leads to an http(s) URL, in order, each URL once. Links into the same
// page (#section) are left out, unless the fragment is a route (#/users). A URL linked twice takes its text
// from the first link that has one, and is nofollow only if every link to it is.
std::vector<Link> find_links(const html::Tree& tree, const url::Url* base);

// What the page shows in <frame> and <iframe>: pages of their own, which a crawl may want.
std::vector<Link> find_frames(const html::Tree& tree, const url::Url* base);

// The feeds that <link rel=alternate> names.
std::vector<Link> find_feeds(const html::Tree& tree, const url::Url* base);

// Links written in markdown or plain text: documents that are served as such, and llms.txt.

struct InlineLinks {
    std::vector<Link> links{};
    std::vector<Image> images{};
};

// Finds [text](url), ![alt](url), <https://…> and bare https://… outside of code, in order, each URL once,
// absolute, http(s) only. Reference definitions ([text]: url) count as links. Linear.
InlineLinks find_inline_links(std::string_view markdown, const url::Url* base);

}  // namespace quarry::extract
