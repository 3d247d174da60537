#include "api/server/connection.h"

#include <algorithm>
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
#include <poll.h>

#include "api/server/message.h"
#include "api/server/request_reader.h"
#include "base/ascii.h"

namespace quarry::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;

// The size that is assumed for a body whose length is not known in advance.
constexpr std::uint64_t usual_body_bytes = 1u << 20;

// The bytes of a body that are read at once.
constexpr std::size_t read_bytes = 16u << 10;

std::string_view view_of(const beast::flat_buffer& buffer) {
    return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

// The machine may have less memory than the budget allows.
Result<std::size_t> take_if_there_is_memory(BodyReader& reader, std::string_view bytes) {
    try {
        return reader.take(bytes);
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::unavailable, "there is not enough memory for the body");
    }
}

Response busy(std::string_view sentence) {
    Response response = reply_error(503, "UNAVAILABLE", sentence);
    response.headers.push_back({.name = "Retry-After", .value = "1"});
    return response;
}

// The head is written by hand, since Beast's serializer costs as much as all the rest of a small answer.
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

std::string text_of(const asio::ip::address& address) {
    if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address.to_string();
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
}

// A body that is being received, and may have to make room for others.
struct ArrivingBody {
    using TimePoint = std::chrono::steady_clock::time_point;
    // A body that grows by less than this in a while is overtaken by one that grows by more.
    static constexpr std::size_t step = 64u << 10;

    ArrivingBody(ServerRoom& of, BodyReader reads, MemoryBudget::Share holds, std::function<void()> wakes)
        : room(of), reader(std::move(reads)), share(std::move(holds)), wake(std::move(wakes)) {
        room.arriving.insert(this);
    }
    ~ArrivingBody() { room.arriving.erase(this); }
    ArrivingBody(const ArrivingBody&) = delete;
    ArrivingBody& operator=(const ArrivingBody&) = delete;

    void count(std::size_t bytes) {
        since_step += bytes;
        if (since_step < step) return;
        since_step = 0;
        stepped_at = std::chrono::steady_clock::now();
    }
    void give_up() {
        is_given_up = true;
        reader.drop();
        share.shrink_to(0);
        wake();
    }

    ServerRoom& room;
    BodyReader reader;
    MemoryBudget::Share share;
    const std::function<void()> wake;  // ends the wait for more bytes
    std::size_t since_step = 0;
    TimePoint stepped_at = std::chrono::steady_clock::now();
    bool is_given_up = false;
};

// One of the streams that an owner may have at once.
class StreamPlace {
public:
    StreamPlace(ServerRoom& room, std::string owner) : room_(room), owner_(std::move(owner)) {
        const int wanted = room_.config.max_streams_of_owner;
        const int most = wanted > 0 ? wanted : std::max(1, room_.config.max_connections / 2);
        is_taken_ = room_.streams[owner_] < most;
        if (is_taken_) ++room_.streams[owner_];
    }
    ~StreamPlace() {
        if (!is_taken_) return;
        const auto streams = room_.streams.find(owner_);
        if (--streams->second == 0) room_.streams.erase(streams);
    }
    StreamPlace(const StreamPlace&) = delete;
    StreamPlace& operator=(const StreamPlace&) = delete;

    bool is_taken() const { return is_taken_; }

private:
    ServerRoom& room_;
    const std::string owner_;
    bool is_taken_ = false;
};

// One request of a connection.
struct Connection::Turn {
    RequestHead head{};
    std::string received{};  // the body
    MemoryBudget::Share body{};
    bool is_head = false, keep_alive = false;
};

// The answer on its way from the handler to the connection.
class Connection::Pending {
public:
    struct Upgrade {
        std::string protocol{};
    };
    struct Events {
        std::vector<Header> headers{};
    };
    using Answer = std::variant<std::monostate, Response, Upgrade, Events>;
    struct Wish {
        std::uint64_t most_bytes = 0;
        Exchange::OnBody ready{};
    };

    // The exchange that the handler holds. If the handler drops it unanswered, the client is told so.
    class Handle : public Exchange {
    public:
        Handle(std::shared_ptr<Pending> pending, const Connection& connection)
            : pending_(std::move(pending)),
              room_(connection.room_),
              connection_(connection.weak_from_this()) {}
        ~Handle() override {
            try {
                respond(reply_error(500, "UNKNOWN_ERROR", "there was no answer"));
            } catch (const std::exception&) {
                // There is no memory even for that sentence. The connection finds out by itself.
            }
        }

