#include "store/records.h"

#include <algorithm>
#include <array>

#include <boost/json.hpp>

#include "model/json/fields.h"
#include "model/json/records.h"
#include "store/job_json.h"

namespace quarry::store {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 7> events = {
    "page", "url_failed", "group_changed", "job_ended", "page_indexed", "index_failed", "worker_died"};

template <typename Visit, typename Type>
void each_field_of_counts(Visit& visit, Type& counts) {
    visit("pending", counts.pending);
    visit("processing", counts.processing);
    visit("completed", counts.completed);
    visit("failed", counts.failed);
    visit("next_due", counts.next_due);
    visit("last_error", counts.last_error);
}

template <typename Visit, typename Type>
void each_field_of_state_count(Visit& visit, Type& count) {
    visit("kind", count.kind);
    visit("collection", count.collection);
    visit("status", count.state);
    visit("count", count.count);
}

template <typename Visit, typename Type>
void each_field_of_worker(Visit& visit, Type& worker) {
    visit("number", worker.id);
    visit("name", worker.name);
    visit("beat_at", worker.beat_at);
    visit("running", worker.running);
}

template <typename Visit, typename Type>
void each_field_of_event(Visit& visit, Type& event) {
    visit("event", event.what);
    visit("number", event.id);
    visit("crawl", event.group);
    visit("url", event.url);
    visit("status_code", event.status);
    visit("status", event.state);
}

}  // namespace

json::object record_of(const OutboxCounts& counts) {
    return write_fields([&](auto& visit) { each_field_of_counts(visit, counts); });
}

Result<OutboxCounts> parse_outbox_counts(const json::value& record) {
    return read_fields<OutboxCounts>(record, "an embedding queue",
                                     [](auto& visit, OutboxCounts& to) { each_field_of_counts(visit, to); });
}

json::object record_of(const StateCount& count) {
    return write_fields([&](auto& visit) { each_field_of_state_count(visit, count); });
}

Result<StateCount> parse_state_count(const json::value& record) {
    return read_fields<StateCount>(record, "a count",
                                   [](auto& visit, StateCount& to) { each_field_of_state_count(visit, to); });
}

json::object record_of(const WorkerInfo& worker) {
    return write_fields([&](auto& visit) { each_field_of_worker(visit, worker); });
}

Result<WorkerInfo> parse_worker(const json::value& record) {
    return read_fields<WorkerInfo>(record, "a worker",
                                   [](auto& visit, WorkerInfo& to) { each_field_of_worker(visit, to); });
}

json::object record_of(const SlowPage& page) {
    FieldWriter writer;
    writer("url", page.url);
    json::object record = std::move(writer).take();
    record["timings"] = quarry::record_of(page.timings);
    return record;
}

Result<SlowPage> parse_slow_page(const json::value& record) {
    SlowPage page =
        TRY(read_fields<SlowPage>(record, "a page", [](auto& visit, SlowPage& to) { visit("url", to.url); }));
    if (const json::value* timings = record.get_object().if_contains("timings"))
        page.timings = TRY(parse_timings(*timings));
    return page;
}

json::object record_of(const Schedule& schedule) {
    FieldWriter writer;
    writer("name", schedule.name);
    writer("cron", schedule.cron);
    writer("next_at", schedule.next_at);
    writer.json("job", jobs_to_json({schedule.job}));
    if (schedule.group) writer.json("crawl", group_to_json(*schedule.group));
    return std::move(writer).take();
}

Result<Schedule> parse_schedule(const json::value& record) {
    std::string job, group;
    Schedule schedule = TRY(read_fields<Schedule>(record, "a schedule", [&](auto& visit, Schedule& to) {
        visit("name", to.name);
        visit("cron", to.cron);
        visit("next_at", to.next_at);
        visit.json("job", job);
        visit.json("crawl", group);
    }));
    if (!job.empty()) {
        auto jobs = TRY(jobs_from_json(job));
        if (!jobs.empty()) schedule.job = std::move(jobs.front());
    }
    if (!group.empty()) schedule.group = TRY(group_from_json(group));
    return schedule;
}

std::string_view name_of(Event::What what) {
    return events.at(static_cast<std::size_t>(what));
}

bool read_name(std::string_view name, Event::What& target) {
    const auto found = std::ranges::find(events, name);
    if (found == events.end()) return false;
    target = static_cast<Event::What>(found - events.begin());
    return true;
}

json::object record_of(const Event& event) {
    return write_fields([&](auto& visit) { each_field_of_event(visit, event); });
}

Result<Event> parse_event(const json::value& record) {
    return read_fields<Event>(record, "an event",
                              [](auto& visit, Event& to) { each_field_of_event(visit, to); });
}

}  // namespace quarry::store
