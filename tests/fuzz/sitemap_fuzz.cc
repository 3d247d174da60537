// Sitemaps of any bytes: whatever comes out is an http(s) URL in normal form.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "crawl/sitemap.h"

using namespace quarry::crawl;
using quarry::url::Url;

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

void check_location(const std::string& location) {
    const auto url = Url::parse(location);
    require(url && url->is_http() && url->href() == location);
}

void check(const Sitemap& sitemap) {
    for (const SitemapEntry& entry : sitemap.entries) check_location(entry.loc);
    for (const std::string& child : sitemap.children) check_location(child);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Url base = Url::parse("https://a.example/maps/sitemap.xml").value();
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    if (const auto sitemap = parse_sitemap(input, base)) check(*sitemap);
    check(parse_llms_txt(input, base));
    if (const auto unpacked = gunzip_bounded(input, 1000)) require(unpacked->bytes.size() <= 1000);
    return 0;
}
