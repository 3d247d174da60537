// What a real browser sees of a page, and what is made of it.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "branding/profile.h"
#include "browser/branded_page.h"
#include "browser/browser_site.h"

using namespace quarry;
using namespace std::chrono_literals;
using test::BrowserSite;
using test::shared_pool;
namespace json = boost::json;

namespace {

// The profile of what is served as /page.
json::object profile_of_page(const BrowserSite& place) {
    auto request = place.request("/page");
    request.branding = true;
    const auto rendered = shared_pool().render(request);
    REQUIRE_MESSAGE(rendered, rendered.error().message);
    return branding::profile_of(rendered->branding);
}

}  // namespace

TEST_CASE("a page's colours, fonts, buttons and images are seen as they are") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page", test::branded_page);

    const json::object profile = profile_of_page(place);

    CAPTURE(json::serialize(profile));
    CHECK(profile.at("colorScheme") == "light");
    CHECK(profile.at("brandName") == "Stones & Co");
    const json::value& colors = profile.at("colors");
    CHECK(colors.at("primary") == "#7A1FA2");
    CHECK(colors.at("background") == "#FAFAFA");
    CHECK(colors.at("textPrimary") == "#222222");
    CHECK(colors.at("textSecondary") == "#777777");
    CHECK(colors.at("success") == "#008000");
    CHECK(colors.at("accent") == colors.at("link"));
    CHECK(profile.at("typography").at("fontFamilies") ==
          json::value{{"primary", "Source Sans"}, {"heading", "Playfair"}, {"code", "Fira Code"}});
    CHECK(profile.at("typography").at("fontSizes").at("h1") == "42px");
    CHECK(profile.at("typography").at("fontSizes").at("body") == "17px");
    CHECK(profile.at("typography").at("lineHeights") == json::value{{"heading", 1.25}, {"body", 1.5}});
    CHECK(profile.at("spacing") == json::value{{"baseUnit", 8}, {"borderRadius", "6px"}});
    CHECK(profile.at("components") ==
          json::value{{"buttonPrimary",
                       {{"background", "#7A1FA2"}, {"textColor", "#FFFFFF"}, {"borderRadius", "6px"}}},
                      {"buttonSecondary",
                       {{"background", "transparent"},
                        {"textColor", "#7A1FA2"},
                        {"borderColor", "#7A1FA2"},
                        {"borderRadius", "6px"}}},
                      {"input",
                       {{"background", "#FFFFFF"},
                        {"textColor", "#000000"},
                        {"borderColor", "#BBBBBB"},
                        {"borderRadius", "6px"}}}});
    CHECK(profile.at("images") == json::value{{"logo", place.site.url("/logo.svg")},
                                              {"favicon", place.site.url("/favicon.svg")},
                                              {"ogImage", place.site.url("/share.png")}});
}

TEST_CASE("colours of wider spaces are given as a screen shows them") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page",
               R"html(<!doctype html><body style="background: color(srgb 0 0 0.2); color: lab(100 0 0)">
        <p>white words on a dark blue ground</p>)html");

    const json::object profile = profile_of_page(place);

    CHECK(profile.at("colorScheme") == "dark");
    CHECK(profile.at("colors").at("background") == "#000033");
    CHECK(profile.at("colors").at("textPrimary") == "#FFFFFF");
}

TEST_CASE("what covers the page is its ground, and a logo may be drawn in it") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page(
        "/page",
        R"(<!doctype html><body style="margin:0"><div style="min-height:100vh;background:#0f172a;color:#eee">
        <header><a href="/" aria-label="Home"><svg class="logo" width="100" height="30" viewBox="0 0 10 3"><path d="M0 0h10v3z"
        fill="currentColor"/></svg></a></header><p>words that are light on a dark ground</p></div>)");

    const json::object profile = profile_of_page(place);

    CHECK(profile.at("colors").at("background") == "#0F172A");
    CHECK(std::string(profile.at("logo").as_string()).starts_with("data:image/svg+xml;base64,"));
}

TEST_CASE("buttons of a banner about cookies are not the brand's") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page(
        "/page",
        R"(<!doctype html><div class="cookie-banner"><button style="background:#0a0;color:#fff">Accept</button></div>
        <button style="background:#b00020;color:#fff">Buy</button><p>words, and some more words</p>)");

    const json::object profile = profile_of_page(place);

    CHECK(profile.at("colors").at("primary") == "#B00020");
}

TEST_CASE("a page without anything has a profile, and so has one that hides what browsers are asked with") {
    REQUIRE_BROWSER();
    BrowserSite place;
    for (const char* html :
         {"", "<svg xmlns='http://www.w3.org/2000/svg'/>",
          R"(<form name="querySelectorAll"><input name="getBoundingClientRect"><input name="closest"></form>
             <img name="querySelector"><img name="body"><img name="documentElement"><p>some words of the page</p>
             <script>Object.defineProperty(window, 'getComputedStyle', {value: () => { throw 1 }});
             Document.prototype.querySelectorAll = Element.prototype.closest = () => { throw 1 }</script>)"}) {
        CAPTURE(html);
        place.page("/page", html);
        auto request = place.request("/page");
        request.branding = true;
        request.html = false;

        const auto rendered = shared_pool().render(request);

        REQUIRE_MESSAGE(rendered, rendered.error().message);
        CHECK(branding::profile_of(rendered->branding).at("colors").at("background") == "#FFFFFF");
    }
}

TEST_CASE("a page that is much too large is looked at in part, in time") {
    REQUIRE_BROWSER();
    BrowserSite place;
    std::string html = "<!doctype html><style>";
    for (int i = 0; i < 2'000; ++i)
        html += fmt::format(".c{0}{{color:rgb({1},0,0)}}:root{{--c{0}-primary:#{0:06x}}}", i, i % 256);
    html += "</style>";
    for (int i = 0; i < 10'000; ++i)
        html += fmt::format(
            "<div class='c{0} logo header'><a href=/><img alt=x></a><button class=c{0}>b</button></div>",
            i % 2'000);
    place.page("/page", html);

    const json::object profile = profile_of_page(place);

    CHECK(json::serialize(profile).size() < 20'000);
}
