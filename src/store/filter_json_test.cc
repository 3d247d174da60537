#include "store/filter_json.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::store;
namespace json = boost::json;

TEST_CASE("a filter arrives as it was sent") {
    const JobFilter filter{.ids = {JobId{1}, JobId{2}},
                           .group = GroupId{3},
                           .kind = "embed_page",
                           .states = {JobState::failed, JobState::cancelled},
                           .owner = "local",
                           .collection = "docs",
                           .older_than = std::chrono::hours(1)};

    const JobFilter read = parse_job_filter(to_json(filter)).value();

    CHECK(read.ids == filter.ids);
    CHECK(read.group == filter.group);
    CHECK(read.kind == filter.kind);
    CHECK(read.states == filter.states);
    CHECK(read.owner == filter.owner);
    CHECK(read.collection == filter.collection);
    CHECK(read.older_than == filter.older_than);
    CHECK(to_json(JobFilter{}).empty());
}

TEST_CASE("a filter that is not understood is refused, since leaving a part out would widen it") {
    for (const char* text : {R"({"sate":["failed"]})", R"({"states":["broken"]})", R"({"states":[1]})",
                             R"({"ids":["x"]})", R"({"states":"failed"})", R"({"ids":1})", R"({"kind":1})",
                             R"({"older_than":"1h"})", "[]", "null"}) {
        CAPTURE(text);
        CHECK(parse_job_filter(json::parse(text)).error().code == ErrorCode::invalid_argument);
    }
}

TEST_CASE("a filter of pages arrives as it was sent") {
    const PageFilter filter{.collection = "docs",
                            .urls = {"https://a.example/", "https://a.example/b"},
                            .host = "a.example",
                            .path_prefix = "/guide",
                            .site = "watch",
                            .group = GroupId{7}};

    const PageFilter read = parse_page_filter(to_json(filter)).value();

    CHECK(read.collection == filter.collection);
    CHECK(read.urls == filter.urls);
    CHECK(read.host == filter.host);
    CHECK(read.path_prefix == filter.path_prefix);
    CHECK(read.site == filter.site);
    CHECK(read.group == filter.group);
    CHECK(to_json(PageFilter{}).empty());
    for (const char* text : {R"({"colection":"docs"})", R"({"urls":"x"})", R"({"urls":[1]})",
                             R"({"group":"x"})", R"({"host":1})", "[]"}) {
        CAPTURE(text);
        CHECK(parse_page_filter(json::parse(text)).error().code == ErrorCode::invalid_argument);
    }
}
