#include "store/job_json.h"

#include <doctest/doctest.h>

namespace quarry::store {

TEST_CASE("jobs come back from JSON as they went in, without their times") {
    const NewJob job{.kind = "close",
                     .payload = "{\"words\":\"\\u00fc \\\"quoted\\\"\"}",
                     .priority = priority_high,
                     .run_at = Timestamp(std::chrono::hours(1)),
                     .max_attempts = 7,
                     .unique_key = "one",
                     .owner = "ann",
                     .zero_retention = true};

    const auto back = jobs_from_json(jobs_to_json({job, NewJob{}})).value();

    REQUIRE(back.size() == 2);
    CHECK(back[0].kind == "close");
    CHECK(back[0].payload == job.payload);
    CHECK(back[0].priority == priority_high);
    CHECK(back[0].max_attempts == 7);
    CHECK(back[0].unique_key == "one");
    CHECK(back[0].owner == "ann");
    CHECK(back[0].zero_retention);
    CHECK_FALSE(back[0].run_at);
    CHECK(back[1].owner == "local");
}

TEST_CASE("a group comes back from JSON with its closing jobs") {
    const NewGroup group{.kind = "crawl",
                         .name = "https://a.example/",
                         .options = "{}",
                         .collection = "docs",
                         .owner = "ann",
                         .priority = priority_low,
                         .concurrency = Concurrency::exclusive,
                         .page_limit = 5,
                         .url_limit = 50,
                         .index_pages = false,
                         .zero_retention = true,
                         .site = "a.example",
                         .closing_jobs = {{.kind = "settle"}},
                         .notice = NewJob{.kind = "tell"}};

    const NewGroup back = group_from_json(group_to_json(group)).value();

    CHECK(back.name == group.name);
    CHECK(back.collection == "docs");
    CHECK(back.owner == "ann");
    CHECK(back.priority == priority_low);
    CHECK(back.concurrency == Concurrency::exclusive);
    CHECK(back.page_limit == 5);
    CHECK(back.url_limit == 50);
    CHECK_FALSE(back.index_pages);
    CHECK(back.zero_retention);
    CHECK(back.site == "a.example");
    REQUIRE(back.closing_jobs.size() == 1);
    CHECK(back.closing_jobs[0].kind == "settle");
    REQUIRE(back.notice);
    CHECK(back.notice->kind == "tell");
}

TEST_CASE("what a group adds of its own accord comes back from JSON, with a notice or without") {
    const auto plain = later_jobs_from_json(later_jobs_to_json({.closing = {{.kind = "settle"}}})).value();
    const auto whole =
        later_jobs_from_json(later_jobs_to_json({{{.kind = "settle"}}, NewJob{.kind = "tell"}})).value();

    CHECK(plain.closing.size() == 1);
    CHECK_FALSE(plain.notice);
    CHECK(whole.closing.size() == 1);
    REQUIRE(whole.notice);
    CHECK(whole.notice->kind == "tell");
    CHECK(later_jobs_to_json({}) == "[]");
}

TEST_CASE("a notice says which group it is about, and what became of it") {
    CHECK(notice_about({.payload = R"({"a":1})"}, GroupId{7}, JobState::failed).payload ==
          R"({"a":1,"group":7,"state":"failed"})");
    CHECK(notice_about({}, GroupId{7}, JobState::running).payload == R"({"group":7,"state":"running"})");
}

TEST_CASE("what is no JSON, or not of the right shape, is said to be corrupt or left out") {
    CHECK(jobs_from_json("[{").error().code == ErrorCode::corrupt);
    CHECK(group_from_json("[]").error().code == ErrorCode::corrupt);
    CHECK(jobs_from_json("{}").value().empty());
    CHECK(jobs_from_json(R"([1, {"kind": 5, "priority": "high"}])").value().at(0).kind.empty());
}

}  // namespace quarry::store
