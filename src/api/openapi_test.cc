#include "api/openapi.h"

#include <doctest/doctest.h>

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
