// A whole page of any content type through the door. The first line is the Content-Type, the rest the body.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "extract/extract.h"

using namespace quarry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t end = std::min(input.find('\n'), input.size());
    Page page{.final_url = "https://a.example/d/page"};
    page.content_type = input.substr(0, end);
    page.body = input.substr(std::min(end + 1, input.size()));
    page.headers = {{"X-Robots-Tag", page.content_type}, {"Link", page.content_type}};
    extract::ExtractOptions options;
    options.formats = {.html = true, .raw_html = true, .text = true, .links = true, .images = true};
    const auto document = extract::extract(page, options);
    if (!document) {
        if (document.error().message.empty()) std::abort();
        return 0;
    }
    const auto is_absolute = [](const auto& item) { return item.url.starts_with("http"); };
    if (!std::ranges::all_of(document->links, is_absolute)) std::abort();
    if (!std::ranges::all_of(document->images, is_absolute)) std::abort();
    return 0;
}
