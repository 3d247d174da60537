#include "store/records.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

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
