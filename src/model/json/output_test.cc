#include "model/json/output.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "model/ids.h"

using namespace quarry;
namespace json = boost::json;

namespace {

constexpr Timestamp noon{std::chrono::milliseconds(1'769'785'200'010)};  // 2026-01-30T15:00:00.010Z

}  // namespace

TEST_CASE("times are ISO 8601 in UTC with milliseconds") {
    CHECK(iso_time(noon) == "2026-01-30T15:00:00.010Z");
    CHECK(iso_time(Timestamp{}) == "1970-01-01T00:00:00.000Z");
}

TEST_CASE("a crawl's progress reaches 100 only when it is completed") {
    Group group{.state = JobState::running, .counters = {.discovered = 4, .completed = 1}};
    CHECK(percent_done(group) == 25);
    group.counters = {.discovered = 4, .completed = 2, .failed = 1, .skipped = 1};
    CHECK(percent_done(group) == 99);
    group.state = JobState::completed;
    CHECK(percent_done(group) == 100);
    CHECK(percent_done(Group{}) == 0);
}

TEST_CASE("a crawl's record has the same fields whether they are known or not") {
    const Group begun{.id = GroupId{7},
                      .name = "https://a.example/",
                      .state = JobState::failed,
                      .counters = {.discovered = 9, .failed = 3},
                      .error = "over half of the pages failed",
                      .created_at = noon,
                      .started_at = noon,
                      .finished_at = noon};
    const Group fresh{.id = GroupId{8}, .created_at = noon};

    const auto full = to_json(begun, 99), empty = to_json(fresh, 99);

    CHECK(full.at("crawl_id") == public_id(7, noon, 99).c_str());
    CHECK(full.at("status") == "failed");
    CHECK(full.at("urls_total") == 9);
    CHECK(full.at("urls_failed") == 3);
    CHECK(full.at("completed_at") == "2026-01-30T15:00:00.010Z");
    CHECK(full.at("error") == "over half of the pages failed");
    CHECK(full.size() == empty.size());
    CHECK(empty.at("started_at").is_null());
    CHECK(empty.at("error").is_null());
}

TEST_CASE("an embedding job is shown in the words of embedding queues, any other in ours") {
    Job job{.id = JobId{3},
            .kind = "embed_page",
            .state = JobState::queued,
            .attempts = 1,
            .group = GroupId{7},
            .last_error = "503 Service Unavailable",
            .created_at = noon,
            .url = "https://a.example/"};

    const auto record = to_json(job, 99, noon);
    job.kind = "fetch_page";

    CHECK(record.at("status") == "pending");
    CHECK(record.at("jobId") == public_id(7, noon, 99).c_str());
    CHECK(record.at("retries") == 1);
    CHECK(record.at("maxRetries") == 3);
    CHECK(record.at("lastError") == "503 Service Unavailable");
    CHECK(record.at("updatedAt") == record.at("createdAt"));
    CHECK(to_json(job, 99, std::nullopt).at("status") == "queued");
    CHECK(to_json(job, 99, std::nullopt).at("jobId").is_null());
}

TEST_CASE("a URL that was left out says why") {
    const auto skipped = to_json(
        FrontierUrl{.url = "https://a.example/x", .state = UrlState::skipped, .skipped = SkipReason::robots});
    const auto failed = to_json(FrontierUrl{.state = UrlState::failed, .status = 503, .note = "HTTP 503"});

    CHECK(skipped.at("reason") == "robots");
    CHECK(skipped.at("statusCode").is_null());
    CHECK(failed.at("reason").is_null());
    CHECK(failed.at("error") == "HTTP 503");
    CHECK(failed.at("statusCode") == 503);
}

TEST_CASE("a stored page takes metadata and links from its details, which cannot replace its facts") {
    StoredPage page{.collection = "default",
                    .facts = {.url = "https://a.example/", .status = 200, .title = "A", .fetched_at = noon}};
    CHECK_FALSE(to_json(page).contains("markdown"));
    page.content = Content{.markdown = "# A\n",
                           .details = R"({"links":["https://a.example/b"],"metadata":{"k":"v"},"url":"x"})"};

    const auto record = to_json(page);

    CHECK(record.at("url") == "https://a.example/");
    CHECK(record.at("finalUrl") == "https://a.example/");
    CHECK(record.at("markdown") == "# A\n");
    CHECK(record.at("links") == json::array{"https://a.example/b"});
    CHECK(record.at("metadata").at("k") == "v");
    CHECK(record.at("fetchedAt") == "2026-01-30T15:00:00.010Z");
    CHECK_FALSE(record.contains("html"));

    page.content->details = "{broken";
    CHECK(to_json(page).at("markdown") == "# A\n");
}
