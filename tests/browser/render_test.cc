#include "browser/browser_site.h"

using namespace quarry;
using namespace std::chrono_literals;
using test::BrowserSite;
using test::shared_pool;

TEST_CASE("a page that scripts build is read as it then stands") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/spa", R"(<!doctype html><title>App</title><div id="root"></div>
        <noscript>needs scripts</noscript>
        <script>setTimeout(() => document.getElementById('root').innerHTML = '<h1>Built</h1>', 50)</script>)");

    const auto rendered = shared_pool().render(place.request("/spa"));

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    CHECK(rendered->status == 200);
    CHECK(rendered->final_url == place.site.url("/spa"));
    CHECK(rendered->html.contains("<h1>Built</h1>"));
    CHECK_FALSE(rendered->html.contains("needs scripts"));
}

TEST_CASE("a page that shows nothing yet is given time to") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/slow", R"(<!doctype html><title>App</title><div id="root"></div>
        <script>setTimeout(() => document.getElementById('root').innerHTML = '<h1>Late</h1>', 700)</script>)");

    const auto rendered = shared_pool().render(place.request("/slow"));

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    CHECK(rendered->html.contains("<h1>Late</h1>"));
}

TEST_CASE("what shows from open shadow roots is part of the page") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page", R"(<body><my-card>slotted <b>text</b></my-card><script>
        customElements.define('my-card', class extends HTMLElement { constructor() { super();
        this.attachShadow({mode: 'open'}).innerHTML = '<style>p{}</style><p>in the shadow: <slot></slot></p>'; } });
        </script>)");

    const auto rendered = shared_pool().render(place.request("/page"));

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    CHECK(rendered->html.contains("<my-card><p>in the shadow: slotted <b>text</b></p></my-card>"));
}

TEST_CASE("actions are done in order, and give what they are asked for") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page",
               R"html(<body style="height:3000px"><input id="name"><button id="go">go</button><p id="out"></p>
        <script>go.onclick = () => setTimeout(
            () => out.textContent = 'hello ' + document.getElementById('name').value, 30)</script>)html");
    auto request = place.request("/page");
    using Kind = browser::Action::Kind;
    request.actions = {{.kind = Kind::click, .selector = "#name"},
                       {.kind = Kind::write, .text = "Ada"},
                       {.kind = Kind::press, .text = "Tab"},
                       {.kind = Kind::click, .selector = "#go"},
                       {.kind = Kind::scrape},
                       {.kind = Kind::scroll},
                       {.kind = Kind::script, .text = "window.scrollY > 0"},
                       {.kind = Kind::picture},
                       {.kind = Kind::pdf}};

    const auto rendered = shared_pool().render(request);

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    REQUIRE(rendered->scrapes.size() == 1);
    CHECK(rendered->scrapes[0].html.contains("hello Ada"));
    REQUIRE(rendered->script_results.size() == 1);
    CHECK(rendered->script_results[0].as_object().at("value") == true);
    REQUIRE(rendered->pictures.size() == 1);
    CHECK(rendered->pictures[0].starts_with("\x89PNG"));
    REQUIRE(rendered->pdfs.size() == 1);
    CHECK(rendered->pdfs[0].starts_with("%PDF"));
}

TEST_CASE("an action that cannot be done says which it was") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page", "<h1>page</h1>");
    auto request = place.request("/page");
    request.actions = {{.kind = browser::Action::Kind::wait, .time = 1ms},
                       {.kind = browser::Action::Kind::click, .selector = "#missing"}};

    const auto rendered = shared_pool().render(request);

    REQUIRE_FALSE(rendered);
    CHECK(rendered.error().message == "action 2 (click): no element matches \"#missing\"");
}

TEST_CASE("a page that answers 404 is a page, with its status") {
    REQUIRE_BROWSER();
    BrowserSite place;

    const auto rendered = shared_pool().render(place.request("/nowhere"));

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    CHECK(rendered->status == 404);
}
