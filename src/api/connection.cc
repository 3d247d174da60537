#include "api/connection.h"

#include <array>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>

namespace quarry::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;

// Of what a client sends while it follows: only control frames are expected.
constexpr std::size_t most_message_bytes = 64u << 10;
// A body whose length is not said in advance counts as so much.
constexpr std::uint64_t usual_body_bytes = 1u << 20;

auto with_error(error_code& error) {
    return asio::redirect_error(asio::use_awaitable_t<Executor>(), error);
}

Method method_of(http::verb verb) {
    switch (verb) {
        case http::verb::get: return Method::get;
        case http::verb::post: return Method::post;
        case http::verb::put: return Method::put;
        case http::verb::patch: return Method::patch;
        case http::verb::delete_: return Method::del;
        case http::verb::options: return Method::options;
        case http::verb::head: return Method::head;
        default: return Method::other;
    }
}

Response refusal(int status, std::string_view sentence) {
    return {.status = status, .body = fmt::format(R"({{"success":false,"error":"{}"}})", sentence)};
}

// What is said of a request that is none. Whether its first line was read tells which part is too long.
Response refusal(const error_code& error, bool has_target) {
    if (error == http::error::header_limit && !has_target) return refusal(414, "the URL is too long");
    if (error == http::error::header_limit) return refusal(431, "the headers are too long");
    if (error == http::error::body_limit) return refusal(413, "the body is too large");
    return refusal(400, "this is no HTTP request: " + error.message());
}

bool is_of_http(const error_code& error) {
    return error.category() == http::make_error_code(http::error::bad_method).category() &&
           error != http::error::end_of_stream && error != http::error::partial_message;
}

// Written by hand, since Beast's serializer costs as much as all the rest of a small answer.
std::string head_of(const Response& response, bool keeps_alive) {
    const auto status = static_cast<http::status>(response.status);
    const auto reason = http::obsolete_reason(status);
    std::string head;
    fmt::format_to(std::back_inserter(head), "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
                   response.status, std::string_view(reason.data(), reason.size()), response.content_type,
                   response.text().size());
    for (const Header& header : response.headers)
        head.append(header.name).append(": ").append(header.value).append("\r\n");
    head += keeps_alive ? "\r\n" : "Connection: close\r\n\r\n";
    return head;
}

}  // namespace

// One request of a connection.
struct Connection::Turn {
    explicit Turn(ServerRoom& of) : room(of) {}
    ~Turn() { room.bodies_bytes -= reserved; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    ServerRoom& room;
    std::optional<http::request_parser<http::string_body>> parser{std::in_place};
    std::uint64_t reserved = 0;  // of all bodies' bytes
    bool is_head = false, keep_alive = false;
};

// The answer on its way from whoever has it to the connection.
class Connection::Pending {
public:
    struct Upgrade {
        std::string protocol{};
    };
    struct Events {
        std::vector<Header> headers{};
    };
    using Answer = std::variant<std::monostate, Response, Upgrade, Events>;

    // What the handler holds. If it lets go without an answer, that is the answer.
    class Handle : public Exchange {
    public:
        Handle(Request request, std::shared_ptr<Pending> pending, const Connection& connection)
            : request_(std::move(request)),
              pending_(std::move(pending)),
              room_(connection.room_),
              connection_(connection.weak_from_this()) {}
        ~Handle() override { respond(refusal(500, "there was no answer")); }

        const Request& request() const override { return request_; }
        void respond(Response response) override { answer(std::move(response)); }
        std::shared_ptr<Follower> accept_websocket(std::string protocol) override {
            auto queue = make_queue();
            answer(Upgrade{std::move(protocol)}, queue);
            return queue;
        }
        std::shared_ptr<Follower> begin_events(std::vector<Header> headers) override {
            auto queue = make_queue();
            answer(Events{std::move(headers)}, queue);
            return queue;
        }

    private:
        void answer(Answer given, std::shared_ptr<FollowerQueue> queue = nullptr) {
            {
                const std::lock_guard lock(pending_->mutex);
                if (pending_->is_answered) return;
                pending_->is_answered = true;
                pending_->answer = std::move(given);
                pending_->queue = std::move(queue);
            }
            waker()();
        }
        std::shared_ptr<FollowerQueue> make_queue() {
            return std::make_shared<FollowerQueue>(room_->config.max_waiting_bytes, waker());
        }
        // The connection is touched, and perhaps ended, by the server's thread alone.
        std::function<void()> waker() {
            return [room = room_, connection = connection_] {
                asio::post(room->io.get_executor(), [connection] {
                    if (const auto here = connection.lock()) here->signal_.cancel();
                });
            };
        }

        const Request request_;
        const std::shared_ptr<Pending> pending_;
        const std::shared_ptr<ServerRoom> room_;
        const std::weak_ptr<const Connection> connection_;
    };

