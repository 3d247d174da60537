// What SearXNG found, read from its JSON. The engines behind it are strangers: everything is bounded, and
// only pages that could be fetched are kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace quarry::work {

struct WebResult {
    std::string url{};  // http or https, normalised
    std::string title{}, description{};
};

// In its order, each URL once. `corrupt` if it is no answer of SearXNG. Results that cannot be read are left
// out.
Result<std::vector<WebResult>> parse_searxng_answer(std::string_view body, std::size_t limit);

}  // namespace quarry::work
