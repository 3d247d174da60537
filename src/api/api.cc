#include "api/api.h"

#include <random>

#include <fmt/format.h>

#include "api/gate.h"
#include "api/json_body.h"
#include "api/reply.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

constexpr int desk_count = 4;
constexpr int slow_desk_count = 8;

// Told to the client and written to the log, so that one finds the other.
std::string new_request_id() {
    thread_local std::mt19937_64 random{std::random_device{}()};
    return fmt::format("{:016x}", random());
}

// Another's id is kept if it is one: short, and without anything that could break a log.
std::string request_id_of(const Request& request) {
    const std::string_view given = request.header("x-request-id");
    const bool is_fit = !given.empty() && given.size() <= 64 &&
                        given.find_first_not_of(
                            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "-_.") == std::string_view::npos;
    return is_fit ? std::string(given) : new_request_id();
}

// An exchange whose answer carries the request's id and leaves a line in the log.
class LoggedExchange : public Exchange {
public:
    LoggedExchange(std::shared_ptr<Exchange> inner, std::string id,
                   const std::function<void(std::string_view)>& log)
        : inner_(std::move(inner)), id_(std::move(id)), log_(log) {}

    const Request& request() const override { return inner_->request(); }
    void respond(Response response) override {
        const int status = response.status;
        const std::size_t bytes = response.body.size();
        response.headers.push_back({.name = "X-Request-Id", .value = id_});
        inner_->respond(std::move(response));
        write_line(status, bytes);
    }
    std::shared_ptr<Follower> accept_websocket(std::string protocol) override {
        write_line(101, 0);
        return inner_->accept_websocket(std::move(protocol));
    }
    std::shared_ptr<Follower> begin_events(std::vector<Header> headers) override {
        headers.push_back({.name = "X-Request-Id", .value = id_});
        write_line(200, 0);
        return inner_->begin_events(std::move(headers));
    }

private:
    void write_line(int status, std::size_t bytes) const {
        if (!log_) return;
        const auto took = std::chrono::steady_clock::now() - started_;
        log_(fmt::format("request id={} peer={} method={} path={} status={} bytes={} ms={:.1f}", id_,
                         request().peer, name_of(request().method), request().path, status, bytes,
                         std::chrono::duration<double, std::milli>(took).count()));
    }

    const std::shared_ptr<Exchange> inner_;
    const std::string id_;
    const std::function<void(std::string_view)>& log_;
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

Response too_busy() {
    Response busy = reply_error(503, "UNAVAILABLE", "too many requests wait already");
    busy.headers.push_back({.name = "Retry-After", .value = "1"});
    return busy;
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

}  // namespace

Result<std::unique_ptr<Api>> Api::open(Services services) {
    std::unique_ptr<Api> api(new Api(std::move(services)));
    api->desks_ = TRY(Desks::open(desk_count, api->services_.open_reader));
    api->slow_desks_ = TRY(Desks::open(slow_desk_count, api->services_.open_reader));
    api->observer_ = api->services_.store.observe(
        [raw = api.get()](std::span<const store::Event> events) { raw->live_.tell(events); });
    return api;
}

// The desks stay, closed, until nobody is left who could go there.
Api::~Api() {
    stop_.request_stop();
    observer_.reset();
    if (slow_desks_) slow_desks_->close();
    if (desks_) desks_->close();
}

void Api::handle(std::shared_ptr<Exchange> exchange) {
    std::string id = request_id_of(exchange->request());
    Call call{.exchange = std::make_shared<LoggedExchange>(std::move(exchange), id, services_.log),
              .request_id = id};
    dispatch(std::move(call));
}

void Api::dispatch(Call call) {
    const Request& request = call.request();
    if (!services_.answers_strangers)
        if (const auto refusal = refusal_of_stranger(request)) return call.respond(reply(*refusal));
    Found found = find_route(all_routes(), request.method, request.path);
    if (!found.route && !found.allowed.empty()) return call.respond(method_not_allowed(found));
    if (!found.route)
        return call.respond(reply_error(
            404, "NOT_FOUND",
            fmt::format("there is no {} here. GET /openapi.json lists what there is", request.path)));
    call.values = std::move(found.values);
    post(call, [this, route = found.route, call](store::Reader& reader) mutable {
        if (route->body == BodyKind::json) {
            auto body = parse_json_object(call.request().body);
            if (!body && body.error().code == ErrorCode::invalid_argument)
                return call.respond(reply_error(400, "BAD_REQUEST_INVALID_JSON", body.error().message));
            if (!body) return call.respond(reply(body.error()));
            call.body = *std::move(body);
        }
        route->run(*this, reader, std::move(call));
    });
}

void Api::post(const Call& call, Desks::Errand errand) {
    if (!desks_->post(std::move(errand))) call.respond(too_busy());
}

void Api::post_slow(const Call& call, Desks::Errand errand) {
    if (!slow_desks_->post(std::move(errand))) call.respond(too_busy());
}

}  // namespace quarry::api
