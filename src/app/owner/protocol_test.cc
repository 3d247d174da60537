#include "app/owner/protocol.h"

#include <string>
#include <vector>

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::app;

TEST_CASE("streams of bytes become messages") {
    struct Row {
        const char* why;
        std::string bytes;
        std::vector<std::string> messages;
        bool has_rest;
        bool fails;
    };
    using namespace std::string_literals;
    const Row rows[] = {
        {"nothing", "", {}, false, false},
        {"half a head", "\0\0"s, {}, true, false},
        {"an empty message", "\0\0\0\0"s, {""}, false, false},
        {"one message", "\0\0\0\2{}"s, {"{}"}, false, false},
        {"a message that is not complete", "\0\0\0\3{}"s, {}, true, false},
        {"two, and the beginning of a third", "\0\0\0\1a\0\0\0\1b\0"s, {"a", "b"}, true, false},
        {"bytes of any value", "\0\0\0\3\0\xff\n"s, {"\0\xff\n"s}, false, false},
        {"the longest length", "\x01\0\0\0"s, {}, true, false},
        {"one more than the longest", "\x01\0\0\1"s, {}, true, true},
        {"a length that is negative to some", "\xff\xff\xff\xff"s, {}, true, true},
        {"text instead of a frame", "GET / HTTP/1.1\r\n", {}, true, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        FrameReader reader;
        reader.add(row.bytes);
        std::vector<std::string> messages;
        auto next = reader.next();
        for (; next && *next; next = reader.next()) messages.push_back(**next);
        CHECK(messages == row.messages);
        CHECK(next.has_value() != row.fails);
        CHECK(reader.has_rest() == row.has_rest);
    }
}

TEST_CASE("it does not matter how the bytes are cut") {
    const std::string bytes = frame("first") + frame("") + frame(std::string(1000, 'x'));
    FrameReader reader;
    std::vector<std::string> messages;

    for (const char byte : bytes) {
        reader.add({&byte, 1});
        while (auto message = reader.next().value()) messages.push_back(*message);
    }

    CHECK(messages == std::vector<std::string>{"first", "", std::string(1000, 'x')});
    CHECK_FALSE(reader.has_rest());
}

TEST_CASE("a frame is its length, highest byte first, and the message") {
    CHECK(frame("ab") == std::string(std::string_view("\0\0\0\2ab", 6)));
    CHECK(frame(std::string(258, 'x')).substr(0, 4) == std::string(std::string_view("\0\0\1\2", 4)));
}

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
