// Crawls: begun, followed, stopped, and read.
#include <boost/json.hpp>

#include "api/own/query.h"
#include "api/own/routes.h"
#include "api/own/scope.h"
#include "api/server/message.h"
#include "model/json/records.h"
#include "store/index_progress.h"
#include "store/records.h"

namespace quarry::api::own {
namespace {

namespace json = boost::json;

constexpr int most_crawls = 1'000;
constexpr int most_urls = 10'000;

// With what it does now, as the command line shows it.
json::object crawl_record(store::Reader& reader, const Call& call, const Group& group) {
    json::object record = record_of(shown(call, group), reader.salt());
    json::array urls;
    std::int64_t position = 0;
    if (!group.is_over()) {
        for (const std::string& url : reader.current_urls(group.id, 10).value_or(std::vector<std::string>{}))
            urls.emplace_back(url);
        position = reader.position(group.id).value_or(0);
    }
    record["current_urls"] = std::move(urls);
    record["queue_position"] = position > 0 ? json::value(position) : json::value(nullptr);
    store::add_index_progress(record, group, reader);
    return record;
}

// Whom it may reach is the server's to say, and whose it is, the key's.
Result<crawl::CrawlOptions> own_options(const Call& call, const json::value& wanted) {
    auto options = TRY(crawl::parse_crawl_options(wanted));
    // Those that somebody waits for are not counted against the crawls that may run at once.
    if (options.kind != "crawl" && options.kind != "batch_scrape")
        return fail(ErrorCode::invalid_argument, "kind has to be crawl or batch_scrape");
    if (options.priority < 0 || options.priority > 100)
        return fail(ErrorCode::invalid_argument,
                    "priority has to be high, normal, low or a number from 0 to 100");
    Api::claim(call, options);
    // Who asked, and how long it is kept, is not a client's to say; a crawl that begins now is told both.
    options.request = {};
    options.keeping.reset();
    return options;
}

void change_crawl(Api& api, store::Reader& reader, const Call& call, const std::string& method) {
    const auto group = find_crawl(reader, call);
    if (!group) return call.respond(reply(group.error()));
    perform(api, call, method, {{"group", number(group->id)}});
}

Result<json::value> read_timings(store::Reader& reader, GroupId group, int limit) {
    const Timings sums = TRY(reader.timings(group));
    json::array slowest;
    for (const store::SlowPage& page : TRY(reader.slowest_pages(group, limit)))
        slowest.push_back(record_of(page));
    return json::object{{"success", true}, {"timings", record_of(sums)}, {"slowest", std::move(slowest)}};
}

}  // namespace

void list_crawls(Api&, store::Reader& reader, Call call) {
    Query query(call.request());
    std::string kind =
        query.one_of("kind", {"crawl", "batch_scrape", "scrape", "extract", "rescrape", "all"});
    if (kind.empty()) kind = "crawl";  // scrapes are jobs, as many as clients ask for
    const store::GroupFilter filter{.owner = call.owner,
                                    .kind = kind == "all" ? "" : kind,
                                    .states = query.names<JobState>("status"),
                                    .before = query.id<GroupId>("before"),
                                    .limit = query.limit(10, most_crawls)};
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    const auto groups = reader.groups(filter);
    if (!groups) return call.respond(reply(groups.error()));
    json::array records;
    for (const Group& group : *groups) records.push_back(crawl_record(reader, call, group));
    call.respond(reply(json::object{{"success", true}, {"crawls", std::move(records)}}));
}

void begin_crawl(Api& api, store::Reader& reader, Call call) {
    const auto options = own_options(call, call.body);
    if (!options) return call.respond(reply(options.error()));
    const auto begun = api.begin_crawl(reader, call, *options);
    if (!begun) return call.respond(reply(begun.error()));
    const auto group = reader.group(*begun);
    if (!group) return call.respond(reply(group.error()));
    json::object record = crawl_record(reader, call, *group);
    record["group"] = number(group->id);
    call.respond(reply(record));
}

void show_crawl(Api&, store::Reader& reader, Call call) {
    const auto group = find_crawl(reader, call);
    call.respond(group ? reply(crawl_record(reader, call, *group)) : reply(group.error()));
}

void cancel_crawl(Api& api, store::Reader& reader, Call call) {
    change_crawl(api, reader, call, "cancel");
}

void pause_crawl(Api& api, store::Reader& reader, Call call) {
    change_crawl(api, reader, call, "pause");
}

void resume_crawl(Api& api, store::Reader& reader, Call call) {
    change_crawl(api, reader, call, "resume");
}

void embed_crawl(Api& api, store::Reader& reader, Call call) {
    const auto group = find_crawl(reader, call);
    if (!group) return call.respond(reply(group.error()));
    perform_slowly(api, call, "embed", {{"group", number(group->id)}});
}

void reprioritise_crawl(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    Fields fields(call.body, issues);
    const auto priority = fields.integer("priority", 0, 100);
    if (!fields.any("priority")) fields.reject("priority", "is missing");
    if (!issues.empty()) return call.respond(reply(issues));
    const auto group = find_crawl(reader, call);
    if (!group) return call.respond(reply(group.error()));
    perform(api, call, "reprioritise", {{"group", number(group->id)}, {"priority", *priority}});
}

void list_crawl_urls(Api&, store::Reader& reader, Call call) {
    Query query(call.request());
    store::UrlQuery wanted{.states = query.names<UrlState>("status"),
                           .after = query.id<JobId>("after"),
                           .limit = query.limit(100, most_urls)};
    const auto reasons = query.names<SkipReason>("reason");
    if (!reasons.empty()) wanted.skipped = reasons.front();
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    const auto group = find_crawl(reader, call);
    if (!group) return call.respond(reply(group.error()));
    wanted.group = group->id;
    const auto urls = reader.urls(wanted);
    if (!urls) return call.respond(reply(urls.error()));
    json::array records;
    for (const FrontierUrl& url : *urls) records.push_back(record_of(url));
    call.respond(reply(json::object{{"success", true}, {"urls", std::move(records)}}));
}

void show_crawl_timings(Api&, store::Reader& reader, Call call) {
    Query query(call.request());
    const int limit = query.limit(10, most_urls);
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    const auto group = find_crawl(reader, call);
    if (!group) return call.respond(reply(group.error()));
    answer(call, read_timings(reader, group->id, limit));
}

void list_schedules(Api&, store::Reader& reader, Call call) {
    const auto schedules = reader.schedules();
    if (!schedules) return call.respond(reply(schedules.error()));
    json::array records;
    for (const store::Schedule& schedule : *schedules)
        if (is_own(call, schedule)) records.push_back(record_of(schedule));
    call.respond(reply(json::object{{"success", true}, {"schedules", std::move(records)}}));
}

namespace {

// Names are everybody's: another's schedule is neither replaced nor removed.
Result<bool> is_anothers(store::Reader& reader, const Call& call, const std::string& name) {
    for (const store::Schedule& schedule : TRY(reader.schedules()))
        if (schedule.name == name) return !is_own(call, schedule);
    return false;
}

}  // namespace

void set_schedule(Api& api, store::Reader& reader, Call call) {
    const std::string& name = call.values.at(0);
    std::vector<Issue> issues;
    Fields fields(call.body, issues);
    const auto cron = fields.text("cron");
    if (!fields.any("cron")) fields.reject("cron", "is missing");
    if (!fields.object("options") && issues.empty()) fields.reject("options", "is missing");
    if (!issues.empty()) return call.respond(reply(issues));
    const auto options = own_options(call, call.body.at("options"));
    if (!options) return call.respond(reply(options.error()));
    const auto taken = is_anothers(reader, call, name);
    if (!taken) return call.respond(reply(taken.error()));
    if (*taken)
        return call.respond(reply(Error{ErrorCode::conflict, "another schedule has this name already"}));
    if (const auto left = api.check_quota(reader, call.owner); !left)
        return call.respond(reply(left.error()));
    perform(api, call, "schedule", {{"name", name}, {"cron", *cron}, {"options", to_json(*options)}});
}

void remove_schedule(Api& api, store::Reader& reader, Call call) {
    const std::string& name = call.values.at(0);
    const auto taken = is_anothers(reader, call, name);
    if (!taken) return call.respond(reply(taken.error()));
    if (*taken) return call.respond(reply(json::object{{"removed", false}}));
    perform(api, call, "unschedule", {{"name", name}});
}

}  // namespace quarry::api::own
