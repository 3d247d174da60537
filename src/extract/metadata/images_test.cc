#include "extract/metadata/images.h"

#include <string>

#include <doctest/doctest.h>

#include "html/parser.h"

using namespace quarry;
using namespace quarry::extract;

namespace {

std::string images_of(std::string html, DataImages data_images = DataImages::leave_out) {
    const html::Tree tree = html::parse(std::move(html));
    const auto base = url::Url::parse("https://a.example/").value();
    std::string text;
    for (const Image& image : find_images(tree, &base, data_images))
        text += image.url + "|" + image.alt + "\n";
    return text;
}

}  // namespace

TEST_CASE("images are found wherever a page keeps their address") {
    struct Row {
        const char* html;
        const char* expected;
        const char* reason;
    };
    const Row rows[] = {
        {"<img src=a.png alt=' A  b '>", "https://a.example/a.png|A b\n", "src"},
        {"<img src=a.png><img src=a.png>", "https://a.example/a.png|\n", "once"},
        {"<img src=s.png srcset='m.png 2x, l.png 3x'>", "https://a.example/l.png|\n",
         "the largest of srcset"},
        {"<img src='data:image/gif;base64,R0' data-src=a.png>", "https://a.example/a.png|\n", "loaded late"},
        {"<img src=blank.gif data-src=a.png>", "https://a.example/a.png|\n", "a placeholder file"},
        {"<img data-lazy-srcset='a.png 1x'>", "https://a.example/a.png|\n", "srcset loaded late"},
        {"<img data-hi-res-src=a.png>", "https://a.example/a.png|\n", "a rarer name"},
        {"<picture><source srcset='a.webp 1x'><img></picture>", "https://a.example/a.webp|\n", "picture"},
        {"<img src='data:image/gif;base64,R0'>", "", "written into the page"},
        {"<img><img src=''><img src='#'>", "", "nothing there"},
        {"<noscript><img src=a.png></noscript>", "https://a.example/a.png|\n", "for those without scripts"},
        {"<amp-img src=a.png></amp-img>", "https://a.example/a.png|\n", "AMP"},
        {"<img src='javascript:x'>", "", "no picture"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.html);
        CAPTURE(row.reason);
        CHECK(images_of(row.html) == row.expected);
    }
}

TEST_CASE("pictures written into the page are kept when asked for") {
    CHECK(images_of("<img src='data:image/gif;base64,R0'>", DataImages::keep) ==
          "data:image/gif;base64,R0|\n");
    CHECK(images_of("<img src='data:text/html,x'>", DataImages::keep) == "");
}
