#include <string>

#include <doctest/doctest.h>

#include "extract/metadata/page_facts.h"

using namespace quarry;
using namespace quarry::extract;

namespace {

std::string letters(const RobotsDirectives& asked) {
    std::string text;
    if (asked.noindex) text += 'i';
    if (asked.nofollow) text += 'f';
    if (asked.noarchive) text += 'a';
    if (asked.nosnippet) text += 's';
    return text;
}

struct Row {
    const char* value;
    const char* expected;
    const char* reason;
};

}  // namespace

TEST_CASE("robots meta tags are read") {
    const Row rows[] = {
        {"noindex", "i", "one"},
        {"NOINDEX,NoFollow", "if", "any case"},
        {"none", "if", "both"},
        {"index, follow, max-snippet:-1", "", "allows everything"},
        {"noindex nofollow", "if", "blanks between"},
        {" noarchive , nosnippet ", "as", "blanks around"},
        {"", "", "nothing"},
        {",,,", "", "only commas"},
        {"all", "", "the default"},
        {"xnoindex", "", "not a prefix match"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.value);
        RobotsDirectives directives;
        add_robots_meta(row.value, directives);
        CHECK(letters(directives) == row.expected);
    }
}

TEST_CASE("X-Robots-Tag headers are read, and those for other agents passed over") {
    const Row rows[] = {
        {"noindex", "i", "plain"},
        {"noindex, nofollow", "if", "two"},
        {"googlebot: noindex", "", "another agent"},
        {"googlebot: noindex, nofollow", "", "the agent's list goes on"},
        {"quarry: noindex", "i", "us"},
        {"Quarry: noindex, nofollow", "if", "us, in any case, the whole list"},
        {"otherbot: noindex, quarry: nofollow", "f", "agents in one header"},
        {"*: noarchive", "a", "everybody"},
        {"unavailable_after: 25 Jun 2010 15:00:00 PST", "", "a directive with a value is no agent"},
        {"unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", "i", "and what follows still counts"},
        {"max-snippet: 20, nosnippet", "s", "likewise"},
        {":", "", "nothing at all"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.value);
        RobotsDirectives directives;
        add_robots_headers({{"x-robots-tag", row.value}}, directives);
        CHECK(letters(directives) == row.expected);
    }
}

TEST_CASE("every X-Robots-Tag header counts, and an agent named in one does not leak into the next") {
    RobotsDirectives directives;

    add_robots_headers(
        {{"X-Robots-Tag", "otherbot: noindex"}, {"X-Robots-Tag", "nofollow"}, {"Robots", "none"}},
        directives);

    CHECK(letters(directives) == "f");
}
