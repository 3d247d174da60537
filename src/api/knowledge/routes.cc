// How far a crawl is, once or as it goes on.
#include "api/knowledge/routes.h"

#include <atomic>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>
#include <fmt/format.h>

#include "api/api.h"
#include "api/firecrawl/states.h"
#include "api/server/fields.h"
#include "api/server/message.h"
#include "crawl/options/json.h"
#include "crawl/options/options.h"
#include "model/group.h"
#include "model/job.h"
#include "model/json/readable.h"
#include "store/index_progress.h"
#include "url/url.h"

namespace quarry::api {

// What a crawl's client said of it: {"source_id", "user_id", "payload"}; nothing of a crawl that was begun
// elsewhere.
boost::json::object about_of(const Group& group);
// Gives it back.
void add_source(boost::json::object& answer, const boost::json::object& about);

// {"progressId", "status", "progress", "currentUrl", "totalPages", "processedPages", "failedPages",
// "waitingPages", "waitingReason", "error", "source_id", "user_id", "payload"}. It is not over while its
// pages cannot be found.
boost::json::object progress_of(store::Reader& reader, const Group& group);

// As server-sent events: once at the beginning, at every change, and for the last time at the end.
void follow_progress(Api& api, const Group& group, const Call& call);

namespace {

namespace json = boost::json;

// In the words of those who know such queues.
std::string_view state_name(JobState state) {
    switch (state) {
        case JobState::queued: return "pending";
        case JobState::running: return "processing";
        case JobState::completed: return "completed";
        case JobState::failed: return "failed";
        case JobState::cancelled: return "cancelled";
        case JobState::paused: return "paused";
    }
    return "pending";
}

store::OutboxCounts outbox_of(store::Reader& reader, const Group& group) {
    return reader.outbox_counts("", group.id).value_or(store::OutboxCounts{});
}

// One who follows. News that come together are told once.
class ProgressFollower : public std::enable_shared_from_this<ProgressFollower> {
public:
    ProgressFollower(Api& api, std::shared_ptr<Follower> client, const Group& group)
        : api_(api), client_(std::move(client)), group_(group.id), owner_(group.owner) {}

    bool is_open() const { return client_->is_open(); }
    void tell() {
        if (is_told_.exchange(true)) return;
        const bool is_taken =
            api_.post(owner_, [self = shared_from_this()](store::Reader& reader) { self->run(reader); });
        if (!is_taken) client_->close(1000, "");
    }

private:
    void run(store::Reader& reader) {
        is_told_ = false;
        const auto group = reader.group(group_);
        if (!group) return client_->close(1000, "");
        client_->send(readable_json(progress_of(reader, *group)));
        if (is_over(store::shown_state(*group, outbox_of(reader, *group)))) client_->close(1000, "");
    }

