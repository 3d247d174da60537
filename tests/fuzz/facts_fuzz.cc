// The small languages inside pages and headers. The first byte chooses which one reads the rest.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "extract/metadata/byline.h"
#include "extract/metadata/dates.h"
#include "extract/metadata/images.h"
#include "extract/metadata/json_ld.h"
#include "extract/metadata/links.h"
#include "extract/metadata/page_facts.h"
#include "extract/text_document.h"

using namespace quarry;
using namespace quarry::extract;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void check_date(std::string_view text) {
    const auto date = iso_date(text);
    if (date) require(iso_date(*date) == date);
}

void check_front_matter(std::string_view text) {
    const FrontMatter matter = read_front_matter(text);
    require(text.ends_with(matter.body));
    require(matter.fields.size() <= 100);
}

void check_robots(std::string_view text) {
    RobotsDirectives directives;
    add_robots_headers({{"X-Robots-Tag", std::string(text)}}, directives);
    add_robots_meta(text, directives);
}

void check_json(std::string_view text) {
    const std::string pretty = pretty_json(text);
    require(pretty_json(pretty) == pretty);
    (void)read_json_ld(std::array{text});
}

void check_links(std::string_view text) {
    const auto base = url::Url::parse("https://a.example/d/").value();
    for (const Link& link : find_inline_links(text, &base).links) require(link.url.starts_with("http"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0]) {
        case 'd': check_date(text); break;
        case 'f': check_front_matter(text); break;
        case 'r': check_robots(text); break;
        case 'j': check_json(text); break;
        case 'l': check_links(text); break;
        case 's': require(text.find(best_source(text)) != std::string_view::npos); break;
        case 'a': require(author_name(text).size() <= 200); break;
        default: break;
    }
    return 0;
}
