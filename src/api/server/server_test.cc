// The API's sockets from the client's side: real connections, and clients that break the rules.
#include "api/server/server.h"

#include <condition_variable>
#include <functional>
#include <latch>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/server/message.h"
#include "base/descriptors.h"

using namespace quarry;
using namespace quarry::api;
using namespace std::chrono_literals;

namespace {

// A client that sends bytes and reads bytes.
class RawClient {
public:
    // `from` is an address of loopback; `socket` one that is there already.
    explicit RawClient(std::uint16_t port, const char* from = "127.0.0.1", int socket = -1)
        : socket_(socket < 0 ? ::socket(AF_INET, SOCK_STREAM, 0) : socket) {
        sockaddr_in own{};
        own.sin_family = AF_INET;
        REQUIRE(::inet_pton(AF_INET, from, &own.sin_addr) == 1);
        REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0);
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

std::string post_of(std::string_view lines, std::string_view body = "") {
    return fmt::format("POST / HTTP/1.1\r\nHost: a\r\n{}\r\n{}", lines, body);
}

void echo(Exchange& exchange) {
    const Request& request = exchange.request();
    exchange.respond({.content_type = "text/plain",
                      .body = fmt::format("{} {} {}.", name_of(request.method), request.path, request.body)});
}

int status_in(std::string_view answer) {
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(std::string(answer.substr(9, 3))) : 0;
}

class ServerPlace {
public:
    ServerConfig config{.port = 0};
    std::uint64_t most_body_bytes = 64u << 20;
    std::unique_ptr<Server> server;

