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
