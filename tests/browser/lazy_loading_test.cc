// Pages that load what comes into view.
#include <fmt/format.h>

#include "browser/browser_site.h"

using namespace quarry;
using namespace std::chrono_literals;
using test::BrowserSite;
using test::shared_pool;
using Kind = browser::Action::Kind;

namespace {

// Ten pieces of a thousand pixels, of which each comes when the end of the page is nearly in view.
constexpr const char* feed = R"(<!doctype html><style>body{margin:0}.piece{height:1000px}</style>
    <main></main><div id="end" style="height:1px"></div><script>
    let count = 0;
    new IntersectionObserver(entries => {
        if (!entries.some(entry => entry.isIntersecting) || count === 10) return;
        const piece = document.createElement('div');
        piece.className = 'piece';
        piece.textContent = 'piece ' + ++count;
        document.querySelector('main').append(piece);
    }).observe(document.querySelector('#end'))</script>)";

constexpr const char* gallery = R"(<!doctype html><style>body{margin:0}</style><h1>Gallery</h1>
    <div style="height:15000px"></div><img loading="lazy" src="/late.svg" width="100" height="100">)";

unsigned height_of(const std::string& png) {
    REQUIRE(png.starts_with("\x89PNG"));
    unsigned height = 0;
    for (std::size_t i = 20; i < 24; ++i) height = height << 8 | static_cast<unsigned char>(png.at(i));
    return height;
}

void serve(BrowserSite& place) {
    place.page("/gallery", gallery);
    place.page("/feed", feed);
    place.answer("/late.svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>");
}

}  // namespace

TEST_CASE("an image far below is not asked for until somebody looks there") {
    REQUIRE_BROWSER();
    BrowserSite place;
    serve(place);

    const auto rendered = shared_pool().render(place.request("/gallery"));

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    CHECK(place.site.count_requests("/late.svg") == 0);
}

TEST_CASE("a picture of the whole page has what loads late") {
    REQUIRE_BROWSER();
    BrowserSite place;
    serve(place);
    auto images = place.request("/gallery"), pieces = place.request("/feed");
    images.picture = pieces.picture = PictureWish{.full_page = true};

    const auto gallery_picture = shared_pool().render(images);
    const auto feed_picture = shared_pool().render(pieces);

    REQUIRE_MESSAGE(gallery_picture, gallery_picture.error().message);
    CHECK(place.site.count_requests("/late.svg") == 1);
    CHECK(height_of(gallery_picture->picture) > 15'000);
    REQUIRE_MESSAGE(feed_picture, feed_picture.error().message);
    CHECK(feed_picture->html.contains("piece 10"));
    CHECK(height_of(feed_picture->picture) == 10'001);
}

TEST_CASE("a page that is scrolled has what comes into view, and no more") {
    REQUIRE_BROWSER();
    BrowserSite place;
    serve(place);
    auto still = place.request("/feed"), scrolled = place.request("/feed");
    scrolled.actions = {{.kind = Kind::scroll}, {.kind = Kind::scroll}, {.kind = Kind::scroll}};

    const auto before = shared_pool().render(still);
    const auto after = shared_pool().render(scrolled);

    REQUIRE_MESSAGE(before, before.error().message);
    CHECK(before->html.contains("piece 1<"));
    CHECK_FALSE(before->html.contains("piece 2<"));
    REQUIRE_MESSAGE(after, after.error().message);
    CHECK(after->html.contains("piece 3<"));
    CHECK_FALSE(after->html.contains("piece 10"));
}
