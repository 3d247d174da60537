#include "app/owner/protocol.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::app;
namespace json = boost::json;

TEST_CASE("versions are compared part by part, as numbers") {
    struct Row {
        const char *a, *b;
        int sign;
    };
    const Row rows[] = {
        {"0.1.0", "0.1.0", 0}, {"0.1", "0.1.0", 0},
        {"0.9.1", "0.10", -1}, {"1.0", "0.99.99", 1},
        {"", "0.0.1", -1},     {"0.2.0-rc1", "0.2.0", 0},
        {"x", "0", 0},         {"2", "10", -1},
        {"0.1.2", "0.1.1", 1}, {"99999999999999999999", "1", -1},
    };
    for (const Row& row : rows) {
        CAPTURE(row.a);
        CAPTURE(row.b);
        CHECK(compare_versions(row.a, row.b) == row.sign);
        CHECK(compare_versions(row.b, row.a) == -row.sign);
    }
}

TEST_CASE("a greeting tells who is there, and a stranger is noticed") {
    const Greeting greeting{.protocol = 3, .version = "1.2", .role = OwnerRole::background, .process = 42};

    const Greeting read = parse_greeting(to_json(greeting)).value();

    CHECK(read.protocol == 3);
    CHECK(read.version == "1.2");
    CHECK(read.role == OwnerRole::background);
    CHECK(read.process == 42);
    CHECK_FALSE(parse_greeting(json::parse(R"({"hello":1})")));
    CHECK_FALSE(parse_greeting(json::parse(R"({"protocol":-1})")));
    CHECK_FALSE(parse_greeting(json::parse(R"([1])")));
}

TEST_CASE("an error keeps its code and its sentence") {
    const Error read = parse_error(to_json(Error{ErrorCode::too_large, "it is too much"}));

    CHECK(read.code == ErrorCode::too_large);
    CHECK(read.message == "it is too much");
    CHECK(parse_error(json::parse(R"({"code":"new_one","message":"m"})")).code == ErrorCode::unavailable);
    CHECK(parse_error(json::value(1)).code == ErrorCode::corrupt);
}

TEST_CASE("an event arrives as it was told, and one of a newer owner is passed over") {
    const store::Event event{.what = store::Event::What::group_changed,
                             .group = GroupId{5},
                             .id = JobId{6},
                             .url = "https://a.example/",
                             .status = 404,
                             .state = JobState::paused};

    const auto read = parse_event(to_json(event));

    REQUIRE(read);
    CHECK(read->what == event.what);
    CHECK(read->group == event.group);
    CHECK(read->url == event.url);
    CHECK(read->status == 404);
    CHECK(read->state == JobState::paused);
    CHECK_FALSE(parse_event(json::parse(R"({"event":"moon_phase"})").as_object()));
}
