// An answer of SearXNG of any bytes: what is read from it is bounded, and every page could be fetched.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "url/url.h"
#include "work/web_search.h"

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    const auto results = quarry::work::parse_searxng_answer(body, 5);
    if (!results) return 0;
    require(results->size() <= 5);
    for (const auto& result : *results) {
        const auto url = quarry::url::Url::parse(result.url);
        require(url && url->is_http() && url->username().empty());
        require(result.title.size() <= 500 && result.description.size() <= 4'000);
    }
    return 0;
}
