#include "api/api.h"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "api/answer_cache.h"
#include "api/server/fields.h"
#include "api/server/message.h"
#include "base/printable.h"
#include "model/json/records.h"
#include "store/owner_quota.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

// How old an answer may be that another request caused: no client polls so fast.
constexpr std::chrono::milliseconds shared_for{50};
constexpr ReaderPoolConfig quick{.count = 4, .most_of_owner = 4};
constexpr ReaderPoolConfig slow{.count = 8, .most_of_owner = 6};
constexpr ReaderPoolConfig outside{.count = 8, .most_of_owner = 4};
// The line of the API's own work at the readers. No real owner has this name.
constexpr std::string_view of_the_api = "*";

// The id is told to the client and written to the log, so that an answer can be found in the log.
std::string new_request_id() {
    thread_local std::mt19937_64 random{std::random_device{}()};
    return fmt::format("{:016x}", random());
}

// The client's own id is kept if it is short and has nothing in it that could break a log.
std::string request_id_of(const Request& request) {
    const std::string_view given = request.header("x-request-id");
    const bool is_fit = !given.empty() && given.size() <= 64 &&
                        given.find_first_not_of(
                            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "-_.") == std::string_view::npos;
    return is_fit ? std::string(given) : new_request_id();
}

Response too_busy() {
    Response busy = reply_error(503, "UNAVAILABLE", "too many requests wait already");
    busy.headers.push_back({.name = "Retry-After", .value = "1"});
    return busy;
}

Response no_body(const Error& error) {
    Response response = reply(error);
    if (error.code == ErrorCode::unavailable)
        response.headers.push_back({.name = "Retry-After", .value = "1"});
    return response;
}

Response method_not_allowed(const Found& found) {
    std::string allowed;
    for (const Method method : found.allowed) {
        if (!allowed.empty()) allowed += ", ";
        allowed += name_of(method);
    }
    Response response = reply_error(405, "METHOD_NOT_ALLOWED", "this path takes only " + allowed);
    response.headers.push_back({.name = "Allow", .value = std::move(allowed)});
    return response;
}

// Everything that an answer may depend on.
std::string key_of(const Call& call) {
    const Request& request = call.request();
    std::string key = call.owner;
    for (const std::string_view part :
         {std::string_view(request.path), request.header("host"), request.header("x-forwarded-host"),
          request.header("x-forwarded-proto")})
        key.append("\n").append(part);
    for (const auto& [name, value] : request.query) key.append("\n").append(name).append("=").append(value);
    return key;
}

bool is_shared(const Route& route, const Request& request) {
    return route.sharing == Sharing::moment && request.method == Method::get && !request.is_upgrade &&
           !request.header("accept").contains("text/event-stream");
}

// The answer to a browser's preflight request (CORS).
Response preflight() {
    return {.status = 200,
            .headers = {{.name = "Access-Control-Allow-Methods", .value = "GET, POST, PUT, PATCH, DELETE"},
                        {.name = "Access-Control-Allow-Headers",
                         .value = "Authorization, Content-Type, X-Api-Key, X-Idempotency-Key, X-Request-Id, "
                                  "Traceparent, Tracestate"},
                        {.name = "Access-Control-Max-Age", .value = "600"}}};
}

// Names and values end up in answers, which are JSON and therefore UTF-8.
bool is_utf8(const Request& request, const std::vector<std::string>& values) {
    const auto is_fit = [](const std::string& text) { return as_utf8(text) == text; };
    return std::ranges::all_of(values, is_fit) &&
           std::ranges::all_of(request.query, [&](const auto& parameter) {
               return is_fit(parameter.first) && is_fit(parameter.second);
           });
}

}  // namespace

Api::Api(Services services)
    : services_(std::move(services)),
      request_log_(services_.keep_requests, services_.log),
      admission_(services_.admission),
      answers_(std::make_shared<AnswerCache>(shared_for)),
      live_([this](const std::vector<GroupId>& groups) { look_again(groups); }) {}

Result<std::unique_ptr<Api>> Api::open(Services services) {
    std::unique_ptr<Api> api(new Api(std::move(services)));
    api->readers_ = TRY(ReaderPool::open(quick, api->services_.open_reader));
    api->slow_readers_ = TRY(ReaderPool::open(slow, api->services_.open_reader));
    api->outside_readers_ = TRY(ReaderPool::open(outside, api->services_.open_reader));
    api->observer_ = api->services_.observe([raw = api.get()](std::span<const store::Event> events) {
        const auto is_turn = [](const store::Event& event) {
            return event.what == store::Event::What::group_changed;
        };
        if (std::ranges::any_of(events, is_turn)) raw->answers_->forget();
        raw->live_.tell(events);
    });
    return api;
}

// The readers are closed here, but stay until nothing is left that could post to them.
Api::~Api() {
    stop_.request_stop();
    observer_.reset();
    if (outside_readers_) outside_readers_->close();
    if (slow_readers_) slow_readers_->close();
    if (readers_) readers_->close();
}

