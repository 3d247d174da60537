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

bool is_surrogate_escape(std::string_view text, char first, char last) {
    if (text.size() < 6 || !text.starts_with("\\u") || (text[2] | 0x20) != 'd') return false;
    const char c = static_cast<char>(text[3] | 0x20);
    return c >= first && c <= last;
}

// Some inputs hold half of a surrogate pair, which is no text and which Boost.JSON refuses: they become
// U+FFFD, as in a browser's URL API.
std::string without_lone_surrogates(std::string text) {
    for (std::size_t at = text.find("\\u"); at != std::string::npos; at = text.find("\\u", at)) {
        const std::string_view rest = std::string_view(text).substr(at);
        const bool high = is_surrogate_escape(rest, '8', '9') || is_surrogate_escape(rest, 'a', 'b');
        const bool paired = high && is_surrogate_escape(rest.substr(6), 'c', 'f');
        if (!paired && is_surrogate_escape(rest, '8', 'f')) text.replace(at, 6, "\\ufffd");
        at += paired ? 12 : 6;
    }
    return text;
}

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
    return json::parse(without_lone_surrogates(text.str())).as_array();
}

std::string text_of(const json::value& value) {
    return json::value_to<std::string>(value);
}

// The object's string under `key`, or "" if it has none.
std::string field(const json::object& test, const char* key) {
    const json::value* value = test.if_contains(key);
    return value != nullptr && value->is_string() ? text_of(*value) : "";
}

std::optional<Url> parsed(const json::object& test) {
    std::optional<Url> base;
    if (test.contains("base") && test.at("base").is_string()) {
        auto result = Url::parse(field(test, "base"));
        if (!result) return std::nullopt;
        base = *result;
    }
    auto url = Url::parse(field(test, "input"), base ? &*base : nullptr);
    if (!url) return std::nullopt;
    return *std::move(url);
}

// The getters of the URL API, which show an absent part and an empty one alike.
std::string prefixed(char mark, std::optional<std::string_view> part) {
    return part && !part->empty() ? mark + std::string(*part) : "";
}

void check_parts(const Url& url, const json::object& test) {
    const std::string port = url.port() ? std::to_string(*url.port()) : "";
    CHECK(std::string(url.scheme()) + ":" == field(test, "protocol"));
    CHECK(url.username() == field(test, "username"));
    CHECK(url.password() == field(test, "password"));
    CHECK(url.host() == field(test, "hostname"));
    CHECK(port == field(test, "port"));
    CHECK(url.path() == field(test, "pathname"));
    CHECK(prefixed('?', url.query()) == field(test, "search"));
    CHECK(prefixed('#', url.fragment()) == field(test, "hash"));
    if (test.contains("origin")) CHECK(url.origin() == field(test, "origin"));
}

// How many of the cases give the host they should when put into "https://…/x".
struct Score {
    int passed = 0, total = 0;
};

Score score_hosts(const json::array& cases) {
    Score score;
    for (const json::value& value : cases) {
        if (!value.is_object()) continue;
        const json::object& test = value.as_object();
        const auto url = Url::parse("https://" + field(test, "input") + "/x");
        const bool should_fail = !test.at("output").is_string();
        ++score.total;
        score.passed += should_fail ? !url : url && url->host() == field(test, "output");
    }
    return score;
}

}  // namespace

TEST_CASE("WPT urltestdata: every case parses, part by part, as browsers agreed") {
    const auto cases = load("urltestdata.json");
    if (!cases) return;
    // Inputs that we read otherwise, each with its reason. A miss that is not listed fails.
    const std::map<std::string, std::string> known_misses = {};

    std::size_t passed = 0, total = 0;
    for (const json::value& value : *cases) {
        if (!value.is_object()) continue;
        const json::object& test = value.as_object();
        const std::string input = field(test, "input");
        const std::string expected = test.contains("failure") ? "failure" : field(test, "href");
        const auto url = parsed(test);
        const std::string actual = url ? url->href() : "failure";
        CAPTURE(input);
        ++total;
        passed += actual == expected;
        if (!known_misses.contains(input)) CHECK(actual == expected);
        if (url && actual == expected) check_parts(*url, test);
    }

    MESSAGE("urltestdata: " << passed << " of " << total);
    CHECK(passed + known_misses.size() == total);
}

TEST_CASE("WPT toascii: domains become ASCII as browsers agreed") {
    const auto cases = load("toascii.json");
    if (!cases) return;

    const Score score = score_hosts(*cases);

    MESSAGE("toascii: " << score.passed << " of " << score.total);
    // ICU 72 knows Unicode 15; the seven misses are code points that UTS #46 maps or ignores since
    // Unicode 16.
    CHECK(score.passed >= 80);
}

TEST_CASE("WPT IdnaTestV2: domains become ASCII as Unicode says") {
    const auto cases = load("IdnaTestV2.json");
    if (!cases) return;

    const Score score = score_hosts(*cases);

    MESSAGE("IdnaTestV2: " << score.passed << " of " << score.total);
    // The four misses: three domains with characters of Unicode 17, and the empty domain, which is no host.
    CHECK(score.passed >= 2667);
}

TEST_CASE("WPT percent-encoding: UTF-8 queries are encoded as browsers agreed") {
    const auto cases = load("percent-encoding.json");
    if (!cases) return;
    for (const json::value& value : *cases) {
        if (!value.is_object()) continue;
        const json::object& test = value.as_object();
        const std::string input = field(test, "input");
        CAPTURE(input);

        const auto url = Url::parse("https://a.example/?" + input + "#" + input);

        REQUIRE(url);
        CHECK(url->query() == field(test.at("output").as_object(), "utf-8"));
        CHECK(url->fragment() == field(test.at("output").as_object(), "utf-8"));
    }
}
