#include <algorithm>
#include <charconv>

#include <boost/json.hpp>

#include "api/api.h"
#include "api/firecrawl/states.h"
#include "api/knowledge/routes.h"
#include "api/server/fields.h"
#include "api/server/message.h"
#include "crawl/options/json.h"
#include "crawl/options/options.h"
#include "model/collection.h"
#include "model/ids.h"
#include "model/json/output.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

constexpr std::string_view rescrape_kind = "rescrape";
constexpr std::size_t longest_watch_id = 255, longest_text = 64u << 10, most_metadata_bytes = 16u << 10;

std::string bounded_text(Fields& fields, std::string_view name, std::size_t longest) {
    std::string text = fields.text(name).value_or("");
    if (text.size() > longest) fields.reject(name, "is too long");
    return text;
}

// The event as it came, under the names of its record.
json::object read_event(Fields& fields) {
    json::object event;
    event["watch_id"] = bounded_text(fields, "watch_id", longest_watch_id);
    if (event["watch_id"].as_string().empty() && !fields.any("watch_id"))
        fields.reject("watch_id", "is missing");
    event["watch_url"] = fields.url("watch_url").value_or("");
    for (const std::string_view name : {"detected_at", "diff_summary", "snapshot_url"}) {
        const std::string text = bounded_text(fields, name, longest_text);
        event[name] = text.empty() ? json::value(nullptr) : json::value(text);
    }
    const json::object* metadata = fields.object("metadata");
    if (metadata && json::serialize(*metadata).size() > most_metadata_bytes)
        fields.reject("metadata", "is too long");
    event["metadata"] = metadata ? *metadata : json::object();
    return event;
}

// A page that somebody names: it is asked for whatever robots.txt says, and at once.
crawl::CrawlOptions options_for(json::object event, std::string collection) {
    crawl::CrawlOptions options{.kind = std::string(rescrape_kind),
                                .urls = {std::string(event.at("watch_url").as_string())},
                                .limit = 1,
                                .list_only_seeds = true,
                                .ignore_robots = true,
                                .collection = std::move(collection),
                                .priority = priority_high,
                                .refresh = false};
    json::value shown = std::move(event);
    crawl::hide_url_secrets(shown);
    options.about = std::move(shown.get_object());
    return options;
}

std::string_view status_of(const Group& group) {
    const bool has_page = group.counters.completed > 0;
    return name_of(group.state == JobState::completed && !has_page ? JobState::failed : group.state);
}

Result<json::value> error_of(const Group& group, store::Reader& reader) {
    if (!group.error.empty()) return json::value(group.error);
    if (group.counters.failed == 0) return json::value(nullptr);
    const auto failed = TRY(reader.urls({.group = group.id, .states = {UrlState::failed}, .limit = 1}));
    return failed.empty() ? json::value(nullptr) : json::value(failed.front().note);
}

// The change of the page was numbered soon after its group. Once it is swept, the group's end is near enough.
Result<json::value> indexed_at(const Group& group, store::Reader& reader) {
    // A page whose words had not changed was in the index already.
    const bool was_there = group.counters.unchanged > 0 && group.index_pages && group.is_over();
    if (group.counters.indexed == 0)
        return was_there ? json::value(iso_time(*group.finished_at)) : json::value(nullptr);
    const auto changes = TRY(reader.jobs(
        {.filter = {.group = group.id, .kind = "embed_page"}, .after = JobId{number(group.id)}, .limit = 1}));
    const auto when = changes.empty() ? group.finished_at : changes.front().finished_at;
    return when ? json::value(iso_time(*when)) : json::value(nullptr);
}

Result<json::object> record_of(const Group& group, store::Reader& reader) {
    const crawl::CrawlOptions options = TRY(crawl::options_of(group));
    const std::string id = id_of(group, reader);
    json::object record{{"id", id}};
    for (const auto& [name, value] : options.about) record[name] = value;
    if (record["detected_at"].is_null()) record["detected_at"] = iso_time(group.created_at);
    record["collection"] = plain_collection(group.owner, group.collection);
    record["created_at"] = iso_time(group.created_at);
    record["rescrape_job_id"] = id;
    record["rescrape_status"] = status_of(group);
    record["rescrape_error"] = TRY(error_of(group, reader));
    record["indexed_at"] = TRY(indexed_at(group, reader));
    return record;
}

Result<json::object> begin_update(Api& api, store::Reader& reader, const Call& call,
                                  crawl::CrawlOptions options) {
    const GroupId id = TRY(api.begin_crawl(reader, call, std::move(options)));
    return record_of(TRY(reader.group(id)), reader);
}

Result<store::GroupFilter> read_filter(const store::Reader& reader, const Call& call) {
    constexpr int standard = 20, most = 100;
    store::GroupFilter filter{.owner = call.owner, .kind = std::string(rescrape_kind), .limit = standard};
    if (const auto text = call.request().parameter("limit")) {
        int limit = 0;
        const auto read = std::from_chars(text->data(), text->data() + text->size(), limit);
        if (read.ec != std::errc() || limit < 1)
            return fail(ErrorCode::invalid_argument, "limit has to be a number from 1 to 100");
        filter.limit = std::min(limit, most);
    }
    if (const auto before = call.request().parameter("before"))
        filter.before = GroupId{TRY(parse_public_id(*before, reader.salt())).number};
    return filter;
}

Result<json::object> events_of(store::Reader& reader, const Call& call) {
    const auto filter = TRY(read_filter(reader, call));
    const auto groups = TRY(reader.groups(filter));
    json::array events;
    for (const Group& group : groups) events.push_back(TRY(record_of(group, reader)));
    json::value next(nullptr);
    if (std::ssize(groups) == filter.limit) next = json::value(id_of(groups.back(), reader));
    return json::object{{"success", true}, {"events", std::move(events)}, {"next", std::move(next)}};
}

}  // namespace

void take_change_event(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    Fields fields(call.body, issues);
    json::object event = read_event(fields);
    const std::string collection = fields.text("collection").value_or("default");
    if (!issues.empty()) return call.respond(reply(issues));
    auto begun = begin_update(api, reader, call, options_for(std::move(event), collection));
    if (!begun) return call.respond(reply(begun.error()));
    (*begun)["success"] = true;
    call.respond(reply(*begun));
}

void list_change_events(Api&, store::Reader& reader, Call call) {
    const auto events = events_of(reader, call);
    call.respond(events ? reply(*events) : reply(events.error()));
}

}  // namespace quarry::api