    std::optional<Answer> take() {
        const std::lock_guard lock(mutex);
        if (!is_answered) return std::nullopt;
        return std::exchange(answer, {});
    }

    std::mutex mutex;
    bool is_answered = false;
    Answer answer;
    std::shared_ptr<FollowerQueue> queue;
};

Connection::Connection(std::shared_ptr<ServerRoom> room, Socket socket)
    : room_(std::move(room)), stream_(std::move(socket)), signal_(room_->io.get_executor()) {
    room_->connections.insert(this);
    close_ = [this] { stream_.close(); };
}

Connection::~Connection() {
    room_->connections.erase(this);
}

void Connection::wind_down() {
    if (queue_) queue_->close(1001, "the server is going away");
    if (is_idle_) abort();
}

void Connection::abort() {
    is_aborted_ = true;
    close_();
    if (queue_) queue_->abandon();
    signal_.cancel();
}

Task<> Connection::run() {
    error_code ignored;
    stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    while (!room_->is_leaving && !is_aborted_) {
        if (!co_await wait_for_request()) break;
        is_idle_ = false;
        Turn turn(*room_);
        if (!co_await read_request(turn) || !co_await answer(turn)) break;
        is_idle_ = true;
        if (input_.size() == 0) input_.shrink_to_fit();
    }
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

// An idle connection holds next to nothing, and may be idle for longer than a request may take to come.
Task<bool> Connection::wait_for_request() {
    if (input_.size() > 0) co_return true;
    constexpr std::size_t first_bytes = 1'024;
    error_code error;
    stream_.expires_after(room_->config.idle_timeout);
    const std::size_t got = co_await stream_.async_read_some(input_.prepare(first_bytes), with_error(error));
    input_.commit(got);
    co_return !error;
}

Task<bool> Connection::read_request(Turn& turn) {
    const ServerConfig& config = room_->config;
    auto& parser = *turn.parser;
    parser.header_limit(config.max_header_bytes);
    parser.body_limit(config.max_body_bytes);
    error_code error;
    stream_.expires_after(config.header_timeout);
    co_await http::async_read_header(stream_, input_, parser, with_error(error));
    turn.is_head = parser.is_header_done() && parser.get().method() == http::verb::head;
    if (!error && !parser.is_done()) {
        const std::uint64_t wanted = parser.content_length().value_or(usual_body_bytes);
        if (room_->bodies_bytes + wanted > config.max_bodies_bytes) {
            Response busy = refusal(503, "too many requests with large bodies are under way");
            busy.headers.push_back({.name = "Retry-After", .value = "1"});
            co_await write(turn, std::move(busy));
            co_return false;
        }
        turn.reserved = wanted;
        room_->bodies_bytes += wanted;
        stream_.expires_after(config.body_timeout);
        if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
            const http::response<http::empty_body> go_on(http::status::continue_, 11);
            co_await http::async_write(stream_, go_on, with_error(error));
        }
        if (!error) co_await http::async_read(stream_, input_, parser, with_error(error));
    }
    if (!error) {
        turn.keep_alive = parser.keep_alive();
        co_return true;
    }
    if (is_of_http(error)) co_await write(turn, refusal(error, !parser.get().target().empty()));
    co_return false;
}

Task<bool> Connection::answer(Turn& turn) {
    auto& raw = turn.parser->get();
    error_code error;
    const auto peer = stream_.socket().remote_endpoint(error);
    if (error) co_return false;
    Target target = parse_target({raw.target().data(), raw.target().size()});
    Request request{.method = method_of(raw.method()),
                    .path = std::move(target.path),
                    .query = std::move(target.query),
                    .body = std::move(raw.body()),
                    .peer = peer.address().to_string(),
                    .is_upgrade = websocket::is_upgrade(raw)};
    for (const auto& field : raw) {
        const std::string_view name(field.name_string().data(), field.name_string().size());
        const std::string_view value(field.value().data(), field.value().size());
        request.headers.push_back({.name = std::string(name), .value = std::string(value)});
    }
    const auto pending = std::make_shared<Pending>();
    room_->handler(std::make_shared<Pending::Handle>(std::move(request), pending, *this));
    stream_.expires_never();
    std::optional<Pending::Answer> answer;
    while (!(answer = pending->take())) {
        if (is_aborted_) co_return false;
        signal_.expires_at(Timer::time_point::max());
        co_await signal_.async_wait(with_error(error));
    }
    queue_ = pending->queue;
    if (auto* upgrade = std::get_if<Pending::Upgrade>(&*answer)) {
        co_await serve_websocket(turn, std::move(upgrade->protocol));
        co_return false;
    }
    if (auto* events = std::get_if<Pending::Events>(&*answer)) {
        co_await serve_events(std::move(events->headers));
        co_return false;
    }
    co_return co_await write(turn, std::move(std::get<Response>(*answer)));
}

Task<bool> Connection::write(Turn& turn, Response response) {
    const bool goes_on = turn.keep_alive && !room_->is_leaving;
    const std::string head = head_of(response, goes_on);
    std::array<asio::const_buffer, 2> parts = {asio::buffer(head)};
    if (!turn.is_head) parts[1] = asio::buffer(response.text().data(), response.text().size());
    error_code error;
    stream_.expires_after(room_->config.body_timeout);
    co_await asio::async_write(stream_, parts, with_error(error));
    co_return !error && goes_on;
}

// Returns at the next message, or when it is time for a sign of life.
Task<> Connection::await_news() {
    if (queue_->has_news()) co_return;
    error_code ignored;
    signal_.expires_after(room_->config.heartbeat);
    co_await signal_.async_wait(with_error(ignored));
}

Task<> Connection::serve_websocket(Turn& turn, std::string protocol) {
    struct State {
        explicit State(ClientStream stream) : socket(std::move(stream)) {}
        websocket::stream<ClientStream, false> socket;
        beast::flat_buffer input;
    };
    const auto state = std::make_shared<State>(std::move(stream_));
    auto& socket = state->socket;
    close_ = [weak = std::weak_ptr(state)] {
        if (const auto open = weak.lock()) beast::get_lowest_layer(open->socket).close();
    };
    beast::get_lowest_layer(socket).expires_never();
    socket.set_option(websocket::stream_base::timeout{.handshake_timeout = room_->config.header_timeout,
                                                      .idle_timeout = 2 * room_->config.heartbeat,
                                                      .keep_alive_pings = true});
    socket.read_message_max(most_message_bytes);
    if (!protocol.empty()) {
        socket.set_option(websocket::stream_base::decorator([protocol](websocket::response_type& response) {
            response.set(http::field::sec_websocket_protocol, protocol);
        }));
    }
    error_code error;
    co_await socket.async_accept(turn.parser->get(), with_error(error));
    turn.parser.reset();
    if (error) {
        queue_->abandon();
        co_return;
    }
    // Reads what the client sends, which is nothing of interest: but so it is known when it leaves.
    asio::co_spawn(
        signal_.get_executor(),
        [state, self = shared_from_this()]() -> Task<> {
            error_code failed;
            while (!failed) {
                state->input.clear();
                co_await state->socket.async_read(state->input, with_error(failed));
            }
            self->queue_->abandon();
        },
        asio::detached);
    while (!error) {
        FollowerQueue::Taken taken = queue_->take();
        for (const std::string& message : taken.messages) {
            co_await socket.async_write(asio::buffer(message), with_error(error));
            if (error) break;
        }
        if (taken.is_closed && !error) {
            const auto code = taken.is_overrun ? websocket::close_code::policy_error
                                               : static_cast<websocket::close_code>(taken.code);
            co_await socket.async_close(websocket::close_reason(code, taken.reason), with_error(error));
            break;
        }
        if (!error) co_await await_news();
    }
    queue_->abandon();
}

Task<> Connection::serve_events(std::vector<Header> headers) {
    http::response<http::empty_body> head(http::status::ok, 11);
    head.set(http::field::content_type, "text/event-stream");
    head.set(http::field::cache_control, "no-cache");
    for (const Header& header : headers) head.insert(header.name, header.value);
    head.chunked(true);
    http::response_serializer<http::empty_body> serializer(head);
    error_code error;
    stream_.expires_after(room_->config.body_timeout);
    co_await http::async_write_header(stream_, serializer, with_error(error));
    asio::co_spawn(
        signal_.get_executor(),
        [self = shared_from_this()]() -> Task<> {
            error_code failed;
            char rest[256];
            // The socket itself: the stream's time limit is that of the writing.
            while (!failed && self->stream_.socket().is_open())
                co_await self->stream_.socket().async_read_some(asio::buffer(rest), with_error(failed));
            self->queue_->abandon();
        },
        asio::detached);
    while (!error) {
        FollowerQueue::Taken taken = queue_->take();
        std::string text;
        for (const std::string& message : taken.messages) text += "data: " + message + "\n\n";
        if (text.empty() && !taken.is_closed) text = ": still here\n\n";
        stream_.expires_after(room_->config.body_timeout);
        if (!text.empty())
            co_await asio::async_write(stream_, http::make_chunk(asio::buffer(text)), with_error(error));
        if (taken.is_closed) break;
        if (!error) co_await await_news();
    }
    if (!error) co_await asio::async_write(stream_, http::make_chunk_last(), with_error(error));
    queue_->abandon();
    stream_.close();
}

}  // namespace quarry::api
