// The API's sockets from the client's side: real connections, and clients that break the rules.
#include "api/server.h"

#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>

#include <arpa/inet.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace quarry;
using namespace quarry::api;
using namespace std::chrono_literals;

namespace {

// A client that sends bytes and reads bytes.
class RawClient {
public:
    explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    ~RawClient() { ::close(socket_); }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    // Until this has come, or the server has closed.
    std::string read_until(std::string_view end) {
        std::string text;
        char buffer[4096];
        while (text.find(end) == std::string::npos) {
            const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
            if (got <= 0) break;
            text.append(buffer, static_cast<std::size_t>(got));
        }
        return text;
    }
    std::string read_all() { return read_until(std::string(1, '\x01')); }
    std::string ask(std::string_view bytes) {
        send(bytes);
        return read_until("\r\n\r\n");
    }

private:
    int socket_;
};

constexpr std::string_view get_slash = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

class ServerPlace {
public:
    ServerConfig config{.port = 0};
    std::unique_ptr<Server> server;

    void start(Server::Handler handler) { server = Server::start(config, std::move(handler)).value(); }
    // Answers with what was asked.
    void start_echo() {
        start([](const std::shared_ptr<Exchange>& exchange) {
            const Request& request = exchange->request();
            exchange->respond(
                {.content_type = "text/plain",
                 .body = fmt::format("{} {} {}.", name_of(request.method), request.path, request.body)});
        });
    }
    std::uint16_t port() const { return server->port(); }
};

}  // namespace

