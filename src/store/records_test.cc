#include "store/records.h"

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

using namespace quarry;
using namespace quarry::store;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr Timestamp noon{1'769'785'200'010ms};

json::value sent(const json::object& record) {
    return json::parse(json::serialize(record));
}

}  // namespace

TEST_CASE("counts and workers arrive as they were sent") {
    const OutboxCounts counts{
        .pending = 1, .processing = 2, .completed = 3, .failed = 4, .next_due = noon, .last_error = "why"};
    const StateCount state{
        .kind = "fetch_page", .collection = "docs", .state = JobState::cancelled, .count = 5};
    const WorkerInfo worker{.id = WorkerId{6}, .name = "host:7", .beat_at = noon, .running = 8};

    const OutboxCounts read = parse_outbox_counts(sent(record_of(counts))).value();
    const StateCount read_state = parse_state_count(sent(record_of(state))).value();
    const WorkerInfo read_worker = parse_worker(sent(record_of(worker))).value();

    CHECK(read.pending == counts.pending);
    CHECK(read.processing == counts.processing);
    CHECK(read.completed == counts.completed);
    CHECK(read.failed == counts.failed);
    CHECK(read.next_due == counts.next_due);
    CHECK(read.last_error == counts.last_error);
    CHECK(read_state.kind == state.kind);
    CHECK(read_state.collection == state.collection);
    CHECK(read_state.state == state.state);
    CHECK(read_state.count == state.count);
    CHECK(read_worker.id == worker.id);
    CHECK(read_worker.name == worker.name);
    CHECK(read_worker.beat_at == worker.beat_at);
    CHECK(read_worker.running == worker.running);
}

TEST_CASE("a slow page and a schedule arrive as they were sent") {
    const SlowPage page{.url = "https://a.example/", .timings = {.fetch = 3us, .chunks = 2}};
    const Schedule schedule{.name = "blog",
                            .cron = "@daily",
                            .job = {.kind = "begin", .payload = R"({"a":1})"},
                            .group = NewGroup{.name = "https://a.example/", .owner = "team"},
                            .next_at = noon};

    const SlowPage read_page = parse_slow_page(sent(record_of(page))).value();
    const Schedule read = parse_schedule(sent(record_of(schedule))).value();

    CHECK(read_page.url == page.url);
    CHECK(read_page.timings == page.timings);
    CHECK(read.name == schedule.name);
    CHECK(read.cron == schedule.cron);
    CHECK(read.next_at == schedule.next_at);
    CHECK(read.job.kind == schedule.job.kind);
    CHECK(read.job.payload == schedule.job.payload);
    REQUIRE(read.group);
    CHECK(read.group->owner == "team");
    CHECK(read.group->name == schedule.group->name);
    CHECK_FALSE(parse_schedule(sent(record_of(Schedule{.name = "x"}))).value().group);
}

TEST_CASE("every kind of event arrives as it was sent") {
    using What = Event::What;
    for (const What what : {What::page, What::url_failed, What::group_changed, What::job_ended,
                            What::page_indexed, What::index_failed}) {
        const Event event{.what = what,
                          .group = GroupId{1},
                          .id = JobId{2},
                          .url = "https://a.example/",
                          .status = 404,
                          .state = JobState::failed};

        const Event read = parse_event(sent(record_of(event))).value();

        CHECK(read.what == what);
        CHECK(read.group == event.group);
        CHECK(read.id == event.id);
        CHECK(read.url == event.url);
        CHECK(read.status == event.status);
        CHECK(read.state == event.state);
    }
    CHECK(parse_event(json::parse(R"({"event": "party"})")).error().code == ErrorCode::corrupt);
}
