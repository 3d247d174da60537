// The routes of crawls and batches, and the answers that clients poll for: the state of a crawl or a batch,
// with the documents that are finished.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>
#include <fmt/format.h>

#include "api/api.h"
#include "api/firecrawl/document.h"
#include "api/firecrawl/page_request.h"
#include "api/firecrawl/routes.h"
#include "api/firecrawl/states.h"
#include "api/own/query.h"
#include "api/routes.h"
#include "api/server/message.h"
#include "base/result.h"
#include "crawl/options/json.h"
#include "crawl/options/options.h"
#include "model/group.h"
#include "model/ids.h"
#include "model/json/output.h"
#include "model/json/readable.h"
#include "store/reader.h"

namespace quarry::api {

struct StatusPage {
    std::int64_t skip = 0;  // documents that the client has
    int limit = 100;        // of documents in one answer
    std::string origin{};   // of this server, as the client reached it
    Timestamp expires_at{};
};

// The answer has a `next` only if more documents are finished already: clients follow it without a pause.
Result<boost::json::object> crawl_status(store::Reader& reader, const Group& group, const StatusPage& page,
                                         std::string_view self);

// A crawl or a batch over a WebSocket: the client gets the documents that are finished already, then each
// document as it is finished, then the end.

// The upgrade is accepted even if there is no such crawl: clients crash when the upgrade is refused, but
// understand an error message.
void follow_crawl(Api& api, store::Reader& reader, Call call, const Result<Group>& group);

namespace {

namespace json = boost::json;

// The bytes of documents in one answer; a larger document comes alone.
constexpr std::size_t most_bytes = 10u << 20;
// Documents are read in small batches, so that a huge one is not read together with a hundred others.
constexpr int read_at_once = 20;

struct Documents {
    json::array list{};
    bool has_more = false;
};

std::size_t size_of(const StoredPage& page) {
    return page.content
               ? page.content->markdown.size() + page.content->html.size() + page.content->details.size()
               : 0;
}

Result<Documents> read_documents(store::Reader& reader, const Group& group, const StatusPage& wanted,
                                 const Formats& formats) {
    Documents documents;
    std::size_t bytes = 0;
    std::int64_t after = 0;
    std::int64_t skip = wanted.skip;
    while (true) {
        const auto taken = static_cast<int>(documents.list.size());
        // One document more than wanted is read: it tells whether a next page exists.
        const int limit = std::min(read_at_once, wanted.limit - taken + 1);
        const auto pages = TRY(reader.pages(
            {.group = group.id, .after = after, .skip = skip, .limit = limit, .with_content = true}));
        skip = 0;
        for (const StoredPage& page : pages.pages) {
            bytes += size_of(page);
            const bool is_full =
                std::ssize(documents.list) >= wanted.limit || (bytes > most_bytes && !documents.list.empty());
            if (is_full) {
                documents.has_more = true;
                return documents;
            }
            documents.list.push_back(firecrawl_document(page, formats, {.origin = wanted.origin}));
        }
        if (!pages.next) return documents;
        after = *pages.next;
    }
}

}  // namespace

Result<json::object> crawl_status(store::Reader& reader, const Group& group, const StatusPage& page,
                                  std::string_view self) {
    const crawl::CrawlOptions options = TRY(crawl::options_of(group));
    Documents documents = TRY(read_documents(reader, group, page, options.formats));
    const GroupCounters& counters = group.counters;
    json::object status{{"success", true},
                        {"status", firecrawl_state(group.state)},
                        {"completed", counters.completed},
                        {"total", counters.completed + counters.running + counters.queued},
                        {"creditsUsed", counters.completed},
                        {"createdAt", iso_time(group.created_at)},
                        {"expiresAt", iso_time(page.expires_at)}};
    if (group.finished_at) {
        status["completedAt"] = iso_time(*group.finished_at);
        status["duration"] = static_cast<double>((*group.finished_at - group.created_at).count()) / 1'000;
    }
    if (!group.error.empty()) status[group.state == JobState::failed ? "error" : "warning"] = group.error;
    status["next"] = nullptr;
    if (documents.has_more)
        status["next"] =
            fmt::format("{}?skip={}{}", self, page.skip + std::ssize(documents.list),
                        page.limit != StatusPage{}.limit ? fmt::format("&limit={}", page.limit) : "");
    status["data"] = std::move(documents.list);
    return status;
}

namespace {

namespace json = boost::json;

constexpr int policy_violation = 1008;
constexpr int internal_error = 1011;
constexpr int documents_at_once = 5;
constexpr std::size_t enough_bytes = 1u << 20;  // on their way to one client

// The first protocol that the client offers: its key, in Firecrawl's clients.
std::string offered_protocol(const Request& request) {
    std::string_view offered = request.header("sec-websocket-protocol");
    offered = offered.substr(0, offered.find(','));
    while (offered.ends_with(' ')) offered.remove_suffix(1);
    return std::string(offered);
}

// One client that follows one crawl. Documents are read from the store from the client's position on, so that
// none is missed and none comes twice, however many events come together.
class CrawlFollower : public std::enable_shared_from_this<CrawlFollower> {
public:
    CrawlFollower(Api& api, std::shared_ptr<Follower> client, const Group& group, Formats formats,
                  std::string origin)
        : api_(api),
          client_(std::move(client)),
          group_(group.id),
          owner_(group.owner),
          formats_(formats),
          links_{.origin = std::move(origin)} {}

