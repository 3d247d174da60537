#include "branding/logo.h"

#include <doctest/doctest.h>

using namespace quarry::branding;

namespace {

LogoCandidate image(const std::string& name, const std::string& words) {
    return {.url = "https://a.example/" + name, .words = words, .top = 900, .width = 120, .height = 40};
}

}  // namespace

TEST_CASE("the logo is what is called so, stands in the head and leads home") {
    LogoCandidate logo = image("logo.svg", "site-logo"), photo = image("photo.jpg", "hero");
    logo.in_header = logo.leads_home = photo.in_header = true;
    logo.top = photo.top = 10;
    photo.width = 1'200;

    CHECK(choose_logo({photo, logo}) == logo.url);
}

TEST_CASE("an image of the head that leads home is a logo, whatever it is called") {
    LogoCandidate mark = image("x.png", "");
    mark.in_header = mark.leads_home = true;
    mark.top = 10;

    CHECK(choose_logo({mark}) == mark.url);
}

TEST_CASE("logos of others, at the foot or in the text, are not the page's") {
    LogoCandidate customer = image("acme.svg", "customer-logo acme"), foot = image("foot.svg", "");
    customer.in_header = true;
    foot.in_footer = true;

    CHECK(choose_logo({customer, foot, image("photo.jpg", "a stone")}).empty());
    CHECK(choose_logo({}).empty());
}

TEST_CASE("the icon of a tab goes before that of a phone, and a large one before a small one") {
    const Icon small{"icon", "https://a.example/16.png", 16},
        large{"shortcut icon", "https://a.example/64.png", 64};
    const Icon phone{"apple-touch-icon", "https://a.example/180.png", 180},
        mask{"mask-icon", "https://a.example/m.svg"};

    CHECK(choose_favicon({phone, small, large, mask}) == large.url);
    CHECK(choose_favicon({mask, phone}) == phone.url);
    CHECK(choose_favicon({mask}).empty());
}
