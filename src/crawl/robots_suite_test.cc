// Google's test cases for its own parser, and recorded calls of a popular JavaScript library.
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "crawl/robots.h"

using quarry::crawl::Robots;
using quarry::url::Url;
namespace json = boost::json;

namespace {

// The suites are not part of the repository: without them the tests say so and pass.
std::optional<json::array> load(const std::string& name) {
    const std::string path = std::string(QUARRY_SUITES "/suites/robots/") + name;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        MESSAGE("skipped: no " << path);
        return std::nullopt;
    }
    std::stringstream text;
    text << file.rdbuf();
    std::string document = text.str();
    // Halves of surrogate pairs, in two of the cases, are no text and no JSON.
    for (const char* half : {"\\ud800", "\\udc00"}) {
        for (std::size_t at; (at = document.find(half)) != std::string::npos;)
            document.replace(at, 6, "\\ufffd");
    }
    return json::parse(document).as_array();
}

std::string field(const json::object& test, const char* key) {
    const json::value* value = test.if_contains(key);
    return value != nullptr && value->is_string() ? json::value_to<std::string>(*value) : "";
}

// Path and query exactly as written: Google's cases include URLs that are not encoded, on purpose.
std::string raw_target(const std::string& url) {
    const std::size_t authority = url.find("//");
    if (authority == std::string::npos) return url;
    const std::size_t start = url.find_first_of("/?", authority + 2);
    return start == std::string::npos ? "/" : url.substr(start, url.find('#', start) - start);
}

}  // namespace

TEST_CASE("every case of Google's robots.txt parser but one gives Google's answer") {
    const auto cases = load("google_cases.json");
    if (!cases) return;
    int exceptions = 0;
    for (const json::value& value : *cases) {
        const json::object& test = value.as_object();
        CAPTURE(json::serialize(test));

        // Google compares this one literally; RFC 9309, 2.2.2, wants it to be the same as "baz".
        const bool is_exception =
            field(test, "robots").contains("%62%61%7A") && field(test, "url").ends_with("/baz");
        exceptions += is_exception ? 1 : 0;
        const auto verdict =
            Robots::parse(field(test, "robots")).check(field(test, "ua"), raw_target(field(test, "url")));

        CHECK(verdict.allowed == (test.at("allowed").as_bool() || is_exception));
    }
    CHECK(exceptions == 1);
    MESSAGE("Google: " << cases->size() << " cases");
}

namespace {

// What we answer to one recorded call, in the library's terms; nothing where the question is not ours to
// answer:
// - whether a URL lies on the file's origin (recorded as null, or another port) is for the caller to know;
// - halves of surrogate pairs are no text;
// - `Host:` lines (getPreferredHost) were Yandex's and are no more;
// - isExplicitlyDisallowed asks whether a group names the agent, which a verdict's `agent` tells.
std::optional<json::value> answer(const json::object& call) {
    const Robots robots = Robots::parse(field(call, "robots"));
    const std::string method = field(call, "method");
    const json::array& arguments = call.at("args").as_array();
    const auto argument = [&](std::size_t i) {
        return i < arguments.size() ? json::value_to<std::string>(arguments[i]) : std::string("*");
    };
    if (method == "getSitemaps") return json::value_from(robots.sitemaps());
    if (method == "getCrawlDelay") {
        const auto delay = robots.crawl_delay(argument(0));
        return delay ? json::value(delay->count() / 1000) : json::value(nullptr);
    }
    if (call.at("result").is_null() || field(call, "robots").contains("\uFFFD")) return std::nullopt;
    const Url nowhere =
        Url::parse("http://nowhere.example/").value();  // for file and URL given as mere paths
    const auto file = Url::parse(field(call, "robotsUrl"), &nowhere);
    const auto url = Url::parse(argument(0), &nowhere);
    if (!file || !url || file->origin() != url->origin()) return std::nullopt;
    const auto verdict = robots.check(argument(1), *url);
    if (method == "isAllowed") return verdict.allowed;
    if (method == "isDisallowed") return !verdict.allowed;
    if (method == "getMatchingLineNumber") return verdict.line == 0 ? -1 : verdict.line;
    return std::nullopt;
}

}  // namespace

TEST_CASE("recorded calls of robots-parser are answered alike, where they are questions to us") {
    const auto calls = load("robots-parser_cases.json");
    if (!calls) return;
    int answered = 0;
    for (const json::value& value : *calls) {
        const json::object& call = value.as_object();
        const auto ours = answer(call);
        if (!ours) continue;
        CAPTURE(json::serialize(call));

        CHECK(*ours == call.at("result"));
        ++answered;
    }
    MESSAGE("robots-parser: " << answered << " of " << calls->size() << " calls are ours to answer");
    CHECK(answered >= 174);
}
