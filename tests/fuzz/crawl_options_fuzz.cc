// A crawl's options from any JSON: what is accepted is kept exactly, and can be checked without harm.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "crawl/options/options.h"

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    boost::system::error_code error;
    const auto json = boost::json::parse(std::string_view(reinterpret_cast<const char*>(data), size), error);
    if (error) return 0;
    const auto options = quarry::crawl::parse_crawl_options(json);
    if (!options) {
        require(!options.error().message.empty());
        return 0;
    }
    const std::string kept = boost::json::serialize(quarry::crawl::to_json(*options));
    const auto back = quarry::crawl::parse_crawl_options(boost::json::parse(kept));
    require(back && boost::json::serialize(quarry::crawl::to_json(*back)) == kept);
    require(quarry::crawl::check(*options).has_value() == quarry::crawl::check(*back).has_value());
    return 0;
}
