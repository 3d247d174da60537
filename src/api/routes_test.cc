#include "api/routes.h"

#include <set>

#include <doctest/doctest.h>

using namespace quarry::api;

namespace {

constexpr Route some[] = {
    {.method = Method::get, .path = "/v2/crawl/active"},
    {.method = Method::get, .path = "/v2/crawl/{id}"},
    {.method = Method::del, .path = "/v2/crawl/{id}"},
    {.method = Method::get, .path = "/v2/crawl/{id}/errors"},
    {.method = Method::post, .path = "/v2/{what}/{id}/run"},
};

}  // namespace

TEST_CASE("a path means the first route of its shape and method") {
    struct Row {
        Method method;
        const char* path;
        const char* route;
        std::vector<std::string> values;
    };
    const Row rows[] = {
        {Method::get, "/v2/crawl/active", "/v2/crawl/active", {}},
        {Method::get, "/v2/crawl/7", "/v2/crawl/{id}", {"7"}},
        {Method::head, "/v2/crawl/7", "/v2/crawl/{id}", {"7"}},
        {Method::del, "/v2/crawl/active", "/v2/crawl/{id}", {"active"}},
        {Method::get, "/v2/crawl/7/", "/v2/crawl/{id}", {"7"}},
        {Method::get, "/v2/crawl/a%2Fb/errors", "/v2/crawl/{id}/errors", {"a/b"}},
        {Method::post, "/v2/a/b/run", "/v2/{what}/{id}/run", {"a", "b"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        const Found found = find_route(some, row.method, row.path);
        REQUIRE(found.route);
        CHECK(found.route->path == row.route);
        CHECK(found.values == row.values);
    }
}

TEST_CASE("what there is no route for is told from what takes another method") {
    for (const char* path : {"", "/", "/v2", "/v2/crawl", "/v2/crawl/", "/v2/crawl//errors", "/v2/crawl/7/x",
                             "/v2/crawl/7/errors/more", "v2/crawl/7"}) {
        CAPTURE(path);
        CHECK_FALSE(find_route(some, Method::get, path).route);
        CHECK(find_route(some, Method::get, path).allowed.empty());
    }
    const Found found = find_route(some, Method::post, "/v2/crawl/7");
    CHECK_FALSE(found.route);
    CHECK(found.allowed == std::vector{Method::get, Method::del});
}

TEST_CASE("every route is whole, and none hides another") {
    std::set<std::pair<Method, std::string_view>> seen;
    for (const Route& route : all_routes()) {
        CAPTURE(route.path);
        CHECK((route.run != nullptr));
        CHECK_FALSE(route.summary.empty());
        CHECK(seen.insert({route.method, route.path}).second);
        CHECK(find_route(all_routes(), route.method, route.path).route == &route);
    }
}

using namespace quarry::api;

TEST_CASE("every route is described, with its parameters and whether it takes a body") {
    const auto description = openapi_of(all_routes(), "1.2");

    CHECK(description.at("openapi") == "3.1.0");
    CHECK(description.at("info").at("version") == "1.2");
    std::size_t operations = 0;
    for (const auto& [path, methods] : description.at("paths").as_object())
        operations += methods.as_object().size();
    CHECK(operations == all_routes().size());
    const auto& crawl = description.at("paths").at("/v2/crawl/{id}");
    CHECK(crawl.at("get").at("parameters").at(0).at("name") == "id");
    CHECK(crawl.as_object().contains("delete"));
    CHECK_FALSE(crawl.at("get").as_object().contains("requestBody"));
    CHECK(description.at("paths").at("/v2/scrape").at("post").as_object().contains("requestBody"));
}