void Api::handle(std::shared_ptr<Exchange> exchange) {
    std::string id = request_id_of(exchange->request());
    const auto observed = std::make_shared<ObservedExchange>(std::move(exchange), id, request_log_);
    observed->set_peer(admission_.client_of(observed->request()));
    observed->set_on_follower([this](const Request& request, const std::shared_ptr<Follower>& follower) {
        Stream stream{
            .request = {.headers = request.headers, .peer = request.peer, .is_upgrade = request.is_upgrade},
            .follower = follower};
        streams_.with([&](std::vector<Stream>& streams) {
            std::erase_if(streams, [](const Stream& other) { return other.follower.expired(); });
            streams.push_back(std::move(stream));
        });
    });
    dispatch({.exchange = observed, .owner = std::string(nobody), .request_id = std::move(id)}, observed);
}

void Api::dispatch(Call call, const std::shared_ptr<ObservedExchange>& exchange) {
    if (!admission_.needs_keys_read(call.request())) return admit(std::move(call), exchange);
    post(call, [this, call, exchange](store::Reader& reader) mutable {
        // Another request that came at the same time may have read the keys meanwhile.
        const bool is_needed = admission_.needs_keys_read(call.request());
        const auto read = is_needed ? admission_.keyring().read(reader) : Result<void>();
        if (!read) return call.respond(reply(read.error()));
        admit(std::move(call), exchange);
    });
}

void Api::admit(Call call, const std::shared_ptr<ObservedExchange>& exchange) {
    const Request& request = call.request();
    Found found = find_route(all_routes(), request.method, request.path);
    if (found.route) exchange->set_route(found.route->path);
    auto cors = admission_.cors_headers(request);
    const bool is_preflight = request.method == Method::options && !cors.empty();
    exchange->set_headers(std::move(cors));
    if (is_preflight) return call.respond(preflight());
    auto owner = admission_.admit(request, found.route ? found.route->access : Access::key);
    if (!owner) return call.respond(std::move(owner).error());
    exchange->set_owner(*owner);
    if (!found.route && !found.allowed.empty()) return call.respond(method_not_allowed(found));
    if (!found.route)
        return call.respond(reply_error(
            404, "NOT_FOUND",
            fmt::format("there is no {} here. GET /openapi.json lists what there is", request.path)));
    if (!is_utf8(request, found.values))
        return call.respond(reply_error(400, "BAD_REQUEST", "the path or a parameter is not UTF-8"));
    call.owner = *std::move(owner);
    call.values = std::move(found.values);
    run(*found.route, std::move(call));
}

// The body is read only now, when the request's owner and its route are known.
void Api::run(const Route& route, Call call) {
    if (!call.request().has_body) return answer(route, std::move(call));
    const std::shared_ptr<Exchange> exchange = call.exchange;
    exchange->read_body(most_bytes_of(route.body),
                        [this, &route, call = std::move(call)](Result<void> read) mutable {
                            if (!read) return call.respond(no_body(read.error()));
                            answer(route, std::move(call));
                        });
}

void Api::answer(const Route& route, Call call) {
    if (is_shared(route, call.request())) {
        call.exchange = answers_->ask(key_of(call), call.exchange);
        if (!call.exchange) return;
    } else if (route.method != Method::get) {
        call.exchange = std::make_shared<ChangingExchange>(std::move(call.exchange), answers_);
    }
    post(call, [this, &route, call](store::Reader& reader) mutable {
        if (route.body == BodyKind::json) {
            auto body = parse_json_object(call.request().body);
            if (!body && body.error().code == ErrorCode::invalid_argument)
                return call.respond(reply_error(400, "BAD_REQUEST_INVALID_JSON", body.error().message));
            if (!body) return call.respond(reply(body.error()));
            call.body = *std::move(body);
        }
        route.run(*this, reader, std::move(call));
    });
}

void Api::claim(const Call& call, crawl::CrawlOptions& options) {
    options.owner = call.owner;
    options.collection = call.collection(options.collection);
    // No request may fetch private addresses, not even those that an earlier crawl of this machine's user
    // was allowed.
    options.allow_private = false;
    options.allow_networks.clear();
}

Result<std::optional<std::int64_t>> Api::pages_left(store::Reader& reader, const std::string& owner) const {
    return store::pages_left(reader, owner, services_.now());
}

Result<void> Api::check_storage(store::Reader& reader, const std::string& owner) {
    const std::int64_t most = limits_of(owner).stored_bytes;
    if (most > 0 && storage_.is_used_up(reader, owner, services_.now()))
        return fail(ErrorCode::exhausted, store::storage_sentence(most, owner));
    return {};
}

Result<std::optional<std::int64_t>> Api::check_quota(store::Reader& reader, const std::string& owner) {
    auto left = TRY(pages_left(reader, owner));
    if (left && *left == 0)
        return fail(ErrorCode::exhausted, "Insufficient credits: " +
                                              store::pages_sentence(limits_of(owner).pages_per_month, owner));
    TRY(check_storage(reader, owner));
    return left;
}