    Api& api_;
    const std::shared_ptr<Follower> client_;
    const GroupId group_;
    const std::string owner_;
    std::atomic<bool> is_told_ = false;
};

}  // namespace

json::object about_of(const Group& group) {
    auto options = crawl::options_of(group);
    return options ? std::move(options->about) : json::object();
}

void add_source(json::object& answer, const json::object& about) {
    for (const std::string_view name : {"source_id", "user_id", "payload"}) {
        const json::value* value = about.if_contains(name);
        answer[name] = value ? *value : json::value(nullptr);
    }
}

json::object progress_of(store::Reader& reader, const Group& group) {
    const GroupCounters& counters = group.counters;
    const store::OutboxCounts outbox = outbox_of(reader, group);
    json::value current, waiting;
    if (store::waits_for_embedder(outbox)) waiting = outbox.last_error;
    if (const auto urls = reader.current_urls(group.id, 1); urls && !urls->empty()) current = urls->front();
    json::object progress{
        {"success", true},
        {"progressId", id_of(group, reader)},
        {"status", state_name(store::shown_state(group, outbox))},
        {"progress", store::shown_percent(group, outbox)},
        {"currentUrl", std::move(current)},
        {"totalPages", counters.completed + counters.failed + counters.running + counters.queued},
        {"processedPages", counters.completed},
        {"failedPages", counters.failed},
        {"waitingPages", outbox.pending + outbox.processing},
        {"waitingReason", std::move(waiting)},
        {"error", group.error.empty() ? json::value() : json::value(group.error)}};
    add_source(progress, about_of(group));
    return progress;
}

void follow_progress(Api& api, const Group& group, const Call& call) {
    const auto follower = std::make_shared<ProgressFollower>(api, call.exchange->begin_events({}), group);
    api.live().listen(
        group.id,
        [follower](const store::Event&) {
            follower->tell();
            return follower->is_open();
        },
        [follower] { return follower->is_open(); }, Live::Hears::signs);
    follower->tell();
}

namespace {

namespace json = boost::json;

constexpr std::int64_t most_priority = 1'000;
constexpr std::size_t most_payload_bytes = 64u << 10, longest_id = 255;

// Here the larger comes first, elsewhere the smaller. 0 is what everybody has.
int priority_of(std::int64_t wished) {
    return static_cast<int>(priority_normal - wished);
}

json::value bounded_text(Fields& fields, std::string_view name) {
    auto text = fields.text(name);
    if (!text) return nullptr;
    if (text->size() > longest_id)
        fields.reject(name, fmt::format("has more than {} characters", longest_id));
    return json::value(*std::move(text));
}

// All that the client said stays with the crawl, also what means nothing here: strategies, tags, whose source
// it is.
json::object about(const json::object& body, Fields& fields) {
    json::value payload = body;
    crawl::hide_url_secrets(payload);
    if (json::serialize(payload).size() > most_payload_bytes)
        fields.reject("payload", fmt::format("has more than {} bytes", most_payload_bytes));
    return {{"source_id", bounded_text(fields, "source_id")},
            {"user_id", bounded_text(fields, "user_id")},
            {"payload", std::move(payload)}};
}

crawl::CrawlOptions read_request(const json::object& body, std::vector<Issue>& issues) {
    constexpr std::int64_t deepest = 1'000, most_pages = 1'000'000;
    crawl::CrawlOptions options;
    Fields fields(body, issues);
    if (auto url = fields.url("url")) options.urls = {*std::move(url)};
    if (const auto depth = fields.integer("max_depth", 0, deepest))
        options.max_depth = static_cast<int>(*depth);
    options.limit = fields.integer("limit", 1, most_pages).value_or(options.limit);
    options.collection = fields.text("collection").value_or(options.collection);
    if (const auto name = crawl::check_collection(options.collection); !name)
        fields.reject("collection", name.error().message);
    options.priority = priority_of(fields.integer("priority", -most_priority, most_priority).value_or(0));
    options.about = about(body, fields);
    return options;
}

// {"success", "progressId", …}: the crawl's id is what its progress is asked by.
Response begin(Api& api, store::Reader& reader, const Call& call, crawl::CrawlOptions options) {
    const auto id = api.begin_crawl(reader, call, std::move(options));
    if (!id) return reply(id.error());
    const auto group = reader.group(*id);
    if (!group) return reply(group.error());
    const std::string name = id_of(*group, reader);
    json::object answer{{"success", true},
                        {"progressId", name},
                        {"job_id", name},
                        {"message", "Crawl started"},
                        {"estimatedDuration", nullptr}};
    add_source(answer, about_of(*group));
    return reply(answer);
}

// The last crawl of a source: by its id, the client's own name for the source, its start URL, or the host of
// that.
Result<Group> find_source(store::Reader& reader, const Call& call) {
    if (auto group = find_group(reader, call, "crawl")) return group;
    constexpr int most = 1'000;
    const std::string& source = call.values.at(0);
    for (Group& group : TRY(reader.groups({.owner = call.owner, .limit = most}))) {
        if (group.kind != "crawl") continue;
        const auto url = url::Url::parse(group.name);
        const json::object said = about_of(group);
        const json::value* named = said.if_contains("source_id");
        if (group.name == source || (url && url->host() == source) ||
            (named && *named == json::string(source)))
            return std::move(group);
    }
    return fail(ErrorCode::not_found, "there is no such source");
}

void run_search(Api& api, const Call& call, const search::SearchRequest& request) {
    const auto started = std::chrono::steady_clock::now();
    const auto answer = api.services().search(request);
    const bool is_empty = !answer && answer.error().code == ErrorCode::not_found;
    const auto hits = answer ? std::ssize(answer->hits) : 0;
    api.note(call, {.operation = "search",
                    .base_url = request.collection,
                    .success = answer || is_empty,
                    .auto_index = false,
                    .counts = {.total_urls = hits,
                               .completed_urls = hits,
                               .duration = std::chrono::duration_cast<std::chrono::milliseconds>(
                                   std::chrono::steady_clock::now() - started)},
                    .error = answer || is_empty ? "" : answer.error().message});
    if (!answer && !is_empty) return call.respond(reply(answer.error(), "query"));
    json::array results;
    if (answer)
        for (const search::Hit& hit : answer->hits)
            results.push_back(json::object{{"url", hit.label.url},
                                           {"title", hit.label.title},
                                           {"content", hit.passages.empty() ? "" : hit.passages.front().text},
                                           {"score", hit.score}});
    call.respond(reply(json::object{{"success", true}, {"results", std::move(results)}}));
}

}  // namespace

void crawl_knowledge(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    auto options = read_request(call.body, issues);
    if (!issues.empty()) return call.respond(reply(issues));
    call.respond(begin(api, reader, call, std::move(options)));
}

void show_progress(Api& api, store::Reader& reader, Call call) {
    const auto group = find_group(reader, call, "crawl");
    if (!group) return call.respond(reply(group.error()));
    if (call.request().header("accept").find("text/event-stream") != std::string_view::npos)
        return follow_progress(api, *group, call);
    call.respond(reply(progress_of(reader, *group)));
}

void stop_knowledge_crawl(Api& api, store::Reader& reader, Call call) {
    const auto group = find_group(reader, call, "crawl");
    if (!group) return call.respond(reply(group.error()));
    const auto cancelled = api.services().cancel(group->id);
    if (!cancelled) return call.respond(reply(cancelled.error()));
    call.respond(reply(json::object{
        {"success", true}, {"progressId", id_of(*group, reader)}, {"message", "Crawl stopped"}}));
}

void refresh_knowledge(Api& api, store::Reader& reader, Call call) {
    const auto group = find_source(reader, call);
    if (!group) return call.respond(reply(group.error()));
    auto options = crawl::options_of(*group);
    call.respond(options ? begin(api, reader, call, *std::move(options)) : reply(options.error()));
}

void search_knowledge(Api& api, store::Reader&, Call call) {
    std::vector<Issue> issues;
    Fields fields(call.body, issues);
    search::SearchRequest request;
    request.query = fields.text("query").value_or("");
    if (request.query.empty()) fields.reject("query", "is missing");
    request.limit = static_cast<int>(fields.integer("match_count", 1, 100).value_or(5));
    request.filter.host = fields.text("source").value_or("");
    request.collection = call.collection(fields.text("collection").value_or(request.collection));
    if (!issues.empty()) return call.respond(reply(issues));
    api.post_slow(call, [&api, call, request](store::Reader&) { run_search(api, call, request); });
}

}  // namespace quarry::api
