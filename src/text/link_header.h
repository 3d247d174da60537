// The Link header of HTTP (RFC 8288), which can carry what <link> elements carry: a page's canonical address,
// the same text as markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/page.h"

namespace quarry::text {

struct LinkValue {
    std::string target{};    // as written, not resolved
    std::string relation{};  // the rel parameter, lower case; may hold several words
    std::string type{};      // the type parameter, lower case
};

// Every link of one header's value, at most 100. What is malformed is skipped up to the next comma.
std::vector<LinkValue> parse_link_header(std::string_view value);

struct WantedLink {
    std::string_view relation{};
    std::string_view type{};  // "" for any
};

// The target of the first such link in any Link header, as written; "" if there is none.
std::string link_target(const std::vector<Header>& headers, const WantedLink& wanted);

}  // namespace quarry::text