Result<GroupId> Api::begin_crawl(store::Reader& reader, const Call& call, crawl::CrawlOptions options) {
    claim(call, options);
    if (const auto left = TRY(check_quota(reader, call.owner)))
        options.limit = std::min(options.limit, *left);
    options.request = context_of(call);
    options.keeping.reset();
    const std::string_view path = call.request().path;
    const bool is_promised = path.starts_with("/v1/") || path.starts_with("/v2/");
    if (is_promised)
        options.keeping = options.kind == "scrape" ? services_.promises.scrapes : services_.promises.crawls;
    return services_.begin_crawl(options);
}

void Api::note(const Call& call, Session session) const {
    const crawl::RequestContext context = context_of(call);
    json::object extra{{"request_id", context.request_id}, {"origin", context.origin}};
    if (!context.trace_parent.empty()) extra["traceparent"] = context.trace_parent;
    session.owner = call.owner;
    session.extra = json::serialize(extra);
    (void)services_.perform("add_session", record_of(session));
}

crawl::RequestContext Api::context_of(const Call& call) const {
    constexpr std::size_t longest = 256;
    const Request& request = call.request();
    crawl::RequestContext context{.api_key = admission_.keyring().key_of(token_of(request)),
                                  .request_id = call.request_id,
                                  .is_v1 = call.is_v1()};
    const json::value* said = call.body.if_contains("origin");
    if (said && said->is_string()) context.origin = said->get_string();
    if (context.origin.empty()) context.origin = request.header("x-origin");
    if (context.origin.empty())
        context.origin = request.header("user-agent").starts_with("quarry/") ? "cli" : "api";
    context.origin = as_utf8(context.origin.substr(0, longest));
    if (const std::string_view parent = request.header("traceparent"); crawl::is_trace_parent(parent)) {
        context.trace_parent = parent;
        context.trace_state = as_utf8(request.header("tracestate").substr(0, 2 * longest));
    }
    return context;
}

std::function<void()> Api::cancelling(const Call& call, GroupId group) {
    return [this, owner = call.owner, group] {
        readers_->post(owner, [this, group](store::Reader&) { (void)services_.cancel(group); });
    };
}

void Api::post(const Call& call, ReaderPool::Work work) {
    post_to(*readers_, call, std::move(work));
}

void Api::post_slow(const Call& call, ReaderPool::Work work) {
    post_to(*slow_readers_, call, std::move(work));
}

void Api::post_outside(const Call& call, ReaderPool::Work work) {
    post_to(*outside_readers_, call, std::move(work));
}

// A request for which the machine lacks memory or threads fails alone.
void Api::post_to(ReaderPool& readers, const Call& call, ReaderPool::Work work) {
    const bool is_taken = readers.post(call.owner, [call,
                                                    work = std::move(work)](store::Reader& reader) mutable {
        try {
            work(reader);
        } catch (const std::exception& failure) {
            call.respond(reply_error(503, "UNAVAILABLE",
                                     fmt::format("this request was given up, because the machine is short of "
                                                 "memory or threads: {}",
                                                 failure.what())));
        }
    });
    if (!is_taken) call.respond(too_busy());
}

// Runs on the thread of `live_`, once a second while a client waits or follows. It finds what a busy or
// distant store did not tell, and ends the streams of clients that may no longer follow.
void Api::look_again(const std::vector<GroupId>& groups) {
    if (is_looking_.exchange(true)) return;
    const bool is_taken =
        readers_ && readers_->post(std::string(of_the_api), [this, groups](store::Reader& reader) {
            const std::shared_ptr<void> end(this, [this](void*) { is_looking_ = false; });
            look_at(reader, groups);
        });
    if (!is_taken) is_looking_ = false;
}

void Api::look_at(store::Reader& reader, const std::vector<GroupId>& groups) {
    if (admission_.keyring().is_stale()) (void)admission_.keyring().read(reader);
    // The number of reads is compared, because on a busy server another request has usually read the keys.
    if (const std::uint64_t reads = admission_.keyring().reads();
        std::exchange(checked_reads_, reads) != reads)
        end_streams_of_strangers();
    std::map<GroupId, GroupSign> signs;
    for (const GroupId id : groups) {
        const auto group = reader.group(id);
        if (!group) continue;
        const GroupCounters& counters = group->counters;
        signs[id] = {.state = group->state,
                     .done = counters.completed + counters.failed + counters.skipped + counters.indexed +
                             counters.index_failed};
        if (group->is_over()) live_.tell_over(id);
    }
    const auto before = seen_.with([&](auto& seen) { return std::exchange(seen, signs); });
    for (const auto& [id, sign] : signs)
        if (const auto known = before.find(id); known != before.end() && known->second != sign)
            live_.tell_again({.what = store::Event::What::group_changed, .group = id, .state = sign.state});
}

void Api::end_streams_of_strangers() {
    const auto streams = streams_.with([](const std::vector<Stream>& all) { return all; });
    for (const Stream& stream : streams) {
        const auto follower = stream.follower.lock();
        constexpr int policy_violation = 1008;
        if (follower && !admission_.identify(stream.request))
            follower->close(policy_violation, "the key is not taken any more");
    }
}

}  // namespace quarry::api
