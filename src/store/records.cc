#include "store/records.h"

#include <algorithm>
#include <array>
#include <span>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "model/json/fields.h"
#include "model/json/records.h"
#include "store/job_json.h"

namespace quarry::store {

namespace {

namespace json = boost::json;

Result<std::optional<std::int64_t>> filter_number(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    if (!value) return std::nullopt;
    if (value->is_int64()) return value->get_int64();
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" has to be a whole number", name));
}

Result<std::vector<JobState>> parse_states(const json::object& object) {
    std::vector<JobState> states;
    const json::value* list = object.if_contains("states");
    if (!list) return states;
    if (!list->is_array()) return fail(ErrorCode::invalid_argument, "\"states\" has to be a list");
    for (const json::value& item : list->get_array()) {
        if (!item.is_string()) return fail(ErrorCode::invalid_argument, "a state is a word");
        states.push_back(TRY(parse_embedding_state(std::string_view(item.get_string()))));
    }
    return states;
}

Result<std::vector<JobId>> parse_ids(const json::object& object) {
    std::vector<JobId> ids;
    const json::value* list = object.if_contains("ids");
    if (!list) return ids;
    if (!list->is_array()) return fail(ErrorCode::invalid_argument, "\"ids\" has to be a list");
    for (const json::value& item : list->get_array()) {
        if (!item.is_int64()) return fail(ErrorCode::invalid_argument, "an id is a number");
        ids.push_back(JobId{item.get_int64()});
    }
    return ids;
}

// A field that is not understood would widen the filter: a newer command's `clear` must not empty all.
Result<void> check_names(const json::value& json, std::span<const std::string_view> known) {
    const json::object* object = json.if_object();
    if (!object) return fail(ErrorCode::invalid_argument, "a filter is an object");
    for (const auto& member : *object)
        if (std::ranges::find(known, std::string_view(member.key())) == known.end())
            return fail(ErrorCode::invalid_argument,
                        fmt::format("cannot filter by \"{}\"", std::string_view(member.key())));
    return {};
}

Result<std::string> filter_text(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    if (!value) return std::string();
    if (value->is_string()) return std::string(value->get_string());
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" has to be a text", name));
}

Result<std::vector<std::string>> parse_urls(const json::object& object) {
    std::vector<std::string> urls;
    const json::value* list = object.if_contains("urls");
    if (!list) return urls;
    if (!list->is_array()) return fail(ErrorCode::invalid_argument, "\"urls\" has to be a list");
    for (const json::value& url : list->get_array()) {
        if (!url.is_string()) return fail(ErrorCode::invalid_argument, "\"urls\" has to be a list of texts");
        urls.emplace_back(url.get_string());
    }
    return urls;
}

}  // namespace

json::object to_json(const JobFilter& filter) {
    json::object object;
    json::array ids, states;
    for (const JobId id : filter.ids) ids.push_back(number(id));
    for (const JobState state : filter.states) states.push_back(json::value(name_of(state)));
    if (!ids.empty()) object["ids"] = std::move(ids);
    if (filter.group) object["group"] = number(*filter.group);
    if (!filter.kind.empty()) object["kind"] = filter.kind;
    if (!states.empty()) object["states"] = std::move(states);
    if (!filter.owner.empty()) object["owner"] = filter.owner;
    if (!filter.collection.empty()) object["collection"] = filter.collection;
    if (filter.older_than) object["older_than"] = filter.older_than->count();
    return object;
}

Result<JobFilter> parse_job_filter(const json::value& json) {
    constexpr std::array<std::string_view, 7> known = {"ids",   "group",      "kind",      "states",
                                                       "owner", "collection", "older_than"};
    TRY(check_names(json, known));
    const json::object& object = json.get_object();
    JobFilter filter;
    filter.ids = TRY(parse_ids(object));
    filter.kind = TRY(filter_text(object, "kind"));
    filter.states = TRY(parse_states(object));
    filter.owner = TRY(filter_text(object, "owner"));
    filter.collection = TRY(filter_text(object, "collection"));
    if (const auto group = TRY(filter_number(object, "group"))) filter.group = GroupId{*group};
    if (const auto age = TRY(filter_number(object, "older_than")))
        filter.older_than = std::chrono::milliseconds(*age);
    return filter;
}

json::object to_json(const PageFilter& filter) {
    json::object object;
    const auto add = [&](std::string_view name, const std::string& text) {
        if (!text.empty()) object[name] = text;
    };
    add("collection", filter.collection);
    add("host", filter.host);
    add("path_prefix", filter.path_prefix);
    add("site", filter.site);
    if (!filter.urls.empty()) object["urls"] = json::array(filter.urls.begin(), filter.urls.end());
    if (filter.group) object["group"] = number(*filter.group);
    return object;
}

Result<PageFilter> parse_page_filter(const json::value& json) {
    constexpr std::array<std::string_view, 6> known = {"collection",  "urls", "host",
                                                       "path_prefix", "site", "group"};
    TRY(check_names(json, known));
    const json::object& object = json.get_object();
    PageFilter filter;
    filter.collection = TRY(filter_text(object, "collection"));
    filter.urls = TRY(parse_urls(object));
    filter.host = TRY(filter_text(object, "host"));
    filter.path_prefix = TRY(filter_text(object, "path_prefix"));
    filter.site = TRY(filter_text(object, "site"));
    if (const auto group = TRY(filter_number(object, "group"))) filter.group = GroupId{*group};
    return filter;
}

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