        const Request& request() const override { return pending_->request; }
        void bill(std::string owner) override {
            const std::lock_guard lock(pending_->mutex);
            pending_->owner = std::move(owner);
        }
        void read_body(std::uint64_t most_bytes, OnBody ready) override {
            {
                const std::lock_guard lock(pending_->mutex);
                if (pending_->is_over) return;
                pending_->wish = Wish{most_bytes, std::move(ready)};
            }
            waker()();
        }
        std::stop_token gone() const override { return pending_->gone.get_token(); }
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
            return std::make_shared<FollowerQueue>(room_->config.max_waiting_bytes, waker(),
                                                   room_->unread->share_of(pending_->owner_now()));
        }
        // Only the server's thread may touch, and perhaps end, the connection.
        std::function<void()> waker() {
            return [room = room_, connection = connection_] {
                asio::post(room->io.get_executor(), [connection] {
                    if (const auto here = connection.lock()) here->signal_.cancel();
                });
            };
        }

        const std::shared_ptr<Pending> pending_;
        const std::shared_ptr<ServerRoom> room_;
        const std::weak_ptr<const Connection> connection_;
    };

    std::optional<Answer> take() {
        const std::lock_guard lock(mutex);
        if (!is_answered) return std::nullopt;
        return std::exchange(answer, {});
    }
    std::optional<Wish> take_wish() {
        const std::lock_guard lock(mutex);
        return std::exchange(wish, std::nullopt);
    }
    std::string owner_now() {
        const std::lock_guard lock(mutex);
        return owner;
    }
    // Ends the answer, however the connection leaves it.
    struct Ending {
        Pending& pending;
        ~Ending() { pending.end(); }
    };
    // The wish holds the handler's exchange, and the exchange holds this object.
    void end() {
        std::optional<Wish> unheard;
        const std::lock_guard lock(mutex);
        is_over = true;
        unheard = std::exchange(wish, std::nullopt);
    }

    Request request;  // its body is written by the server's thread between a wish and its end
    std::stop_source gone;
    std::mutex mutex;
    bool is_answered = false, is_over = false;
    Answer answer;
    std::optional<Wish> wish;
    std::string owner;
    std::shared_ptr<FollowerQueue> queue;
};

Connection::Connection(std::shared_ptr<ServerRoom> room, Socket socket, ClientStream::Context context)
    : room_(std::move(room)),
      stream_(std::move(socket), std::move(context)),
      signal_(room_->io.get_executor()) {
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
    if (stream_.is_encrypted() && !co_await shake_hands()) co_return;
    while (!room_->is_leaving && !is_aborted_) {
        if (!co_await wait_for_request()) break;
        is_idle_ = false;
        Turn turn;
        if (!co_await read_head(turn) || !co_await answer(turn)) break;
        is_idle_ = true;
        if (input_.size() == 0) input_.shrink_to_fit();
    }
    if (stream_.is_encrypted() && !is_aborted_ && stream_.socket().is_open()) {
        constexpr std::chrono::seconds patience{1};
        stream_.expires_after(patience);
        co_await stream_.async_shutdown(with_error(ignored));
    }
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    if (has_more_to_come_ && !is_aborted_) co_await let_go();
}

// Closing a socket while its client still sends would destroy the answer on its way. So what the client sends
// is read for a while, and dropped.
Task<> Connection::let_go() {
    constexpr std::chrono::seconds patience{2};
    error_code error;
    input_.clear();
    stream_.expires_after(patience);
    while (!error) co_await stream_.async_read_some(input_.prepare(read_bytes), with_error(error));
}

Task<bool> Connection::shake_hands() {
    error_code error;
    stream_.expires_after(room_->config.header_timeout);
    co_await stream_.async_handshake(with_error(error));
    co_return !error;
}

// An idle connection holds almost no memory, and may be idle for longer than a request may take to arrive.
Task<bool> Connection::wait_for_request() {
    if (input_.size() > 0) co_return true;
    constexpr std::size_t first_bytes = 1'024;
    error_code error;
    stream_.expires_after(room_->config.idle_timeout);
    const std::size_t got = co_await stream_.async_read_some(input_.prepare(first_bytes), with_error(error));
    input_.commit(got);
    co_return !error;
}

