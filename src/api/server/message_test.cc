#include "api/server/message.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::api;

TEST_CASE("a target has a path as it was sent and parameters in plain text") {
    struct Row {
        const char* target;
        const char* path;
        std::vector<std::pair<std::string, std::string>> query;
    };
    const Row rows[] = {
        {"/", "/", {}},
        {"/v2/crawl/7?skip=10&limit=5", "/v2/crawl/7", {{"skip", "10"}, {"limit", "5"}}},
        {"/a%20b?q=a+b%26c", "/a%20b", {{"q", "a b&c"}}},
        {"/?a&b=&=c&&d=1=2", "/", {{"a", ""}, {"b", ""}, {"", "c"}, {"d", "1=2"}}},
        {"/x?a=1#b?c=2", "/x", {{"a", "1"}}},
        {"", "", {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.target);
        const Target target = parse_target(row.target);
        CHECK(target.path == row.path);
        CHECK(target.query == row.query);
    }
}

TEST_CASE("of parameters of one name the first counts, and headers have no case") {
    const Request request{.query = {{"a", "1"}, {"a", "2"}}, .headers = {{.name = "X-Key", .value = "v"}}};

    CHECK(request.parameter("a") == "1");
    CHECK_FALSE(request.parameter("b"));
    CHECK(request.header("x-key") == "v");
}