TEST_CASE_FIXTURE(ServerPlace,
                  "requests of one connection are answered one after the other, also when sent at once") {
    start_echo();
    RawClient client(port());

    REQUIRE(
        client.send("POST /a?b=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
                    "GET /c HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    const std::string all = client.read_all();

    CHECK(all.find("HTTP/1.1 200 OK") == 0);
    CHECK(all.find("POST /a hi.") != std::string::npos);
    CHECK(all.find("GET /c .") != std::string::npos);
    CHECK(all.find("POST /a hi.") < all.find("GET /c ."));
}

TEST_CASE_FIXTURE(ServerPlace, "HEAD has the headers of GET and no body") {
    start_echo();
    RawClient client(port());
    REQUIRE(client.send("HEAD /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));

    const std::string all = client.read_all();

    CHECK(all.find("Content-Length: 9") != std::string::npos);
    CHECK(all.ends_with("\r\n\r\n"));
}

TEST_CASE_FIXTURE(ServerPlace, "what is no request is refused in a sentence") {
    config.max_header_bytes = 1'000;
    config.max_body_bytes = 100;
    start_echo();
    struct Row {
        std::string bytes;
        const char* status;
    };
    const Row rows[] = {
        {"HELLO\r\n\r\n", "400"},
        {"GET / HTTP/9.9\r\n\r\n", "400"},
        {"GET / HTTP/1.1\r\nno colon\r\n\r\n", "400"},
        {"GET / HTTP/1.1\r\nX: " + std::string(2'000, 'x') + "\r\n\r\n", "431"},
        {"POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n", "413"},
        {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n" + std::string(255, 'x') +
             "\r\n0\r\n\r\n",
         "413"},
        {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"},
        {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.bytes.substr(0, 60));
        RawClient client(port());
        client.send(row.bytes);
        const std::string answer = client.read_all();
        CHECK(answer.substr(0, 12) == std::string("HTTP/1.1 ") + row.status);
        CHECK(answer.find(R"("success":false)") != std::string::npos);
    }
    RawClient client(port());
    CHECK(client.ask(get_slash).find("200 OK") != std::string::npos);
}

TEST_CASE_FIXTURE(ServerPlace, "who sends nothing, or one byte at a time, is left in the end") {
    config.idle_timeout = 50ms;
    config.header_timeout = 50ms;
    config.body_timeout = 50ms;
    start_echo();
    RawClient silent(port()), slow(port()), bodiless(port());
    REQUIRE(slow.send("GET / HT"));
    REQUIRE(bodiless.send("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab"));

    CHECK(silent.read_all().empty());
    CHECK(slow.read_all().empty());
    CHECK(bodiless.read_all().empty());
}

TEST_CASE_FIXTURE(ServerPlace, "more connections than there is room for are served when others have left") {
    config.max_connections = 2;
    start_echo();
    auto first = std::make_unique<RawClient>(port());
    RawClient second(port()), third(port());
    CHECK(first->ask(get_slash).find("200") != std::string::npos);
    CHECK(second.ask(get_slash).find("200") != std::string::npos);
    REQUIRE(third.send(get_slash));

    first.reset();

    CHECK(third.read_until("\r\n\r\n").find("200") != std::string::npos);
}

TEST_CASE_FIXTURE(ServerPlace, "bodies that would not fit together are asked to come later") {
    config.max_bodies_bytes = 1'000;
    start_echo();
    RawClient large(port()), other(port());
    REQUIRE(large.send("POST /large HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 900\r\n\r\n"));
    CHECK(large.read_until("\r\n\r\n").find("100 Continue") != std::string::npos);

    CHECK(other.ask("POST / HTTP/1.1\r\nContent-Length: 200\r\n\r\n").find("503") != std::string::npos);

    REQUIRE(large.send(std::string(900, 'x')));
    CHECK(large.read_until("x.").find("POST /large") != std::string::npos);
}

TEST_CASE_FIXTURE(ServerPlace, "an answer may come later and from another thread, or not at all") {
    std::jthread later;
    start([&](std::shared_ptr<Exchange> exchange) {
        if (exchange->request().path == "/never") return;
        later = std::jthread([exchange = std::move(exchange)] { exchange->respond({.body = "later"}); });
    });
    RawClient client(port());

    REQUIRE(client.send(get_slash));
    CHECK(client.read_until("later").find("200 OK") != std::string::npos);
    CHECK(client.ask("GET /never HTTP/1.1\r\n\r\n").find("500") != std::string::npos);
}

TEST_CASE_FIXTURE(ServerPlace, "events are streamed until the end, and who leaves is noticed") {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::shared_ptr<Follower>> followers;
    start([&](const std::shared_ptr<Exchange>& exchange) {
        const std::lock_guard lock(mutex);
        followers.push_back(exchange->begin_events({{.name = "X-Id", .value = "7"}}));
        changed.notify_all();
    });
    const auto follower = [&](std::size_t index) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return followers.size() > index; });
        return followers[index];
    };
    RawClient client(port());
    REQUIRE(client.send(get_slash));

    follower(0)->send(R"({"n":1})");
    follower(0)->send(R"({"n":2})");
    follower(0)->close(1000, "");
    const std::string all = client.read_all();
    auto gone = std::make_unique<RawClient>(port());
    REQUIRE(gone->send(get_slash));
    const auto left = follower(1);
    gone.reset();
    while (left->is_open()) std::this_thread::yield();

    CHECK(all.find("text/event-stream") != std::string::npos);
    CHECK(all.find("X-Id: 7") != std::string::npos);
    CHECK(all.find("data: {\"n\":1}\n\n") != std::string::npos);
    CHECK(all.find("data: {\"n\":2}\n\n") != std::string::npos);
    CHECK(all.ends_with("0\r\n\r\n"));
}

TEST_CASE_FIXTURE(ServerPlace, "a WebSocket gets its messages and the protocol it offered") {
    namespace beast = boost::beast;
    std::latch accepted(1);
    std::shared_ptr<Follower> follower;
    start([&](const std::shared_ptr<Exchange>& exchange) {
        CHECK(exchange->request().is_upgrade);
        follower =
            exchange->accept_websocket(std::string(exchange->request().header("sec-websocket-protocol")));
        follower->send("first");
        accepted.count_down();
    });
    boost::asio::io_context io;
    beast::websocket::stream<boost::asio::ip::tcp::socket> client(io);
    client.next_layer().connect({boost::asio::ip::address_v4::loopback(), port()});
    client.set_option(beast::websocket::stream_base::decorator([](beast::websocket::request_type& request) {
        request.set(beast::http::field::sec_websocket_protocol, "fc-key");
    }));
    beast::websocket::response_type response;
    client.handshake(response, "a", "/v2/crawl/7");
    beast::flat_buffer buffer;
    client.read(buffer);
    CHECK(beast::buffers_to_string(buffer.data()) == "first");
    CHECK(response[beast::http::field::sec_websocket_protocol] == "fc-key");
    accepted.wait();

    follower->send("second");
    follower->close(1000, "done");
    buffer.clear();
    client.read(buffer);
    CHECK(beast::buffers_to_string(buffer.data()) == "second");
    boost::system::error_code error;
    client.read(buffer, error);
    CHECK(error == beast::websocket::error::closed);
    CHECK(client.reason().reason == "done");
}

TEST_CASE_FIXTURE(ServerPlace, "a server that leaves answers what is under way and takes nothing new") {
    std::latch asked(1);
    std::shared_ptr<Exchange> held;
    start([&](const std::shared_ptr<Exchange>& exchange) {
        held = exchange;
        asked.count_down();
    });
    RawClient idle(port()), busy(port());
    REQUIRE(busy.send(get_slash));
    asked.wait();
    std::jthread leaving([&] { server->leave(60s); });

    CHECK(idle.read_all().empty());
    held->respond({.body = "done"});
    held.reset();

    CHECK(busy.read_all().find("done") != std::string::npos);
}

TEST_CASE_FIXTURE(ServerPlace, "a server that is let go waits for nobody") {
    std::latch asked(1);
    std::shared_ptr<Exchange> held;
    start([&](const std::shared_ptr<Exchange>& exchange) {
        held = exchange;
        asked.count_down();
    });
    RawClient busy(port());
    REQUIRE(busy.send(get_slash));
    asked.wait();

    server.reset();

    CHECK(busy.read_all().empty());
    held->respond({.body = "too late"});
}

TEST_CASE("where nobody can listen is said") {
    const auto nowhere = Server::start({.address = "nowhere"}, {});
    const auto first = Server::start({.port = 0}, [](const std::shared_ptr<Exchange>&) {}).value();
    const auto taken = Server::start({.port = first->port()}, {});

    CHECK(nowhere.error().code == ErrorCode::invalid_argument);
    CHECK(taken.error().code == ErrorCode::conflict);
}
