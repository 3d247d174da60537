#include "extract/content/main_content.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "extract/plain_text.h"
#include "html/parser.h"

namespace {

using namespace quarry;

std::string main_text(const std::string& page) {
    const html::Tree tree = html::parse(page);
    return extract::to_plain_text(tree, extract::select_main_content(tree));
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

const std::string menu =
    "<nav class='main-menu'><ul><li><a href='/'>Home</a></li><li><a href='/news'>Newsroom</a></li>"
    "<li><a href='/contact'>Contact us</a></li><li><a href='/login'>Log in</a></li></ul></nav>";
const std::string footer =
    "<footer class='site-footer'><ul><li><a href='/privacy'>Privacy policy</a></li><li><a "
    "href='/terms'>Terms of use</a></li></ul><p>© 2024 The Harbour Company. All rights "
    "reserved.</p></footer>";

// `count` of six paragraphs that read like prose, from the one with this number on.
std::string prose(std::size_t number, std::size_t count) {
    constexpr std::string_view paragraphs[] = {
        "In chapter 1 the keeper of the lighthouse, who had lived on the rock for thirty years, wrote down "
        "what the "
        "sea had brought him: ropes, bottles, and once, after a storm in the autumn, a letter.",
        "In chapter 2 he answered it the same evening, although nobody would ever come to fetch the answer. "
        "He put "
        "it into one of the bottles, sealed it with wax from the lamp, and waited for the tide to turn.",
        "In chapter 3 the boat with the provisions came a week late. The skipper had been ill, he said, and "
        "the "
        "new one did not know the currents; they had drifted as far as the northern banks before dawn.",
        "In chapter 4 winter closed the harbour. Ice lay on the steps, the oil grew thick, and every second "
        "night "
        "the wick had to be trimmed by hand, because the clockwork would not move below freezing.",
        "In chapter 5 a ship ran aground within sight of the tower. Eleven people climbed over the rocks "
        "into the "
        "kitchen, where they stayed until the weather let them go, and ate all of the flour.",
        "In chapter 6 the inspector asked for the log, read it from cover to cover, and found no mistake in "
        "it, "
        "which he considered suspicious; so he came back in spring without telling anybody.",
    };
    std::string text;
    for (std::size_t at = 0; at < count; ++at)
        text += "<p>" + std::string(paragraphs[number - 1 + at]) + "</p>";
    return text;
}

std::string page(const std::string& body) {
    return "<!doctype html><html lang=en><head><title>The keeper of the lighthouse</title></head><body>" +
           ("<header class='site-header'><a href='/'>Harbour Company</a>" + menu + "</header>") + body +
           footer + "</body></html>";
}

}  // namespace

TEST_CASE("an article is kept and its surroundings are not") {
    const std::string text = main_text(page(
        "<nav aria-label='breadcrumb'><ol class=breadcrumb><li><a href='/'>Start</a></li><li><a "
        "href='/stories'>Stories</a></li></ol></nav>"
        "<main><article class='post'><h1>The keeper of the lighthouse</h1><div class='share-buttons'><a "
        "href='#'>Share on "
        "Facebook</a> <a href='#'>Tweet</a></div><div class='entry-content'>" +
        prose(1, 3) + "<h2>What remained</h2>" + prose(4, 2) +
        "</div></article></main><aside class='sidebar'><h3>Most popular</h3><ul><li><a href='/1'>Ten boats "
        "you can "
        "build</a></li><li><a href='/2'>Why gulls shout</a></li></ul></aside>"
        "<div class='newsletter-signup'><h3>Subscribe to our newsletter</h3><p>Get the best stories in your "
        "inbox.</p></div>"));

    CHECK(has(text, "In chapter 1 the keeper"));
    CHECK(has(text, "What remained"));
    CHECK_FALSE(has(text, "Log in"));
    CHECK_FALSE(has(text, "Tweet"));
    CHECK_FALSE(has(text, "Most popular"));
    CHECK_FALSE(has(text, "Subscribe"));
    CHECK_FALSE(has(text, "All rights reserved"));
}

TEST_CASE("documentation keeps its code and tables") {
    const std::string text = main_text(
        page("<div class='sidebar'><ul class='toc'><li><a href='#a'>Install</a></li><li><a "
             "href='#b'>Configure</a></li></ul></div>"
             "<main><div class='document'><h1>Installing the lamp</h1><p>The lamp needs a supply of oil and "
             "a wick, which are "
             "not part of the package. Install both before you begin, then run the installer.</p><div "
             "class='highlight'><pre><code>lamp install --wick=8</code></pre></div><p>The options of the "
             "installer are these, "
             "and each of them may be given more than "
             "once.</p><table><tr><th>Option</th><th>Meaning</th></tr><tr><td>--wick"
             "</td><td>The width of the wick in millimetres.</td></tr></table></div></main>"
             "<div class='edit-this-page'><a href='#'>Edit this page</a></div>"));

    CHECK(has(text, "lamp install --wick=8"));
    CHECK(has(text, "The width of the wick"));
    CHECK_FALSE(has(text, "Edit this page"));
}

TEST_CASE("a thread keeps all of its posts") {
    std::string posts;
    for (std::size_t number = 1; number <= 4; ++number) {
        posts +=
            "<div class='post'><div class='post-author'><a href='/u'>keeper</a></div><div "
            "class='post-body'>" +
            prose(number, 1) + "</div></div>";
    }

    const std::string text = main_text(
        page("<div id='thread' class='thread'><h1>How often to clean the lamp?</h1>" + posts + "</div>"));

    CHECK(has(text, "In chapter 1 "));
    CHECK(has(text, "In chapter 2 "));
    CHECK(has(text, "In chapter 4 "));
    CHECK_FALSE(has(text, "Terms of use"));
}

TEST_CASE("a consent banner is not content, wherever it stands") {
    const std::string banner =
        "<div id='cookie-consent' class='cookie-banner' role='dialog'><p>We use cookies to improve your "
        "experience, to "
        "analyse traffic and to show you advertising. By clicking accept you agree to our use of "
        "cookies.</p><button>Accept "
        "all</button></div>";

    CHECK_FALSE(has(main_text(banner + page("<article>" + prose(1, 4) + "</article>")), "cookies"));
    CHECK_FALSE(has(main_text(page("<article>" + prose(1, 4) + "</article>" + banner)), "cookies"));
}

TEST_CASE("a passage that the page holds twice is kept once") {
    const std::string text =
        main_text(page("<article><div class='for-desks'>" + prose(1, 3) + "</div><div class='for-phones'>" +
                       prose(1, 3) + "</div></article>"));

    const std::size_t first = text.find("In chapter 2 ");
    CHECK(first != std::string::npos);
    CHECK(text.find("In chapter 2 ", first + 1) == std::string::npos);
}

TEST_CASE("a page is never returned empty when it has text") {
    CHECK(has(main_text("<p>Hello"), "Hello"));
    CHECK(has(main_text("<nav><a href='/'>Home</a></nav>"), "Home"));
    CHECK(has(main_text("plain"), "plain"));
    CHECK(main_text("").empty());
}

TEST_CASE("an image between kept paragraphs is kept") {
    const html::Tree tree = html::parse(
        page("<article>" + prose(1, 2) + "<figure><img src='a.jpg'></figure>" + prose(3, 2) + "</article>"));

    const extract::Selection selection = extract::select_main_content(tree);

    for (html::NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is(id, html::Tag::img)) continue;
        CHECK(selection.keeps(id));
        CHECK(selection.keeps(tree[id].parent));
    }
}

TEST_CASE("what is kept is kept with all of its ancestors") {
    const html::Tree tree = html::parse(page("<main><article>" + prose(1, 3) + "</article></main>"));

    const extract::Selection selection = extract::select_main_content(tree);

    for (html::NodeId id = 1; id < tree.size(); ++id) {
        if (selection.keeps(id)) CHECK(selection.keeps(tree[id].parent));
    }
}

TEST_CASE("hostile trees take time in proportion to their size") {
    // Each would take minutes if any step were quadratic; the test then runs into its time limit.
    std::string deep, wide, noscripts, breaks;
    for (int count = 0; count < 100'000; ++count) {
        deep += "<div class='content post'>a";
        wide += "<p hidden class='a b c'>x</p>";
        noscripts += "<noscript><img></noscript>";
        breaks += "<br><br>word";
    }
    CHECK(has(main_text(deep), "a"));
    main_text(wide);
    main_text(noscripts);
    CHECK(has(main_text(breaks), "word"));
    CHECK(has(main_text("<p class='" + std::string(2'000'000, 'a') + "'>text"), "text"));
}

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
