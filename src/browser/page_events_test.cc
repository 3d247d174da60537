#include "browser/page_events.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::browser;
namespace json = boost::json;

namespace {

void tell(PageEvents& events, std::string_view name, std::string_view loader) {
    events.take("Page.lifecycleEvent", {{"frameId", "main"}, {"loaderId", loader}, {"name", name}});
}

PageEvents& open_blank(PageEvents& events) {
    events.change([](PageState& state) { state.frame = "main"; });
    tell(events, "init", "blank");
    tell(events, "load", "blank");
    return events;
}

}  // namespace

TEST_CASE("an empty page that is loaded is not the page that was asked for") {
    PageEvents events;
    open_blank(events);
    REQUIRE(events.state().is_loaded);

    events.expect("first");
    CHECK_FALSE(events.state().is_loaded);
    tell(events, "load", "blank");
    CHECK_FALSE(events.state().is_loaded);
    tell(events, "init", "first");
    tell(events, "load", "first");
    CHECK(events.state().is_loaded);
}

TEST_CASE("a page that has gone elsewhere before its name was told is not gone back to") {
    PageEvents events;
    open_blank(events);
    tell(events, "init", "first");
    tell(events, "init", "second");
    tell(events, "load", "second");

    events.expect("first");

    CHECK(events.state().loader == "second");
    CHECK(events.state().is_loaded);
}
