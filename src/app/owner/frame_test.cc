#include "app/owner/frame.h"

#include <string>
#include <vector>

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
