#include <doctest/doctest.h>

#include "url/host.h"

using namespace quarry::url;

TEST_CASE("every spelling of an IPv4 address that browsers read gives the same address") {
    for (const char* spelling : {"127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0177.0.0.01", "2130706433",
                                 "0x7f000001", "017700000001", "127.0.0.1.", "0x7F.0x.0.1"}) {
        CAPTURE(spelling);
        CHECK(ends_in_number(spelling));
        CHECK(parse_ipv4(spelling) == Ipv4{0x7f000001});
    }
}

TEST_CASE("what only looks like an IPv4 address is refused") {
    for (const char* text : {"", ".", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "1.2.65536", "4294967296",
                             "1..2", "08.1", "0xg.1", "a.1", "1.2.3.4..", "99999999999999999999999999"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_ipv4(text));
    }
}

TEST_CASE("a host ends in a number only if its last label is one") {
    CHECK(ends_in_number("a.example.0x1F"));
    CHECK(ends_in_number("1.2.3.08"));
    CHECK_FALSE(ends_in_number("4.example"));
    CHECK_FALSE(ends_in_number("example.0xg"));
    CHECK_FALSE(ends_in_number("example.."));
    CHECK_FALSE(ends_in_number(""));
}

TEST_CASE("IPv6 addresses are read and written in their shortest form") {
    struct Row {
        const char* input;
        const char* expected;  // nullptr: refused
    };
    const Row rows[] = {
        {"::", "::"},
        {"::1", "::1"},
        {"0:0:0:0:0:0:0:1", "::1"},
        {"1::", "1::"},
        {"2001:DB8::0:1", "2001:db8::1"},
        {"1:0:0:2:0:0:0:3", "1:0:0:2::3"},       // the longest run is compressed
        {"1:0:0:2:3:0:0:4", "1::2:3:0:0:4"},     // the first of two equal runs
        {"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},  // one zero is not worth "::"
        {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
        {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
        {"::ffff:127.0.0.1", "::ffff:7f00:1"},
        {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
        {"", nullptr},
        {":", nullptr},
        {":::", nullptr},
        {"1:", nullptr},
        {":1", nullptr},
        {"1::2::3", nullptr},
        {"1:2:3:4:5:6:7", nullptr},
        {"1:2:3:4:5:6:7:8:9", nullptr},
        {"::1:2:3:4:5:6:7:8", nullptr},
        {"12345::", nullptr},
        {"g::", nullptr},
        {"::1%25eth0", nullptr},  // a zone
        {"::1.2.3", nullptr},
        {"::1.2.3.4.5", nullptr},
        {"::01.2.3.4", nullptr},
        {"::1.2.3.256", nullptr},
        {"::.1.2.3", nullptr},
        {"1:2:3:4:5:6:7:1.2.3.4", nullptr},
    };
    for (const Row& row : rows) {
        CAPTURE(row.input);
        const auto address = parse_ipv6(row.input);
        REQUIRE(address.has_value() == (row.expected != nullptr));
        if (address) CHECK(to_string(*address) == row.expected);
    }
}

TEST_CASE("an IPv4 address is written as four decimal numbers") {
    CHECK(to_string(Ipv4{0xC0A80001}) == "192.168.0.1");
    CHECK(to_string(Ipv4{0}) == "0.0.0.0");
    CHECK(to_string(Ipv4{0xFFFFFFFF}) == "255.255.255.255");
}
