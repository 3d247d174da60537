// The Link header (RFC 8288): how a server names a page's relatives, such as the same text as markdown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page.h"
#include "url/url.h"

namespace quarry::fetch {

struct LinkValue {
    std::string target{};    // as written, not resolved
    std::string relation{};  // the rel parameter, lower case; may hold several words
    std::string type{};      // the type parameter, lower case
};

// Every link of one header's value, at most 100. What is malformed is skipped up to the next comma.
std::vector<LinkValue> parse_link_header(std::string_view value);

// Where the same page is offered as markdown: rel=alternate with type text/markdown. http and https only.
std::optional<url::Url> markdown_alternate(const std::vector<Header>& headers, const url::Url& base);

}  // namespace quarry::fetch
