// The conformance suites of web-platform-tests, run against our parser.
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "url/url.h"

using quarry::url::Url;
namespace json = boost::json;

namespace {

// Where the data is absent the test says so and passes: the suites are not part of the repository.
std::optional<json::array> load(const std::string& name) {
    const std::string path = std::string(QUARRY_SUITES "/suites/wpt-url/") + name;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        MESSAGE("skipped: no " << path);
        return std::nullopt;
    }
    std::stringstream text;
    text << file.rdbuf();
    json::parse_options options;
    options.allow_invalid_utf8 = true;  // Some cases hold lone surrogates.
    return json::parse(text.str(), {}, options).as_array();
}

std::string text_of(const json::value& value) {
    return json::value_to<std::string>(value);
}

// The href, or "failure".
std::string parsed(const json::object& test) {
    std::optional<Url> base;
    if (const json::value* given = test.if_contains("base"); given != nullptr && given->is_string()) {
        auto result = Url::parse(text_of(*given));
        if (!result) return "failure";
        base = *result;
    }
    const auto url = Url::parse(text_of(test.at("input")), base ? &*base : nullptr);
    return url ? url->href() : "failure";
}

std::string expected(const json::object& test) {
    return test.contains("failure") ? "failure" : text_of(test.at("href"));
}

}  // namespace

TEST_CASE("WPT urltestdata: every case parses as browsers agreed, but for the misses listed here") {
    const auto cases = load("urltestdata.json");
    if (!cases) return;
    const std::map<std::string, std::string> known_misses = {};

    int passed = 0, total = 0;
    for (const json::value& value : *cases) {
        if (!value.is_object()) continue;
        const json::object& test = value.as_object();
        const std::string input = text_of(test.at("input"));
        ++total;
        if (parsed(test) == expected(test)) {
            ++passed;
            continue;
        }
        CAPTURE(input);
        if (!known_misses.contains(input)) CHECK(parsed(test) == expected(test));
    }

    MESSAGE("urltestdata: " << passed << " of " << total);
    CHECK(passed + static_cast<int>(known_misses.size()) == total);
}
