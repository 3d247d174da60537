// What a hostile page looks like: of any JSON comes a profile that is bounded, and valid UTF-8.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <boost/json.hpp>

#include "branding/color.h"
#include "branding/fonts.h"
#include "branding/profile.h"
#include "url/host.h"

namespace {

namespace json = boost::json;

void require(bool promise) {
    if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    require(quarry::branding::font_stack(text).size() <= 12);
    (void)quarry::branding::parse_color(text);
    boost::system::error_code problem;
    json::parse_options options;
    options.allow_invalid_utf8 = true;  // as messages of the browser are read
    const json::value facts = json::parse(text, problem, {}, options);
    if (problem) return 0;
    const json::object profile = quarry::branding::profile_of(facts);
    require(profile.contains("colorScheme") && profile.contains("colors"));
    const std::string written = json::serialize(profile);
    require(written.size() < 400'000);
    require(quarry::url::to_valid_utf8(written) == written);
    require(!json::parse(written).is_null());
    return 0;
}