    // `sent`: the number of documents in the first message.
    void begin_after(std::int64_t sent) { skip_ = sent; }

    // Sends new documents. Any thread may call it; one reader at a time sends.
    void catch_up() {
        if (news_++ > 0) return;
        const bool is_taken =
            api_.post(owner_, [self = shared_from_this()](store::Reader& reader) { self->run(reader); });
        if (!is_taken) client_->close(internal_error, "the server is busy");
    }
    bool is_open() const { return client_->is_open(); }

private:
    void run(store::Reader& reader) {
        int seen = 0;
        do {
            seen = news_;
            if (const auto sent = send_news(reader); !sent)
                client_->close(internal_error, sent.error().message);
        } while (news_.fetch_sub(seen) > seen);
    }

    Result<void> send_news(store::Reader& reader) {
        // The state is read before the documents, so that no document comes after the end.
        const Group group = TRY(reader.group(group_));
        for (bool has_more = true; has_more;) {
            // Sending goes on when the client has taken these bytes.
            if (!client_->is_open() || client_->waiting_bytes() > enough_bytes) return {};
            const auto pages = TRY(reader.pages({.group = group_,
                                                 .after = after_,
                                                 .skip = std::exchange(skip_, 0),
                                                 .limit = documents_at_once,
                                                 .with_content = true}));
            for (const StoredPage& page : pages.pages)
                client_->send(readable_json(json::object{
                    {"type", "document"}, {"data", firecrawl_document(page, formats_, links_)}}));
            if (!pages.pages.empty()) after_ = pages.last;
            has_more = pages.next.has_value();
        }
        // Clients then ask once for the whole crawl, and learn from the answer how it ended.
        if (group.is_over()) client_->close(1000, "");
        return {};
    }

