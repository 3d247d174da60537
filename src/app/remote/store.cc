#include "app/remote/store.h"

#include <algorithm>
#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "model/json/fields.h"
#include "model/json/records.h"
#include "model/json/values.h"
#include "store/records.h"

namespace quarry::app {

namespace {

namespace json = boost::json;
using net::HttpMethod;

// The server's route for each method of app/owner/methods.h. A {name} in a path is the parameter of that
// name; the other parameters make the body.
struct RemoteMethod {
    std::string_view name{};
    HttpMethod method{};
    std::string_view path{};
};

constexpr RemoteMethod remote_methods[] = {
    {"crawl", HttpMethod::post, "/api/v1/crawls"},
    {"cancel", HttpMethod::post, "/api/v1/crawls/{group}/cancel"},
    {"pause", HttpMethod::post, "/api/v1/crawls/{group}/pause"},
    {"resume", HttpMethod::post, "/api/v1/crawls/{group}/resume"},
    {"embed", HttpMethod::post, "/api/v1/crawls/{group}/embed"},
    {"reprioritise", HttpMethod::post, "/api/v1/crawls/{group}/reprioritise"},
    {"schedule", HttpMethod::put, "/api/v1/schedules/{name}"},
    {"unschedule", HttpMethod::delete_, "/api/v1/schedules/{name}"},
    {"cancel_jobs", HttpMethod::post, "/api/v1/queue/cancel"},
    {"pause_jobs", HttpMethod::post, "/api/v1/queue/pause"},
    {"resume_jobs", HttpMethod::post, "/api/v1/queue/resume"},
    {"retry_jobs", HttpMethod::post, "/api/v1/queue/retry"},
    {"clear_jobs", HttpMethod::post, "/api/v1/queue/clear"},
    {"process_changes", HttpMethod::post, "/api/v1/embedding-queue/process"},
    {"forget", HttpMethod::post, "/api/v1/documents/forget"},
    {"index_again", HttpMethod::post, "/api/v1/documents/reindex"},
    {"write_pages", HttpMethod::post, "/api/v1/documents"},
    {"set_collection", HttpMethod::put, "/api/v1/collections/{name}"},
    {"remove_collection", HttpMethod::delete_, "/api/v1/collections/{name}"},
    {"drop_vectors", HttpMethod::delete_, "/api/v1/collections/{collection}/vectors"},
    {"search", HttpMethod::post, "/api/v1/search"},
    {"indexing", HttpMethod::get, "/api/v1/embedding-queue"},
    {"index_facts", HttpMethod::get, "/api/v1/index"},
};

// The path with its names replaced by their values, which are removed from the parameters.
std::string fill_in(std::string_view path, json::object& params) {
    std::string filled;
    while (!path.empty()) {
        const std::size_t begin = std::min(path.find('{'), path.size());
        filled += path.substr(0, begin);
        path.remove_prefix(begin);
        if (path.empty()) break;
        const std::size_t end = path.find('}');
        const std::string_view name = path.substr(1, end - 1);
        if (const json::value* value = params.if_contains(name))
            filled +=
                escaped(value->is_string() ? std::string(value->get_string()) : json::serialize(*value));
        params.erase(name);
        path.remove_prefix(end + 1);
    }
    return filled;
}

}  // namespace

Result<json::value> RemoteOwner::call(std::string_view method, json::object params) {
    const auto found = std::ranges::find(remote_methods, method, &RemoteMethod::name);
    if (found == std::end(remote_methods))
        return fail(ErrorCode::unsupported,
                    fmt::format("\"{}\" cannot be done over a server: do it on its machine", method));
    const std::string target = fill_in(found->path, params);
    return found->method == HttpMethod::get ? api_->get(target) : api_->send(found->method, target, params);
}

Result<std::optional<store::Event>> RemoteOwner::next_event(std::chrono::milliseconds timeout) {
    // The pause grows with the number of polls, because the server limits the requests of a client.
    constexpr int waits_at_once = 25;
    constexpr std::chrono::milliseconds longest{2'000};
    const auto pause = std::max(timeout, std::min(longest, timeout * (waits_++ / waits_at_once)));
    std::this_thread::sleep_for(pause);
    return std::nullopt;
}

namespace {

namespace json = boost::json;

// A path with query parameters.
class Target {
public:
    explicit Target(std::string path) : text_(std::move(path)) {}

    Target& add(std::string_view name, std::string_view value) {
        text_ += fmt::format("{}{}={}", has_parameters_ ? '&' : '?', name, escaped(value));
        has_parameters_ = true;
        return *this;
    }
    Target& add(std::string_view name, std::int64_t value) { return add(name, std::to_string(value)); }
    Target& add_text(std::string_view name, const std::string& value) {
        return value.empty() ? *this : add(name, std::string_view(value));
    }
    template <IdType Id>
    Target& add(std::string_view name, const std::optional<Id>& id) {
        return id ? add(name, number(*id)) : *this;
    }
    template <typename Enum>
    Target& add_names(std::string_view name, const std::vector<Enum>& values) {
        for (const Enum value : values) add(name, name_of(value));
        return *this;
    }
    Target& add_time(std::string_view name, const std::optional<Timestamp>& time) {
        return time ? add(name, iso_time(*time)) : *this;
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
    bool has_parameters_ = false;
};

Target crawl_target(GroupId id, std::string_view rest = "") {
    return Target(fmt::format("/api/v1/crawls/{}{}", number(id), rest));
}

Target& add_filter(Target& target, const store::JobFilter& filter) {
    for (const JobId id : filter.ids) target.add("id", number(id));
    target.add("crawl", filter.group).add_text("kind", filter.kind).add_names("status", filter.states);
    target.add_text("collection", filter.collection);
    if (filter.older_than) target.add("older_than_ms", filter.older_than->count());
    return target;
}

class RemoteReader : public store::Reader {
public:
    explicit RemoteReader(std::shared_ptr<RemoteApi> api) : api_(std::move(api)) {}

    Result<Group> group(GroupId id) override {
        const json::value record = TRY(api_->get(crawl_target(id).text()));
        Group group = TRY(parse_group(record));
        if (group.id != id) return about_something_else();
        return group;
    }

    Result<std::vector<Group>> groups(const store::GroupFilter& filter) override {
        Target target("/api/v1/crawls");
        target.add_text("kind", filter.kind.empty() ? "all" : filter.kind).add_names("status", filter.states);
        target.add("before", filter.before).add("limit", filter.limit);
        auto groups = TRY(list(target, "crawls", parse_group));
        if (filter.before && !groups.empty() && groups.back().id >= *filter.before) return in_circles();
        return groups;
    }

    Result<std::int64_t> position(GroupId id) override {
        const json::value record = TRY(api_->get(crawl_target(id).text()));
        const json::value* position = member(record, "queue_position");
        return position && position->is_int64() ? position->get_int64() : 0;
    }

    Result<std::vector<std::string>> current_urls(GroupId id, int limit) override {
        const json::value record = TRY(api_->get(crawl_target(id).text()));
        std::vector<std::string> urls;
        const json::value* named = member(record, "current_urls");
        for (const json::value& url : named && named->is_array() ? named->get_array() : json::array())
            if (url.is_string() && static_cast<int>(urls.size()) < limit) urls.emplace_back(url.get_string());
        return urls;
    }

    Result<Job> job(JobId id) override {
        const json::value record = TRY(api_->get(fmt::format("/api/v1/jobs/{}", number(id))));
        Job job = TRY(parse_job(record));
        if (job.id != id) return about_something_else();
        return job;
    }

    Result<std::vector<Job>> jobs(const store::JobQuery& page) override {
        Target target("/api/v1/jobs");
        add_filter(target, page.filter).add("after", page.after).add("limit", page.limit);
        if (page.with_payload) target.add("payload", "true");
        auto jobs = TRY(list(target, "jobs", parse_job));
        if (page.after && !jobs.empty() && jobs.back().id == *page.after) return in_circles();
        return jobs;
    }

    Result<std::vector<store::StateCount>> job_counts(const store::JobFilter& filter) override {
        Target target("/api/v1/queue");
        return list(add_filter(target, filter), "counts", store::parse_state_count);
    }

    Result<std::vector<FrontierUrl>> urls(const store::UrlQuery& page) override {
        Target target = crawl_target(page.group, "/urls");
        target.add_names("status", page.states).add("after", page.after).add("limit", page.limit);
        if (page.skipped) target.add("reason", name_of(*page.skipped));
        auto urls = TRY(list(target, "urls", parse_url));
        if (page.after && !urls.empty() && urls.back().id == *page.after) return in_circles();
        return urls;
    }

    Result<store::StoredPages> pages(const store::PageQuery& page) override {
        Target target = page.group ? crawl_target(*page.group, "/documents") : Target("/api/v1/documents");
        if (!page.group) target.add_text("collection", page.collection);
        target.add("url", page.url);
        target.add("after", page.after).add("limit", page.limit);
        if (page.skip > 0) target.add("skip", page.skip);
        if (page.with_content) target.add("content", "true");
        const json::value answer = TRY(api_->get(target.text()));
        store::StoredPages read;
        read.pages = TRY(list_in(answer, "documents", parse_page));
        const json::value* next = member(answer, "next");
        if (next && next->is_int64()) read.next = next->get_int64();
        if (read.next && *read.next <= page.after) return in_circles();
        const json::value* last = member(answer, "last");
        if (last && last->is_int64()) read.last = last->get_int64();
        return read;
    }

    Result<std::optional<StoredPage>> page(std::string_view collection, const UrlKey& key) override {
        Target target(fmt::format("/api/v1/collections/{}/document", escaped(collection)));
        target.add("key", hex_of(key.high) + hex_of(key.low));
        const auto answer = api_->get(target.text());
        if (!answer && answer.error().code == ErrorCode::not_found) return std::nullopt;
        if (!answer) return std::unexpected(answer.error());
        return TRY(parse_page(*answer));
    }

    Result<std::vector<StoredPage>> page_versions(std::span<const ContentId>) override {
        return not_over_a_server();
    }
    Result<std::string> media(ContentId) override { return not_over_a_server(); }
    Result<std::int64_t> stored_bytes(const std::vector<std::string>&) override {
        return not_over_a_server();
    }

    Result<store::OutboxCounts> outbox_counts(const std::string& collection,
                                              std::optional<GroupId> group) override {
        Target target("/api/v1/embedding-queue");
        target.add_text("collection", collection).add("crawl", group);
        return store::parse_outbox_counts(TRY(api_->get(target.text())));
    }

    Result<std::vector<Collection>> collections() override {
        return list(Target("/api/v1/collections"), "collections", parse_collection);
    }

    Result<std::optional<Collection>> collection(const std::string& name) override {
        const auto answer = api_->get("/api/v1/collections/" + escaped(name));
        if (!answer && answer.error().code == ErrorCode::not_found) return std::nullopt;
        if (!answer) return std::unexpected(answer.error());
        return TRY(parse_collection(*answer));
    }

    Result<EmbedderFacts> embedder(const std::string& name) override {
        const auto known = TRY(collection(name));
        return known ? known->embedder : EmbedderFacts();
    }

    Result<std::vector<Session>> sessions(const store::SessionFilter& filter) override {
        Target target("/api/v1/sessions");
        target.add_text("operation", filter.operation).add_time("since", filter.since);
        target.add_time("before", filter.before).add("limit", filter.limit);
        return list(target, "sessions", parse_session);
    }

    Result<std::vector<SessionDay>> session_days(int limit) override {
        return list(Target("/api/v1/sessions/days").add("limit", limit), "days", parse_session_day);
    }

    Result<std::vector<Operation>> operations(const store::OperationFilter&) override {
        return not_over_a_server();
    }
    Result<std::vector<OperationDay>> operation_days(int) override { return not_over_a_server(); }

    Result<Timings> timings(GroupId id) override {
        const json::value answer = TRY(api_->get(crawl_target(id, "/timings").add("limit", 1).text()));
        const json::value* sums = member(answer, "timings");
        return parse_timings(sums ? *sums : json::value());
    }

    Result<std::vector<store::SlowPage>> slowest_pages(GroupId id, int limit) override {
        return list(crawl_target(id, "/timings").add("limit", limit), "slowest", store::parse_slow_page);
    }

    Result<std::vector<ApiKey>> keys() override { return not_over_a_server(); }
    Result<std::optional<store::OwnerLimits>> limits(const std::string&) override {
        return not_over_a_server();
    }
    Result<std::vector<UsageDay>> usage(const std::string&, Timestamp) override {
        return not_over_a_server();
    }
    Result<std::vector<RequestRecord>> requests(const store::RequestFilter&) override {
        return not_over_a_server();
    }
    Result<std::vector<RequestDay>> request_days(int) override { return not_over_a_server(); }

    Result<std::vector<store::WorkerInfo>> workers() override {
        return list(Target("/api/v1/workers"), "workers", store::parse_worker);
    }

    Result<std::vector<store::Schedule>> schedules() override {
        return list(Target("/api/v1/schedules"), "schedules", store::parse_schedule);
    }

    std::uint64_t salt() const override { return api_->salt(); }

private:
    static const json::value* member(const json::value& value, std::string_view name) {
        const json::object* object = value.if_object();
        return object ? object->if_contains(name) : nullptr;
    }

    static std::unexpected<Error> not_over_a_server() {
        return fail(ErrorCode::unsupported, "this cannot be read over a server: do it on its machine");
    }

    // A field that is missing from a record keeps its default, so an answer without an id has to be noticed
    // here: a command that waits for the crawl in it would wait forever.
    static std::unexpected<Error> about_something_else() {
        return fail(ErrorCode::corrupt,
                    "the server's answer is not about what was asked: is it quarry of this version?");
    }

    // A caller that reads such a list page by page would never come to its end.
    static std::unexpected<Error> in_circles() {
        return fail(ErrorCode::corrupt, "the server's answer repeats itself: is it quarry of this version?");
    }

    template <typename Type>
    static Result<std::vector<Type>> list_in(const json::value& answer, std::string_view name,
                                             Result<Type> (*parse)(const json::value&)) {
        const json::value* records = member(answer, name);
        if (!records || !records->is_array())
            return fail(ErrorCode::corrupt, fmt::format("the server's answer has no list of {}", name));
        std::vector<Type> all;
        for (const json::value& record : records->get_array()) {
            all.push_back(TRY(parse(record)));
            if constexpr (requires { number(all.back().id); })
                if (number(all.back().id) <= 0) return about_something_else();
        }
        return all;
    }

    template <typename Type>
    Result<std::vector<Type>> list(const Target& target, std::string_view name,
                                   Result<Type> (*parse)(const json::value&)) {
        const json::value answer = TRY(api_->get(target.text()));
        return list_in(answer, name, parse);
    }

    const std::shared_ptr<RemoteApi> api_;
};

}  // namespace

std::unique_ptr<store::Reader> remote_reader(std::shared_ptr<RemoteApi> api) {
    return std::make_unique<RemoteReader>(std::move(api));
}

}  // namespace quarry::app