Task<bool> Connection::read_head(Turn& turn) {
    const std::size_t most = room_->config.max_header_bytes;
    error_code error;
    std::size_t seen = 0;
    std::optional<std::size_t> end;
    stream_.expires_after(room_->config.header_timeout);
    while (!(end = end_of_head(view_of(input_).substr(0, most), seen))) {
        // Bytes that cannot begin a request are not read to their end.
        if (!is_http_token_character(view_of(input_).front())) break;
        seen = input_.size();
        if (seen >= most) {
            has_more_to_come_ = true;
            co_await write(turn, head_is_too_long(view_of(input_).substr(0, most)));
            co_return false;
        }
        const std::size_t got =
            co_await stream_.async_read_some(input_.prepare(most - seen), with_error(error));
        if (error) co_return false;
        input_.commit(got);
    }
    auto head = parse_request_head(view_of(input_).substr(0, end.value_or(input_.size())));
    if (!head || !end) {
        has_more_to_come_ = true;
        if (!head) co_await write(turn, std::move(head).error());
        co_return false;
    }
    input_.consume(*end);
    turn.head = *std::move(head);
    turn.is_head = turn.head.request.method == Method::head;
    turn.keep_alive = turn.head.keeps_alive;
    co_return true;
}

Task<Result<void>> Connection::read_body(Turn& turn, std::uint64_t most_bytes, std::string owner) {
    has_more_to_come_ = false;
    const BodyFraming framing = turn.head.framing;
    if (!framing.is_chunked && framing.length > most_bytes)
        co_return fail(ErrorCode::too_large,
                       fmt::format("the body is too large: {} bytes are the most", most_bytes));
    if (turn.head.awaits_go_on && input_.size() == 0) {
        constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
        error_code ignored;
        stream_.expires_after(room_->config.body_timeout);
        co_await asio::async_write(stream_, asio::buffer(go_on), with_error(ignored));
    }
    ArrivingBody body(*room_, BodyReader(framing, most_bytes), room_->bodies->share_of(std::move(owner)),
                      [this] { stream_.cancel(); });
    auto received = co_await receive(body);
    if (!received) co_return received;
    turn.body = std::move(body.share);
    turn.received = std::move(body.reader.body());
    co_return Result<void>();
}

Task<Result<void>> Connection::receive(ArrivingBody& body) {
    constexpr std::string_view no_room = "too many requests with large bodies are under way";
    error_code error;
    stream_.expires_after(room_->config.body_timeout);
    while (!body.reader.is_done()) {
        if (input_.size() == 0)
            input_.commit(co_await stream_.async_read_some(input_.prepare(read_bytes), with_error(error)));
        if (body.is_given_up) co_return fail(ErrorCode::unavailable, std::string(no_room));
        if (error == beast::error::timeout)
            co_return fail(ErrorCode::timeout, "the body did not come in time");
        if (error) co_return fail(ErrorCode::interrupted, "the client has gone");
        if (!make_room(body, body.reader.held_bytes_after(input_.size())))
            co_return fail(ErrorCode::unavailable, std::string(no_room));
        const auto taken = take_if_there_is_memory(body.reader, view_of(input_));
        if (!taken) co_return std::unexpected(taken.error());
        body.count(*taken);
        input_.consume(*taken);
    }
    co_return Result<void>();
}

// When there is not room for all bodies, the body that has stood still for longest gives up its room.
bool Connection::make_room(ArrivingBody& body, std::uint64_t bytes) {
    while (true) {
        const auto room = body.share.grow_to(bytes);
        if (room == MemoryBudget::Room::enough) return true;
        ArrivingBody* slowest = &body;
        for (ArrivingBody* other : room_->arriving) {
            const bool would_help = other->share.bytes() > 0 && (room == MemoryBudget::Room::none ||
                                                                 other->share.owner() == body.share.owner());
            if (would_help && other->stepped_at < slowest->stepped_at) slowest = other;
        }
        if (slowest == &body) return false;
        slowest->give_up();
    }
}

std::shared_ptr<MemoryBudget::Share> Connection::hold(const Response& response, const std::string& owner) {
    const std::string* const shared = response.shared_body.get();
    if (shared)
        if (auto held = room_->shared_answers[shared].lock()) return held;
    const auto share = std::shared_ptr<MemoryBudget::Share>(
        new MemoryBudget::Share(room_->unread->share_of(owner)), [room = room_, shared](auto* held) {
            if (shared) room->shared_answers.erase(shared);
            delete held;
        });
    if (shared) room_->shared_answers[shared] = share;
    if (share->grow_to(response.text().size()) != MemoryBudget::Room::enough) return nullptr;
    return share;
}

