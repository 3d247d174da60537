// Any bytes as a feed: what is read can be written as a page, and no item's text reaches beyond its own
// article.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "extract/feed/document.h"
#include "extract/feed/parser.h"
#include "html/parser.h"

using namespace quarry;
using namespace quarry::extract;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto feed = parse_feed({reinterpret_cast<const char*>(data), size});
    if (!feed) return 0;
    const auto base = url::Url::parse("https://a.example/d/").value();
    const html::Tree tree = html::parse(to_html(*feed, &base));
    std::size_t articles = 0;
    for (html::NodeId id = 0; id < tree.size(); ++id) {
        const bool is_item = tree.is(id, html::Tag::article) && tree[id].parent == tree.body();
        if (is_item) ++articles;
    }
    if (articles < feed->items.size()) std::abort();
    return 0;
}