    Api& api_;
    const std::shared_ptr<Follower> client_;
    const GroupId group_;
    const std::string owner_;
    const Formats formats_;
    const MediaLinks links_;
    std::atomic<int> news_ = 0;
    // These belong to the reader that sends.
    std::int64_t after_ = 0, skip_ = 0;
};

}  // namespace

void follow_crawl(Api& api, store::Reader& reader, Call call, const Result<Group>& group) {
    const auto client = call.exchange->accept_websocket(offered_protocol(call.request()));
    if (!group) {
        client->send(readable_json(json::object{{"type", "error"}, {"error", group.error().message}}));
        client->close(policy_violation, group.error().message);
        return;
    }
    const auto options = crawl::options_of(*group);
    const std::string origin = origin_of(call.request());
    const auto status =
        crawl_status(reader, *group, {.origin = origin, .expires_at = expiry_of(api.services(), *group)}, "");
    if (!options || !status) return client->close(internal_error, "the crawl cannot be read");
    const auto follower = std::make_shared<CrawlFollower>(api, client, *group, options->formats, origin);
    follower->begin_after(std::ssize(status->at("data").as_array()));
    client->set_on_drained([weak = std::weak_ptr(follower)] {
        if (const auto here = weak.lock()) here->catch_up();
    });
    client->send(readable_json(json::object{{"type", "catchup"}, {"data", *status}}));
    api.live().listen(
        group->id,
        [follower](const store::Event&) {
            if (follower->is_open()) follower->catch_up();
            return follower->is_open();
        },
        [follower] { return follower->is_open(); }, Live::Hears::signs);
    // Sends what was finished between the first message and the start of listening.
    follower->catch_up();
}

// The routes that begin, show and cancel crawls and batches. A batch is a crawl of the pages it names.

namespace {

namespace json = boost::json;

constexpr std::string_view crawl_kind = "crawl", batch_kind = "batch_scrape";
constexpr std::string_view crawl_path = "/v2/crawl/", batch_path = "/v2/batch/scrape/";
constexpr int most_errors = 1'000;

std::string_view path_of(std::string_view kind) {
    return kind == crawl_kind ? crawl_path : batch_path;
}

// {"success", "id", "url"}
json::object begun(const Group& group, const store::Reader& reader, const Call& call) {
    const std::string name = id_of(group, reader);
    return json::object{{"success", true},
                        {"id", name},
                        {"url", origin_of(call.request()) + std::string(path_of(group.kind)) + name}};
}

// A client that does not know whether its request arrived repeats it with the same key, and does not begin a
// second crawl.
Result<json::object> begin(Api& api, store::Reader& reader, const Call& call, crawl::CrawlOptions options) {
    constexpr std::size_t longest_key = 256;
    options.request_key = call.request().header("x-idempotency-key");
    if (options.request_key.size() > longest_key)
        return fail(ErrorCode::invalid_argument, "x-idempotency-key has more than 256 characters");
    const auto id = api.begin_crawl(reader, call, options);
    const bool is_known = !id && id.error().code == ErrorCode::conflict && !options.request_key.empty();
    if (is_known) return fail(ErrorCode::conflict, "Idempotency key already used");
    if (!id) return std::unexpected(id.error());
    const Group group = TRY(reader.group(*id));
    return begun(group, reader, call);
}

// Adds pages to a batch that is not over.
Result<json::object> append(Api& api, store::Reader& reader, Call call, const crawl::CrawlOptions& options) {
    call.values = {std::string(call.body.at("appendToId").get_string())};
    const Group batch = TRY(find_group(reader, call, batch_kind));
    if (batch.is_over())
        return fail(ErrorCode::conflict,
                    fmt::format("the batch is {} and takes no more pages", firecrawl_state(batch.state)));
    TRY(api.check_quota(reader, call.owner));
    const crawl::CrawlOptions own = TRY(crawl::options_of(batch));
    if (own.allow_private || !own.allow_networks.empty())
        return fail(ErrorCode::refused,
                    "the batch may fetch private addresses: only this machine's own commands add to it");
    TRY(api.services().add_urls(batch.id, options.urls));
    return begun(batch, reader, call);
}

void show(Api& api, store::Reader& reader, Call call, std::string_view kind) {
    const auto group = find_group(reader, call, kind);
    if (call.request().is_upgrade) return follow_crawl(api, reader, std::move(call), group);
    if (!group) return call.respond(reply(group.error()));
    constexpr std::int64_t most_skipped = 1'000'000'000;
    constexpr int most_documents = 100;
    own::Query query(call.request(), own::Unknown::accepted);
    const StatusPage page{.skip = query.integer("skip", 0, most_skipped).value_or(0),
                          .limit = query.limit(most_documents, most_documents),
                          .origin = origin_of(call.request()),
                          .expires_at = expiry_of(api.services(), *group)};
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    const std::string self = page.origin + std::string(path_of(kind)) + id_of(*group, reader);
    const auto status = crawl_status(reader, *group, page, self);
    call.respond(status ? reply(*status) : reply(status.error()));
}

json::object error_of(const FrontierUrl& url, const Group& group, const store::Reader& reader) {
    json::object error{{"id", public_id(number(url.id), group.created_at, reader.salt())},
                       {"url", url.url},
                       {"error", for_clients(url.note)}};
    if (url.finished_at) error["timestamp"] = iso_time(*url.finished_at);
    error["code"] =
        url.status >= 400 ? fmt::format("HTTP_{}", url.status) : std::string(scrape_error_of(url).code);
    return error;
}

Result<json::object> errors_of(store::Reader& reader, const Call& call, std::string_view kind) {
    const Group group = TRY(find_group(reader, call, kind));
    json::array errors, blocked;
    const auto add = [&](const std::vector<FrontierUrl>& urls) {
        for (const FrontierUrl& url : urls) errors.push_back(error_of(url, group, reader));
    };
    add(TRY(reader.urls({.group = group.id, .states = {UrlState::failed}, .limit = most_errors})));
    for (const SkipReason reason : {SkipReason::not_a_page, SkipReason::empty})
        add(TRY(reader.urls({.group = group.id, .skipped = reason, .limit = most_errors})));
    const auto refused =
        TRY(reader.urls({.group = group.id, .skipped = SkipReason::robots, .limit = most_errors}));
    for (const FrontierUrl& url : refused) blocked.emplace_back(url.url);
    return json::object{{"errors", std::move(errors)}, {"robotsBlocked", std::move(blocked)}};
}

// A request that needs a model is refused if there is none.
void check_model(Api& api, const crawl::CrawlOptions& options, std::string_view field,
                 std::vector<Issue>& issues) {
    if (options.data.needs_model() && api.services().model == nullptr)
        issues.push_back(
            {.path = std::string(field), .message = "has one that " + std::string(needs_model_sentence)});
}

void show_errors(store::Reader& reader, const Call& call, std::string_view kind) {
    const auto errors = errors_of(reader, call, kind);
    call.respond(errors ? reply(*errors) : reply(errors.error()));
}

void cancel(Api& api, store::Reader& reader, const Call& call, std::string_view kind) {
    const auto group = find_group(reader, call, kind);
    if (!group) return call.respond(reply(group.error()));
    const auto cancelled = api.services().cancel(group->id);
    if (!cancelled && cancelled.error().code == ErrorCode::conflict)
        return call.respond(
            reply_error(409, "CONFLICT", fmt::format("Crawl is already {}", firecrawl_state(group->state))));
    if (!cancelled) return call.respond(reply(cancelled.error()));
    call.respond(reply(json::object{{"success", true}, {"status", "cancelled"}}));
}

}  // namespace

void begin_crawl(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    auto options = read_crawl_request(call.body, issues);
    check_model(api, options, "scrapeOptions.formats", issues);
    if (!issues.empty()) return call.respond(reply(issues));
    const auto answer = begin(api, reader, call, std::move(options));
    call.respond(answer ? reply(*answer) : reply(answer.error()));
}

void begin_batch(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    std::vector<std::string> invalid;
    auto options = read_batch_request(call.body, issues, invalid);
    check_model(api, options, "formats", issues);
    if (!issues.empty()) return call.respond(reply(issues));
    const json::value* batch = call.body.if_contains("appendToId");
    const bool is_for_more = batch && batch->is_string();
    auto answer =
        is_for_more ? append(api, reader, call, options) : begin(api, reader, call, std::move(options));
    if (!answer && is_for_more && answer.error().code == ErrorCode::invalid_argument)
        return call.respond(
            reply(std::vector<Issue>{{.path = "appendToId", .message = "is no id of a batch"}}));
    if (!answer) return call.respond(reply(answer.error()));
    json::array left_out;
    for (const std::string& url : invalid) left_out.emplace_back(url);
    (*answer)["invalidURLs"] = std::move(left_out);
    call.respond(reply(*answer));
}

void show_crawl(Api& api, store::Reader& reader, Call call) {
    show(api, reader, std::move(call), crawl_kind);
}
void show_batch(Api& api, store::Reader& reader, Call call) {
    show(api, reader, std::move(call), batch_kind);
}
void show_crawl_errors(Api&, store::Reader& reader, Call call) {
    show_errors(reader, call, crawl_kind);
}
void show_batch_errors(Api&, store::Reader& reader, Call call) {
    show_errors(reader, call, batch_kind);
}
void cancel_crawl(Api& api, store::Reader& reader, Call call) {
    cancel(api, reader, call, crawl_kind);
}
void cancel_batch(Api& api, store::Reader& reader, Call call) {
    cancel(api, reader, call, batch_kind);
}

void list_active_crawls(Api&, store::Reader& reader, Call call) {
    constexpr int most = 1'000;
    const auto groups = reader.groups({.owner = call.owner,
                                       .states = {JobState::queued, JobState::running, JobState::paused},
                                       .limit = most});
    if (!groups) return call.respond(reply(groups.error()));
    json::array crawls;
    for (const Group& group : *groups) {
        if (group.kind != crawl_kind) continue;
        json::error_code error;
        json::value options = json::parse(group.options, error);
        crawl::hide_url_secrets(options);
        crawls.push_back(json::object{{"id", id_of(group, reader)},
                                      {"teamId", owner_uuid(group.owner)},
                                      {"url", group.name},
                                      {"created_at", iso_time(group.created_at)},
                                      {"options", error ? json::value(nullptr) : std::move(options)}});
    }
    call.respond(reply(json::object{{"success", true}, {"crawls", std::move(crawls)}}));
}

void preview_crawl_params(Api&, store::Reader&, Call call) {
    call.respond(
        reply_error(400, "NOT_IMPLEMENTED",
                    "finding crawl parameters from a prompt needs a language model, which this server "
                    "does not have: set includePaths, excludePaths and maxDiscoveryDepth yourself"));
}

}  // namespace quarry::api