    void start(Server::Handler handler) { server = Server::start(config, std::move(handler)).value(); }
    // Answers with what was asked.
    void start_echo() {
        start([this](const std::shared_ptr<Exchange>& exchange) {
            if (!exchange->request().has_body) return echo(*exchange);
            exchange->read_body(most_body_bytes, [exchange](const Result<void>& read) {
                if (read) return echo(*exchange);
                exchange->respond(reply(read.error()));
            });
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
    most_body_bytes = 100;
    start_echo();
    struct Row {
        std::string bytes;
        const char* status;
    };
    const Row rows[] = {
        {"HELLO\r\n\r\n", "400"},
        {"\x16\x03\x01\x02", "400"},
        {"GET / HTTP/9.9\r\nHost: a\r\n\r\n", "400"},
        {"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", "400"},
        {"GET / HTTP/1.1\r\nX: " + std::string(2'000, 'x') + "\r\n\r\n", "431"},
        {"GET /" + std::string(2'000, 'x'), "414"},
        {post_of("Content-Length: 101\r\n"), "413"},
        {post_of("Transfer-Encoding: chunked\r\n", "ff\r\n" + std::string(255, 'x') + "\r\n0\r\n\r\n"),
         "413"},
        {post_of("Content-Length: -1\r\n"), "400"},
        {post_of("Transfer-Encoding: chunked\r\n", "zz\r\n"), "400"},
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
    REQUIRE(bodiless.send(post_of("Content-Length: 9\r\n", "ab")));

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

TEST_CASE_FIXTURE(ServerPlace,
                  "a request that two readers could understand differently ends the connection") {
    start_echo();
    struct Row {
        const char* what;
        std::string_view lines;
    };
    const Row rows[] = {
        {"chunked is not the last coding", "Host: a\r\nTransfer-Encoding: chunked, identity\r\n"},
        {"chunked is not the only coding", "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n"},
        {"no coding", "Host: a\r\nTransfer-Encoding: identity\r\n"},
        {"an unknown coding", "Host: a\r\nTransfer-Encoding: xchunked\r\n"},
        {"an empty coding", "Host: a\r\nTransfer-Encoding:\r\n"},
        {"a coding said twice", "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"},
        {"a length and a coding", "Host: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n"},
        {"a length said twice", "Host: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n"},
        {"a list of lengths", "Host: a\r\nContent-Length: 3, 3\r\n"},
        {"two hosts", "Host: a\r\nHost: b\r\n"},
        {"no host", "X: y\r\n"},
        {"a host that is none", "Host: a b\r\n"},
        {"a host with a path", "Host: a/b\r\n"},
        {"a folded header", "Host: a\r\nX: y\r\n z\r\n"},
        {"a folded length", "Host: a\r\nContent-Length:\r\n\t3\r\n"},
        {"a space before the colon", "Host: a\r\nContent-Length : 3\r\n"},
        {"a line that ends without a carriage return", "Host: a\nX: y\r\n"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        RawClient client(port());
        client.send(fmt::format("POST / HTTP/1.1\r\n{}\r\n0\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n",
                                row.lines));

        const std::string all = client.read_all();

        CHECK(status_in(all) == 400);
        CHECK(all.find("/second") == std::string::npos);
    }
}

TEST_CASE_FIXTURE(ServerPlace, "what a client adds to chunks is bounded, and dropped") {
    start_echo();
    const auto ask = [&](const std::string& chunks) {
        RawClient client(port());
        client.send(post_of("Transfer-Encoding: chunked\r\nConnection: close\r\n", chunks));
        return client.read_all();
    };

    CHECK(ask("2;a=b\r\nhi\r\n1 ; c=\"d\"\r\n!\r\n0;e\r\nX: y\r\nAuthorization: z\r\n\r\n")
              .find("POST / hi!.") != std::string::npos);
    CHECK(status_in(ask("2;" + std::string(1u << 20, 'a'))) == 400);
    CHECK(status_in(ask("0\r\nX: " + std::string(1u << 20, 'a'))) == 400);
    std::string extensions, trailers = "0\r\n";
    for (int line = 0; line < 30; ++line) {
        extensions += "1;" + std::string(1'000, 'a') + "\r\nx\r\n";
        trailers += "X: " + std::string(1'000, 'a') + "\r\n";
    }
    CHECK(status_in(ask(extensions + "0\r\n\r\n")) == 400);
    CHECK(status_in(ask(trailers + "\r\n")) == 400);
    CHECK(status_in(ask("2\r\nhix\r\n0\r\n\r\n")) == 400);
    CHECK(status_in(ask("2\nhi\r\n0\r\n\r\n")) == 400);
    CHECK(status_in(ask("0x2\r\nhi\r\n0\r\n\r\n")) == 400);
}

TEST_CASE_FIXTURE(ServerPlace, "nothing of a body is read before somebody asks for it") {
    start(
        [](const std::shared_ptr<Exchange>& exchange) { exchange->respond({.status = 401, .body = "no"}); });
    RawClient client(port());
    REQUIRE(client.send(post_of("Expect: 100-continue\r\nContent-Length: 67108864\r\n")));

    const std::string all = client.read_all();

    CHECK(status_in(all) == 401);
    CHECK(all.find("Connection: close") != std::string::npos);
}

TEST_CASE_FIXTURE(ServerPlace, "bodies that were promised hold nothing, however many") {
    config.max_bodies_bytes = 1'000;
    start_echo();
    std::vector<std::unique_ptr<RawClient>> silent;
    for (int i = 0; i < 8; ++i) {
        silent.push_back(std::make_unique<RawClient>(port()));
        REQUIRE(silent.back()->send(post_of("Expect: 100-continue\r\nContent-Length: 900\r\n")));
        CHECK(silent.back()->read_until("\r\n\r\n").find("100 Continue") != std::string::npos);
    }
    RawClient client(port());

    CHECK(client.ask(post_of("Content-Length: 900\r\n", std::string(900, 'x'))).find("200 OK") !=
          std::string::npos);
    REQUIRE(silent[3]->send(std::string(900, 'x')));
    CHECK(silent[3]->read_until("x.").find("POST /") != std::string::npos);
}

TEST_CASE_FIXTURE(ServerPlace, "a body that stands still makes room for one that comes") {
    config.max_bodies_bytes = 1'000;
    start_echo();
    RawClient slow(port()), chunked(port());
    REQUIRE(slow.send(post_of("Expect: 100-continue\r\nContent-Length: 900\r\n")));
    slow.read_until("\r\n\r\n");
    REQUIRE(slow.send(std::string(800, 'x')));
    while (server->held_bytes() < 800) std::this_thread::yield();

    const std::string answer = chunked.ask(
        post_of("Transfer-Encoding: chunked\r\n", "258\r\n" + std::string(600, 'y') + "\r\n0\r\n\r\n"));

    CHECK(status_in(answer) == 200);
    CHECK(status_in(slow.read_all()) == 503);
    CHECK(server->held_bytes() <= 1'000);
}

TEST_CASE_FIXTURE(ServerPlace, "the bodies of one owner leave room for those of others") {
    config.max_bodies_bytes = 1'000;
    config.max_bodies_bytes_of_owner = 600;
    std::mutex mutex;
    std::vector<std::shared_ptr<Exchange>> held;
    std::condition_variable changed;
    start([&](const std::shared_ptr<Exchange>& exchange) {
        exchange->bill(std::string(exchange->request().header("x-owner")));
        exchange->read_body(1'000, [&, exchange](const Result<void>& read) {
            if (!read) return exchange->respond(reply(read.error()));
            const std::lock_guard lock(mutex);
            held.push_back(exchange);
            changed.notify_all();
        });
    });
    const auto wait_for = [&](std::size_t count) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return held.size() == count; });
    };
    RawClient first(port()), second(port()), other(port());
    const auto ask = [&](RawClient& client, const char* owner) {
        REQUIRE(client.send(
            post_of(fmt::format("X-Owner: {}\r\nContent-Length: 400\r\n", owner), std::string(400, 'x'))));
    };
    ask(first, "one");
    wait_for(1);
    ask(second, "one");
    CHECK(status_in(second.read_all()) == 503);

    ask(other, "two");
    wait_for(2);

    for (const auto& exchange : held) exchange->respond({});
    held.clear();
    CHECK(status_in(other.read_until("\r\n\r\n")) == 200);
}

TEST_CASE_FIXTURE(ServerPlace, "answers that nobody reads are bounded") {
    config.max_answers_bytes = 40u << 20;
    config.max_answers_bytes_of_owner = 20u << 20;
    start([](const std::shared_ptr<Exchange>& exchange) {
        exchange->bill(std::string(exchange->request().header("x-owner")));
        exchange->respond({.body = std::string(16u << 20, 'x')});
    });
    const std::string ask_as_one = "GET / HTTP/1.1\r\nHost: a\r\nX-Owner: one\r\n\r\n";
    RawClient unread(port()), second(port()), other(port());
    REQUIRE(unread.send(ask_as_one));
    while (server->held_bytes() == 0) std::this_thread::yield();

    CHECK(status_in(second.ask(ask_as_one)) == 503);
    CHECK(status_in(other.ask("GET / HTTP/1.1\r\nHost: a\r\nX-Owner: two\r\n\r\n")) == 200);
}

TEST_CASE_FIXTURE(ServerPlace, "who asks hears that the client has gone") {
    std::latch gone(1);
    std::shared_ptr<Exchange> held;
    std::optional<std::stop_callback<std::function<void()>>> on_gone;
    start([&](const std::shared_ptr<Exchange>& exchange) {
        held = exchange;
        on_gone.emplace(exchange->gone(), [&] { gone.count_down(); });
    });
    auto client = std::make_unique<RawClient>(port());
    REQUIRE(client->send(get_slash));
    while (server->connections() == 0) std::this_thread::yield();

    client.reset();

    gone.wait();
    while (server->connections() > 0) std::this_thread::yield();
    on_gone.reset();
    held->respond({.body = "too late"});
    held.reset();
}

// As over TLS, where a client says that it leaves.
TEST_CASE_FIXTURE(ServerPlace, "that a client has gone is heard, also of one that had sent more") {
    std::latch asked(1), gone(1);
    std::shared_ptr<Exchange> held;
    std::optional<std::stop_callback<std::function<void()>>> on_gone;
    start([&](const std::shared_ptr<Exchange>& exchange) {
        held = exchange;
        on_gone.emplace(exchange->gone(), [&] { gone.count_down(); });
        asked.count_down();
    });
    auto client = std::make_unique<RawClient>(port());
    REQUIRE(client->send(get_slash));
    asked.wait();
    REQUIRE(client->send("GET / HT"));

    client.reset();

    for (int attempt = 0; attempt < 1'000 && !gone.try_wait(); ++attempt) std::this_thread::sleep_for(10ms);
    CHECK(gone.try_wait());
    server.reset();
    on_gone.reset();
    held.reset();
}

TEST_CASE_FIXTURE(ServerPlace, "a handler that throws costs its request, not the server") {
    start([](const std::shared_ptr<Exchange>& exchange) {
        if (exchange->request().path == "/throw") throw std::bad_alloc();
        if (exchange->request().has_body)
            return exchange->read_body(100, [exchange](const Result<void>&) { throw std::bad_alloc(); });
        exchange->respond({.body = "fine"});
    });
    RawClient client(port()), other(port()), third(port());

    CHECK(status_in(client.ask("GET /throw HTTP/1.1\r\nHost: a\r\n\r\n")) == 500);
    CHECK(status_in(third.ask(post_of("Content-Length: 2\r\n", "hi"))) == 500);
    CHECK(status_in(other.ask(get_slash)) == 200);
}

TEST_CASE_FIXTURE(ServerPlace, "one address has so many connections, unless it is trusted") {
    config.max_connections_of_address = 3;
    config.is_trusted = [](const std::string& address) { return address == "127.0.0.2"; };
    start_echo();
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(std::make_unique<RawClient>(port()));
        CHECK(status_in(clients.back()->ask(get_slash)) == 200);
    }

    RawClient fourth(port());
    fourth.send(get_slash);
    CHECK(status_in(fourth.read_all()) == 0);
    for (int i = 0; i < 5; ++i) {
        clients.push_back(std::make_unique<RawClient>(port(), "127.0.0.2"));
        CHECK(status_in(clients.back()->ask(get_slash)) == 200);
    }
    clients.front().reset();
    while (server->connections() > 7) std::this_thread::yield();
    RawClient again(port());
    CHECK(status_in(again.ask(get_slash)) == 200);
}

TEST_CASE_FIXTURE(ServerPlace, "clients are served although all other descriptors are taken") {
    config.reserved_descriptors = 2;
    std::mutex mutex;
    std::vector<std::string> lines;
    config.log = [&](std::string_view line) {
        const std::lock_guard lock(mutex);
        lines.emplace_back(line);
    };
    start_echo();
    RawClient client(port());  // its own descriptor is there already
    client.ask(get_slash);
    const int waiting = ::socket(AF_INET, SOCK_STREAM, 0), second = ::socket(AF_INET, SOCK_STREAM, 0);
    std::vector<Descriptor> others;
    while (others.empty() || others.back().is_open())
        others.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    others.pop_back();

    std::string answers[2];
    {
        RawClient first(port(), "127.0.0.1", waiting), next(port(), "127.0.0.1", second);
        answers[0] = first.ask(get_slash);
        answers[1] = next.ask(get_slash);
    }
    others.clear();

    CHECK(status_in(answers[0]) == 200);
    CHECK(status_in(answers[1]) == 200);
    const std::lock_guard lock(mutex);
    CHECK(lines.size() == 1);
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
    CHECK(client.ask("GET /never HTTP/1.1\r\nHost: a\r\n\r\n").find("500") != std::string::npos);
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

TEST_CASE_FIXTURE(ServerPlace, "the streams of one owner leave room for those of others") {
    config.max_streams_of_owner = 2;
    start([&](const std::shared_ptr<Exchange>& exchange) {
        exchange->bill(std::string(exchange->request().header("x-owner")));
        if (exchange->request().is_upgrade)
            exchange->accept_websocket("");
        else
            exchange->begin_events({});
    });
    const auto ask = [&](RawClient& client, const char* owner, const char* more = "") {
        return status_in(
            client.ask(fmt::format("GET / HTTP/1.1\r\nHost: a\r\nX-Owner: {}\r\n{}\r\n", owner, more)));
    };
    constexpr const char* upgrade =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    RawClient third(port()), fourth(port()), other(port()), later(port());
    {
        RawClient first(port()), second(port());
        CHECK(ask(first, "one") == 200);
        CHECK(ask(second, "one", upgrade) == 101);

        CHECK(ask(third, "one") == 503);
        CHECK(ask(fourth, "one", upgrade) == 503);
        CHECK(ask(other, "two") == 200);
    }
    while (server->connections() > 4) std::this_thread::yield();
    CHECK(ask(later, "one") == 200);
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
