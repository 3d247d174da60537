#include "api/own/query.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::api;
using namespace quarry::api::own;

namespace {

Request asked(std::string_view target) {
    return {.path = parse_target(target).path, .query = parse_target(target).query};
}

}  // namespace

TEST_CASE("parameters are read by kind") {
    const Request request =
        asked("/x?limit=5&status=failed&status=paused&id=1&id=2&content=true&since=2026-01-30T15:00:00.010Z");
    Query query(request);

    CHECK(query.limit(10, 100) == 5);
    CHECK(query.names<JobState>("status") == std::vector{JobState::failed, JobState::paused});
    CHECK(query.numbers("id") == std::vector<std::int64_t>{1, 2});
    CHECK(query.flag("content"));
    CHECK_FALSE(query.flag("payload"));
    CHECK(query.time("since") == Timestamp(std::chrono::milliseconds(1'769'785'200'010)));
    CHECK(query.text("nothing").empty());
    CHECK_FALSE(query.id<JobId>("after"));
    CHECK(query.issues().empty());
}

TEST_CASE("each parameter that is wrong is named") {
    const Request request = asked("/x?limit=0&status=broken&id=x&content=yes&since=today&after=-1");
    Query query(request);

    CHECK(query.limit(10, 100) == 10);
    CHECK(query.names<JobState>("status").empty());
    CHECK(query.numbers("id").empty());
    CHECK_FALSE(query.flag("content"));
    CHECK_FALSE(query.time("since"));
    CHECK_FALSE(query.id<JobId>("after"));

    std::vector<std::string> wrong;
    for (const Issue& issue : query.issues()) wrong.push_back(issue.path);
    CHECK(wrong == std::vector<std::string>{"limit", "status", "id", "content", "since", "after"});
    CHECK(query.issues().at(1).message ==
          "has to be one of: queued, running, completed, failed, cancelled, paused");
}

TEST_CASE("a parameter that there is not is an issue, but not where others decide what there is") {
    const Request request = asked("/x?limit=5&colour=red");
    Query query(request), lenient(request, Unknown::accepted);

    CHECK(query.limit(10, 100) == 5);
    CHECK(lenient.limit(10, 100) == 5);

    REQUIRE(query.issues().size() == 1);
    CHECK(query.issues().front().path == "colour");
    CHECK(query.issues().front().message == "is not known here; there are: limit");
    CHECK(lenient.issues().empty());
}
