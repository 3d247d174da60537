#include "text/mime.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace quarry::text;

namespace {

// The suite writes bytes as the code points of the same number.
std::string as_bytes(std::string_view utf8) {
    std::string bytes;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const auto byte = static_cast<unsigned char>(utf8[i]);
        if (byte < 0x80) {
            bytes += utf8[i];
        } else {
            bytes += static_cast<char>((byte & 0x03) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3F));
        }
    }
    return bytes;
}

void run_suite(const std::string& name, int expected_cases) {
    std::ifstream file(QUARRY_SUITES "/suites/mimesniff/" + name);
    if (!file) {
        MESSAGE("skipped: no ", name);
        return;
    }
    const auto cases = boost::json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
    int count = 0;
    for (const auto& entry : cases.as_array()) {
        if (entry.is_string()) continue;  // a headline
        const std::string_view written = entry.at("input").as_string();
        // Code points above 0xFF cannot come over the wire: headers are bytes.
        if (std::ranges::any_of(written, [](char c) { return static_cast<unsigned char>(c) > 0xC3; }))
            continue;
        const std::string input = as_bytes(written);
        CAPTURE(input);
        const auto type = parse_mime_type(input);
        CHECK(type.has_value() == !entry.at("output").is_null());
        if (type && !entry.at("output").is_null()) {
            CHECK(serialize(*type) == as_bytes(std::string_view(entry.at("output").as_string())));
        }
        ++count;
    }
    CHECK(count == expected_cases);
}

}  // namespace

TEST_CASE("a Content-Type is split into essence and parameters") {
    const auto type = parse_mime_type(" Text/HTML ; Charset=\"utf-8\"; q=1; charset=latin1 ");

    REQUIRE(type);
    CHECK(type->essence == "text/html");
    CHECK(type->charset() == "utf-8");
    CHECK(type->parameter("q") == "1");
    CHECK(type->parameter("boundary") == "");
    CHECK(serialize(*type) == "text/html;charset=utf-8;q=1");
}

TEST_CASE("what is no MIME type is refused") {
    for (const std::string_view text :
         {"", "text", "text/", "/html", "te xt/html", "text/ht ml", "text/html, text/html"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_mime_type(text));
    }
}

TEST_CASE("the web platform tests for MIME types") {
    run_suite("mime-types.json", 72);
    run_suite("generated-mime-types.json", 881);
}
