#include "net/address_policy.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::net;

namespace {

Address address(std::string_view text) {
    const auto parsed = Address::parse(text);
    REQUIRE_MESSAGE(parsed, text);
    return *parsed;
}

bool is_allowed(const AddressPolicy& policy, std::string_view text) {
    return policy.check(address(text)).has_value();
}

AddressPolicy allowing(std::string_view network) {
    return {.allowed_networks = {Network::parse(network).value()}};
}

struct Range {
    const char* first;
    const char* last;
    const char* before;  // the nearest public address below, or "" where another special range begins
    const char* after;
};

constexpr Range v4_ranges[] = {
    {"0.0.0.0", "0.255.255.255", "", "1.0.0.0"},
    {"10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"},
    {"100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"},
    {"127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"},
    {"169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"},
    {"172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"},
    {"192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"},
    {"192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"},
    {"192.31.196.0", "192.31.196.255", "192.31.195.255", "192.31.197.0"},
    {"192.52.193.0", "192.52.193.255", "192.52.192.255", "192.52.194.0"},
    {"192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"},
    {"192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"},
    {"192.175.48.0", "192.175.48.255", "192.175.47.255", "192.175.49.0"},
    {"198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"},
    {"198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"},
    {"203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"},
    {"224.0.0.0", "239.255.255.255", "223.255.255.255", ""},
    {"240.0.0.0", "255.255.255.255", "", ""},
    {"168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"},
};

constexpr Range v6_ranges[] = {
    {"::", "::", "", ""},
    {"::1", "::1", "", ""},
    {"::ffff:0:0", "::ffff:ffff:ffff", "", ""},
    {"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "", ""},
    {"100::", "100::ffff:ffff:ffff:ffff", "", ""},
    {"100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff", "", ""},
    {"2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff::", ""},
    {"2001:2::", "2001:2:0:ffff::", "", ""},
    {"2001:10::", "2001:1f:ffff::", "", ""},
    {"2001:20::", "2001:2f:ffff::", "", ""},
    {"2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "", "2001:200::"},
    {"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff::", "2001:db9::"},
    {"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff::", "2003::"},
    {"2620:4f:8000::", "2620:4f:8000:ffff::", "2620:4f:7fff::", "2620:4f:8001::"},
    {"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff::", "3fff:1000::"},
    {"5f00::", "5f00:ffff::", "", ""},
    {"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""},
    {"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""},
    {"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""},
    {"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""},
    {"4000::", "4000::1", "3fff:ffff::", ""},
};

void check_range(const Range& range) {
    CAPTURE(range.first);
    const AddressPolicy policy;
    CHECK_FALSE(is_allowed(policy, range.first));
    CHECK_FALSE(is_allowed(policy, range.last));
    if (*range.before) CHECK_MESSAGE(is_allowed(policy, range.before), range.before);
    if (*range.after) CHECK_MESSAGE(is_allowed(policy, range.after), range.after);
}

}  // namespace

TEST_CASE("every special IPv4 range is refused to its edges, and its public neighbours are not") {
    for (const Range& range : v4_ranges) check_range(range);
}

TEST_CASE("every special IPv6 range is refused to its edges, and its public neighbours are not") {
    for (const Range& range : v6_ranges) check_range(range);
}

TEST_CASE("public addresses are allowed") {
    const AddressPolicy policy;
    for (const char* text :
         {"1.1.1.1", "8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001::1"})
        CHECK_MESSAGE(is_allowed(policy, text), text);
}

TEST_CASE("an IPv4 address hidden in an IPv6 address is judged by what it leads to") {
    const AddressPolicy policy;

    CHECK_FALSE(is_allowed(policy, "::ffff:127.0.0.1"));
    CHECK_FALSE(is_allowed(policy, "::ffff:169.254.169.254"));
    CHECK_FALSE(is_allowed(policy, "::127.0.0.1"));
    CHECK_FALSE(is_allowed(policy, "64:ff9b::10.0.0.1"));
    CHECK_FALSE(is_allowed(policy, "64:ff9b::a9fe:a9fe"));
    CHECK_FALSE(is_allowed(policy, "64:ff9b:1::8.8.8.8"));
    CHECK_FALSE(is_allowed(policy, "2002:7f00:1::"));
    CHECK_FALSE(is_allowed(policy, "2001:0:4136:e378:8000:63bf:80ff:fffe"));
    CHECK_FALSE(is_allowed(policy, "2a00:1450::5efe:10.0.0.1"));
    CHECK_FALSE(is_allowed(policy, "2a00:1450::200:5efe:10.0.0.1"));
    CHECK(is_allowed(policy, "64:ff9b::8.8.8.8"));
    CHECK(is_allowed(policy, "2a00:1450::5efe:8.8.8.8"));
}

TEST_CASE("a public IPv4 address written as IPv4-mapped is refused: no honest name resolves to it") {
    CHECK_FALSE(is_allowed({}, "::ffff:8.8.8.8"));
}

TEST_CASE("allow_private lets intranet addresses through") {
    const AddressPolicy policy{.allow_private = true};
    for (const char* text : {"127.0.0.1", "::1", "10.1.2.3", "192.168.1.1", "169.254.1.1", "fd00::2",
                             "0.0.0.0", "192.0.2.2", "::ffff:10.0.0.1", "100.64.0.1"})
        CHECK_MESSAGE(is_allowed(policy, text), text);
}

TEST_CASE("allow_private does not open the metadata services, in whatever form") {
    const AddressPolicy policy{.allow_private = true};
    for (const char* text : {"169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192",
                             "168.63.129.16", "fd00:ec2::254", "::ffff:169.254.169.254",
                             "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::", "::169.254.169.254"})
        CHECK_MESSAGE(!is_allowed(policy, text), text);
}

TEST_CASE("a named network is allowed, and nothing beside it") {
    const AddressPolicy policy = allowing("10.1.0.0/16");

    CHECK(is_allowed(policy, "10.1.255.255"));
    CHECK(is_allowed(policy, "::ffff:10.1.0.1"));
    CHECK(is_allowed(policy, "64:ff9b::10.1.0.1"));
    CHECK_FALSE(is_allowed(policy, "10.2.0.0"));
    CHECK_FALSE(is_allowed(policy, "2002:a01:1::"));
    CHECK_FALSE(is_allowed(policy, "127.0.0.1"));
}

TEST_CASE("a metadata service that is named is allowed") {
    CHECK(is_allowed(allowing("169.254.169.254"), "169.254.169.254"));
    CHECK(is_allowed(allowing("fd00:ec2::254/128"), "fd00:ec2::254"));
}

TEST_CASE("a refusal says what the address is and how to allow it") {
    const AddressPolicy policy;
    const auto sentence = [&](std::string_view text) { return policy.check(address(text)).error().message; };

    CHECK(policy.check(address("127.0.0.1")).error().code == ErrorCode::refused);
    CHECK(sentence("127.0.0.1") ==
          "refused: 127.0.0.1 is a loopback address (allow it with --allow-private)");
    CHECK(sentence("::1") == "refused: ::1 is a loopback address (allow it with --allow-private)");
    CHECK(
        sentence("::ffff:127.0.0.1") ==
        "refused: ::ffff:127.0.0.1 is an IPv4-mapped address of 127.0.0.1, a loopback address (allow it with "
        "--allow-private)");
    CHECK(sentence("169.254.169.254") ==
          "refused: 169.254.169.254 is a cloud metadata address (allow it with --allow-network "
          "169.254.169.254)");
}

TEST_CASE("a host that is an address is checked without a lookup, a name is left to the connection") {
    const AddressPolicy policy;
    CHECK_FALSE(policy.check_host("127.0.0.1"));
    CHECK_FALSE(policy.check_host("[::1]"));
    CHECK(policy.check_host("8.8.8.8"));
    CHECK(policy.check_host("localhost"));
}

TEST_CASE("a network that is not one is refused with a sentence that helps") {
    struct Row {
        const char* text;
        const char* hint;
    };
    constexpr Row rows[] = {
        {"", "write it like 10.0.0.0/8"},
        {"intranet", "write it like 10.0.0.0/8"},
        {"10.0.0/8", "write it like 10.0.0.0/8"},
        {"010.0.0.0/8", "write it like 10.0.0.0/8"},
        {"10.0.0.0/", "a number from 0 to 32"},
        {"10.0.0.0/33", "a number from 0 to 32"},
        {"10.0.0.0/-1", "a number from 0 to 32"},
        {"10.0.0.0/8x", "a number from 0 to 32"},
        {"fd00::/129", "a number from 0 to 128"},
        {"192.168.1.7/24", "write 192.168.1.0/24 for the network or 192.168.1.7 for the host"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto network = Network::parse(row.text);
        REQUIRE_FALSE(network);
        CHECK(network.error().code == ErrorCode::invalid_argument);
        CHECK_MESSAGE(network.error().message.find(row.hint) != std::string::npos, network.error().message);
    }
}

TEST_CASE("a prefix of 0 holds every address of its family") {
    CHECK(is_allowed(allowing("0.0.0.0/0"), "127.0.0.1"));
    CHECK_FALSE(is_allowed(allowing("0.0.0.0/0"), "::1"));
    CHECK(is_allowed(allowing("::/0"), "::1"));
}
