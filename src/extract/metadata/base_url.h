// What relative URLs of a page are relative to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "html/tree.h"
#include "url/url.h"

namespace quarry::extract {

// The first <base href>, resolved against the page's own URL; else the page's URL. Nothing if neither is a
// usable URL (a local file converted without one). A base that is no http(s) URL is ignored, as browsers
// ignore data: and javascript: there.
std::optional<url::Url> base_url(const html::Tree& tree, std::string_view page_url);

// The absolute http(s) URL for a reference of the page, or "" if there is none: another scheme, broken, or
// relative without a base (`base` may be null). White space inside is treated as the URL standard says.
std::string absolute_url(std::string_view reference, const url::Url* base);

}  // namespace quarry::extract
