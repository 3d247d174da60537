#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "extract/content/extract_main_content.h"
#include "html/parser.h"

namespace {

using namespace quarry;

std::string shown(std::string_view page) {
    const html::Tree tree = html::parse(std::string(page));
    const extract::Selection selection = extract::select_full_page(tree);
    std::string text;
    for (html::NodeId id = 0; id < tree.size(); ++id) {
        if (!selection.keeps(id)) {
            id = tree[id].end - 1;
        } else if (tree.is_text(id)) {
            text += tree[id].text;
        }
    }
    return text;
}

}  // namespace

TEST_CASE("a full page holds what a browser shows and nothing else") {
    struct Row {
        std::string_view page, text, reason;
    };
    constexpr Row rows[] = {
        {"<title>t</title><p>a<script>b</script><style>c</style>", "a", "code is not text"},
        {"<nav>menu</nav><p>a</p><footer>end</footer>", "menuaend", "boilerplate is shown"},
        {"<p>long enough</p><p hidden>b</p>", "long enough", "hidden"},
        {"<p>long enough</p><p style='Color: red; DISPLAY : none'>b</p>", "long enough", "display: none"},
        {"<p>long enough</p><p style='display:none !important'>b</p>", "long enough", "with !important"},
        {"<p>long enough</p><p style='visibility:hidden'>b</p>", "long enough", "visibility"},
        {"<p>long enough</p><p style='display:nonesuch'>b</p>", "long enoughb", "another value"},
        {"<p>a</p><p hidden=until-found>b</p>", "ab", "found by the browser's search"},
        {"<p>a</p><div role=tabpanel hidden>b</div>", "ab", "an inactive tab is one click away"},
        {"<p>long enough</p><dialog>b</dialog><dialog open>c</dialog>", "long enoughc", "a closed dialog"},
        {"<p>a</p><template>b</template>", "a", "templates are inert"},
        {"<p>a</p><x-y><template shadowrootmode=open><p>b</p></template></x-y>", "ab",
         "a shadow root is shown"},
        {"<p>a</p><details><summary>b</summary>c</details>", "abc", "details open on a click"},
        {"<p>a</p><iframe>b</iframe>", "a", "an iframe's content is for browsers without iframes"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(shown(row.page) == row.text);
    }
}

TEST_CASE("what hides most of the page is waiting for a script, and is shown") {
    CHECK(shown("<p>Loading</p><div style='display:none'>All of the text of the page.</div>") ==
          "LoadingAll of the text of the page.");
    CHECK(shown("<p>Loading</p><noscript>All of the text of the page.</noscript>") ==
          "LoadingAll of the text of the page.");
    CHECK(shown("<p>All of the text of the page.</p><noscript>Enable scripts!</noscript>") ==
          "All of the text of the page.");
}

TEST_CASE("an image in <noscript> is kept unless it doubles the one before it") {
    const auto keeps_image = [](std::string_view page) {
        const html::Tree tree = html::parse(std::string(page));
        const extract::Selection selection = extract::select_full_page(tree);
        for (html::NodeId id = 0; id < tree.size(); ++id) {
            if (tree.is(id, html::Tag::img) && tree.is(tree[id].parent, html::Tag::noscript))
                return selection.keeps(id);
        }
        return false;
    };
    CHECK(keeps_image("<p>a<div data-src=x></div><noscript><img src=x></noscript>"));
    CHECK_FALSE(keeps_image("<p>a<img data-src=x> <noscript><img src=x></noscript>"));
    CHECK_FALSE(
        keeps_image("<p>a<picture><img data-src=x></picture><!-- --><noscript><img src=x></noscript>"));
}