// No work is done for a client that has left.
void Connection::watch_for_leaving(const std::shared_ptr<Pending>& pending) {
    stream_.socket().async_wait(asio::ip::tcp::socket::wait_read,
                                [here = weak_from_this(), pending](const error_code& error) {
                                    const auto self = here.lock();
                                    if (error || !self || !self->has_left()) return;
                                    pending->gone.request_stop();
                                    self->signal_.cancel();
                                });
}

// Works even if not all that the client sent was read: the beginning of its next request, or TLS's close
// message.
bool Connection::has_left() {
    if (!stream_.socket().is_open()) return false;
    pollfd client{.fd = stream_.socket().native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&client, 1, 0) > 0;
}

Task<bool> Connection::answer(Turn& turn) {
    using namespace std::chrono_literals;
    error_code error;
    const auto peer = stream_.socket().remote_endpoint(error);
    if (error) co_return false;
    const auto pending = std::make_shared<Pending>();
    const Pending::Ending ending{*pending};
    pending->request = std::move(turn.head.request);
    pending->request.peer = text_of(peer.address());
    pending->request.is_encrypted = stream_.is_encrypted();
    has_more_to_come_ = pending->request.has_body;
    try {
        room_->handler(std::make_shared<Pending::Handle>(pending, *this));
    } catch (const std::exception&) {
        // The exchange that was dropped has left an answer.
    }
    stream_.expires_never();
    std::optional<Pending::Answer> answer;
    bool is_watching = false;
    while (true) {
        if (auto wish = pending->take_wish()) {
            auto received = co_await read_body(turn, wish->most_bytes, pending->owner_now());
            stream_.expires_never();
            has_more_to_come_ = !received;
            if (received) pending->request.body = std::move(turn.received);
            if (!received) turn.keep_alive = false;
            try {
                wish->ready(std::move(received));
            } catch (const std::exception&) {
            }
            continue;
        }
        if ((answer = pending->take())) break;
        if (is_aborted_ || pending->gone.stop_requested()) co_return false;
        // The timer also ends the wait now and then: there may have been no memory for the wake-up, and a
        // client with more to send may leave later.
        signal_.expires_after(is_watching ? 1'000ms : 100ms);
        co_await signal_.async_wait(with_error(error));
        if (error || has_more_to_come_) continue;
        if (is_watching && has_left()) pending->gone.request_stop();
        if (!std::exchange(is_watching, true)) watch_for_leaving(pending);
    }
    if (is_watching && stream_.socket().is_open()) stream_.socket().cancel(error);
    queue_ = pending->queue;
    std::optional<StreamPlace> place;
    if (queue_) place.emplace(*room_, pending->owner_now());
    if (place && !place->is_taken()) {
        queue_->abandon();
        co_return co_await write(turn,
                                 busy("there are too many WebSockets and streams of this owner already"));
    }
    if (auto* upgrade = std::get_if<Pending::Upgrade>(&*answer)) {
        co_await serve_websocket(std::move(turn.head.raw), std::move(upgrade->protocol));
        co_return false;
    }
    if (auto* events = std::get_if<Pending::Events>(&*answer)) {
        co_await serve_events(std::move(events->headers));
        co_return false;
    }
    Response response = std::move(std::get<Response>(*answer));
    const auto share = hold(response, pending->owner_now());
    if (!share) response = busy("the answers that were not read yet hold too much memory: read them first");
    co_return co_await write(turn, std::move(response));
}

Task<bool> Connection::write(Turn& turn, Response response) {
    const bool goes_on = turn.keep_alive && !has_more_to_come_ && !room_->is_leaving;
    const std::string head = head_of(response, goes_on);
    std::array<asio::const_buffer, 2> parts = {asio::buffer(head)};
    if (!turn.is_head) parts[1] = asio::buffer(response.text().data(), response.text().size());
    error_code error;
    stream_.expires_after(room_->config.body_timeout);
    co_await asio::async_write(stream_, parts, with_error(error));
    co_return !error && goes_on;
}

}  // namespace quarry::api
