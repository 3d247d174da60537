#include "net/http_client.h"

#include <atomic>
#include <future>
#include <latch>
#include <mutex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "net/http_message.h"
#include "servers/hostile_server.h"

using namespace quarry;
using namespace quarry::net;
using namespace std::chrono_literals;
using test::Connection;
using test::HostileServer;
using test::ServerRequest;

namespace {

std::unique_ptr<HttpClient> open_client(HttpConfig config = {}) {
    return HttpClient::open(std::move(config)).value();
}

HttpRequest request_for(const std::string& text) {
    return {.url = url::Url::parse(text).value(), .policy = {.allow_private = true}};
}

// A client and a server with the whole catalogue, for one test.
struct Fixture {
    HostileServer server;
    std::unique_ptr<HttpClient> client = open_client();

    Fixture() { add_hostile_behaviours(server); }

    HttpRequest request(std::string_view path) { return request_for(server.url(path)); }
    Result<HttpResponse> get(std::string_view path) { return client->perform(request(path)); }
    Error error_of(HttpRequest request) {
        auto response = client->perform(std::move(request));
        REQUIRE_FALSE(response);
        return response.error();
    }
    Error error_of(std::string_view path) { return error_of(request(path)); }
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "an answer has its status, its headers in order and its body") {
    server.on("/page", [](const ServerRequest&, Connection& connection) {
        connection.respond(203, {{"Content-Type", "text/plain"}, {"X-A", "1"}, {"X-A", " 2 "}}, "hello");
    });

    const HttpResponse response = get("/page").value();

    CHECK(response.status == 203);
    CHECK(response.body == "hello");
    REQUIRE(response.headers.size() == 4);
    CHECK(response.headers[1].name == "X-A");
    CHECK(response.headers[2].value == "2");
    CHECK(response.address == "127.0.0.1");
    CHECK(response.http_version == 11);
}

TEST_CASE_FIXTURE(Fixture, "a redirect and a 304 come back as they are") {
    const HttpResponse moved = get("/redirect-to?u=/ok").value();
    CHECK(moved.status == 302);
    CHECK(header_value(moved.headers, "location") == "/ok");
    CHECK(get("/status/304").value().status == 304);
    CHECK(server.count_requests("/ok") == 0);
}

TEST_CASE_FIXTURE(Fixture, "headers of a request are sent, and the client adds its own") {
    HttpRequest request = this->request("/echo");
    request.headers = {{"X-Test", "yes"}, {"X-Empty", ""}, {"If-None-Match", "\"abc\""}, {"Cookie", "a=b"}};

    const std::string echo = client->perform(request).value().body;

    CHECK(contains(echo, "X-Test: yes\n"));
    CHECK(contains(echo, "If-None-Match: \"abc\"\n"));
    CHECK(contains(echo, "Cookie: a=b\n"));
    CHECK(contains(echo, "User-Agent: quarry/0.2\n"));
    CHECK(contains(echo, "Accept-Encoding: gzip, deflate, br, zstd\n"));
}

TEST_CASE_FIXTURE(Fixture, "credentials of a URL are not sent unless an Authorization header says so") {
    HttpRequest request =
        request_for("http://user:secret@127.0.0.1:" + std::to_string(server.port()) + "/echo");
    CHECK_FALSE(contains(client->perform(request).value().body, "Authorization"));

    request.headers = {{"Authorization", basic_authorization("user", "secret")}};
    CHECK(contains(client->perform(request).value().body, "Authorization: Basic dXNlcjpzZWNyZXQ=\n"));
}

TEST_CASE_FIXTURE(Fixture, "a request can carry a body, and HEAD has none in its answer") {
    HttpRequest post = request("/echo");
    post.method = HttpMethod::post;
    post.body = "{\"a\":1}";
    const std::string echo = client->perform(post).value().body;
    CHECK(echo.starts_with("POST /echo\n"));
    CHECK(echo.ends_with("\n\n{\"a\":1}"));

    server.on("/head", [](const ServerRequest& head, Connection& connection) {
        connection.send_head(head.method == "HEAD" ? 200 : 500, {{"Content-Length", "5000000000"}});
    });
    HttpRequest head = request("/head");
    head.method = HttpMethod::head;
    const HttpResponse response = client->perform(head).value();
    CHECK(response.status == 200);
    CHECK(response.body.empty());
}

TEST_CASE_FIXTURE(Fixture, "a header that could smuggle another is refused before anything is sent") {
    const std::vector<Header> rows[] = {
        {{"X-A", "1\r\nX-B: 2"}}, {{"X-A", "1\n"}},          {{"X A", "1"}}, {{"", "1"}}, {{"X-A:", "1"}},
        {{"Host", "a.example"}},  {{"content-length", "0"}},
    };
    for (const auto& headers : rows) {
        HttpRequest request = this->request("/echo");
        request.headers = headers;
        CHECK(error_of(request).code == ErrorCode::invalid_argument);
    }
    CHECK(server.requests().empty());
}

TEST_CASE_FIXTURE(Fixture, "connections are used again") {
    for (int i = 0; i < 5; ++i) CHECK(get("/ok").value().status == 200);
    CHECK(server.count_connections() == 1);
}

TEST_CASE_FIXTURE(Fixture, "only http and https can be fetched") {
    for (const char* text : {"file:///etc/passwd", "ftp://a.example/", "gopher://a.example/", "data:,x"}) {
        const Error error = error_of(request_for(text));
        CHECK(error.code == ErrorCode::invalid_argument);
        CHECK(contains(error.message, "only http and https"));
    }
}

TEST_CASE("a loopback address is refused, written as an address or as a name") {
    HostileServer server;
    add_hostile_behaviours(server);
    const auto client = open_client();
    const std::string port = std::to_string(server.port());
    for (const std::string host : {"127.0.0.1", "0x7f.1", "2130706433", "localhost", "a.localhost", "[::1]",
                                   "[::ffff:127.0.0.1]", "0.0.0.0", "LOCALHOST"}) {
        CAPTURE(host);
        const auto url = url::Url::parse("http://" + host + ":" + port + "/ok").value();
        const auto response = client->perform({.url = url});
        REQUIRE_FALSE(response);
        CHECK_MESSAGE(response.error().code == ErrorCode::refused, response.error().message);
        CHECK(response.error().message.starts_with("refused: "));
    }
    CHECK(server.count_connections() == 0);
}

TEST_CASE_FIXTURE(Fixture, "a connection that another request opened is checked again") {
    REQUIRE(get("/ok").value().status == 200);

    // By name, so that only the check at the connection can catch it.
    const std::string text = "http://localhost:" + std::to_string(server.port()) + "/ok";
    HttpRequest allowed = request_for(text);
    REQUIRE(client->perform(allowed).value().status == 200);
    HttpRequest forbidden = allowed;
    forbidden.policy = {};
    const Error error = error_of(forbidden);

    CHECK(error.code == ErrorCode::refused);
    CHECK(server.count_requests("/ok") == 2);
}

TEST_CASE_FIXTURE(Fixture, "a network that is named is allowed") {
    HttpRequest request = this->request("/ok");
    request.policy = {.allowed_networks = {Network::parse("127.0.0.0/8").value()}};
    CHECK(client->perform(request).value().status == 200);
}

TEST_CASE_FIXTURE(Fixture, "each way a server can fail has its own sentence") {
    struct Row {
        const char* path;
        ErrorCode code;
        const char* sentence;
    };
    constexpr Row rows[] = {
        {"/close-early", ErrorCode::unavailable, "server closed the connection without an answer"},
        {"/reset", ErrorCode::unavailable, "connection to 127.0.0.1 broke"},
        {"/long-length", ErrorCode::unavailable, "server sent fewer bytes than it promised"},
        {"/cut-chunks", ErrorCode::unavailable, "server sent fewer bytes than it promised"},
        {"/bad-chunks", ErrorCode::unavailable, "connection to 127.0.0.1 broke"},
        {"/not-http", ErrorCode::corrupt, "the answer of 127.0.0.1 is not HTTP"},
        {"/truncated-gzip", ErrorCode::corrupt, "the gzip data of the answer is cut off before its end"},
        {"/not-gzip", ErrorCode::corrupt, "is not valid gzip"},
        {"/huge-headers", ErrorCode::too_large, "headers of the answer are larger than 256 KB"},
        {"/long-header", ErrorCode::too_large, "header of the answer of 127.0.0.1 is too long"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        const Error error = error_of(row.path);
        CHECK(error.code == row.code);
        CHECK_MESSAGE(contains(error.message, row.sentence), error.message);
    }
}

TEST_CASE_FIXTURE(Fixture, "an answer that is longer than promised is cut where it promised to end") {
    CHECK(get("/short-length").value().body.size() == 100);
}

TEST_CASE("what a server sends after the end of its answer is not taken for the next one") {
    HostileServer server;
    add_hostile_behaviours(server);
    const auto client = open_client();
    std::latch first_is_read(1);
    std::latch leftover_is_sent(1);
    server.on("/leftover", [&](const ServerRequest&, Connection& connection) {
        connection.respond(200, {}, "whole");
        first_is_read.wait();
        connection.send("<p>leftover</p>");
        leftover_is_sent.count_down();
    });
    CHECK(client->perform(request_for(server.url("/leftover"))).value().body == "whole");
    first_is_read.count_down();
    leftover_is_sent.wait();

    const auto next = client->perform(request_for(server.url("/ok")));

    // Whether curl notices in time or not, it is worth another try, on another connection.
    CHECK((next || next.error().code == ErrorCode::unavailable));
    CHECK(client->perform(request_for(server.url("/ok"))).value().status == 200);
}

TEST_CASE_FIXTURE(Fixture, "time limits end a request with a sentence that says which") {
    HttpRequest never = request("/never");
    never.limits.timeout = 100ms;
    CHECK(error_of(never).code == ErrorCode::timeout);
    CHECK(error_of(never).message == "server did not answer within 100 ms");

    HttpRequest hang = request("/hang-after-headers");
    hang.limits.timeout = 1s;
    CHECK(error_of(hang).message == "timed out after 1 s");
}

TEST_CASE_FIXTURE(Fixture, "a server that drips its body or its headers is given up") {
    for (const char* path : {"/drip?ms=20", "/slow-headers?ms=20"}) {
        HttpRequest request = this->request(path);
        request.limits.low_speed_time = 400ms;
        const Error error = error_of(request);
        CHECK(error.code == ErrorCode::timeout);
        CHECK(error.message == "server drips: less than 100 bytes per second for 400 ms");
    }
}

TEST_CASE("a closed port and a name that does not exist have their sentences") {
    const auto client = open_client();
    std::uint16_t closed_port = 0;
    {
        const HostileServer server;
        closed_port = server.port();
    }
    const std::string port = std::to_string(closed_port);
    const auto refused = client->perform(request_for("http://127.0.0.1:" + port + "/"));
    CHECK(refused.error().code == ErrorCode::unavailable);
    CHECK(refused.error().message == "connection refused by 127.0.0.1 port " + port);

    const auto unknown = client->perform(request_for("http://no-such-host.invalid/"));
    CHECK(unknown.error().code == ErrorCode::not_found);
    CHECK(unknown.error().message == "could not resolve host no-such-host.invalid");
}

TEST_CASE_FIXTURE(Fixture, "a host that curl reads differently is never looked up") {
    const Error error = error_of(request_for("http://127.0.0.1!/"));
    CHECK(error.code == ErrorCode::invalid_argument);
}

TEST_CASE_FIXTURE(Fixture, "the limit on a body holds whether its size is declared, hidden or compressed") {
    for (const char* path :
         {"/large?bytes=200000", "/large?bytes=200000&declared=1", "/bomb.gz", "/bomb.br", "/bomb.zst"}) {
        CAPTURE(path);
        HttpRequest request = this->request(path);
        request.limits.body_bytes = 100 * 1024;
        const Error error = error_of(request);
        CHECK(error.code == ErrorCode::too_large);
        CHECK(error.message == "answer is larger than 100 KB");
    }
    CHECK(get("/large?bytes=200000").value().body.size() == 200'000);
}

TEST_CASE_FIXTURE(Fixture, "a body may be cut at the limit instead") {
    for (const char* path :
         {"/large?bytes=200000", "/large?bytes=200000&declared=1", "/bomb.gz", "/robots-100mb"}) {
        CAPTURE(path);
        HttpRequest request = this->request(path);
        request.limits.body_bytes = 100'000;
        request.limits.when_too_large = WhenTooLarge::truncate;
        const HttpResponse response = client->perform(request).value();
        CHECK(response.is_truncated);
        CHECK(response.body.size() == 100'000);
    }
}

TEST_CASE_FIXTURE(Fixture, "a body that is declined is not downloaded") {
    HttpRequest request = this->request("/bomb.gz");
    request.wants_body = [](int status, const std::vector<Header>& headers) {
        return status != 200 || header_value(headers, "Content-Type") != "text/html; charset=utf-8";
    };
    const HttpResponse response = client->perform(request).value();
    CHECK(response.status == 200);
    CHECK(response.is_body_skipped);
    CHECK(response.body.empty());
}

TEST_CASE_FIXTURE(Fixture, "declining a short body keeps the connection") {
    HttpRequest request = this->request("/ok");
    request.wants_body = [](int, const std::vector<Header>&) { return false; };
    for (int i = 0; i < 3; ++i) CHECK(client->perform(request).value().is_body_skipped);
    CHECK(server.count_connections() == 1);
}

TEST_CASE("a folded header is one header, trailers and interim answers are none") {
    HostileServer server;
    const auto client = open_client();
    server.on("/folded", [](const ServerRequest&, Connection& connection) {
        connection.send(
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
            "HTTP/1.1 200 OK\r\nX-Long: one\r\n  two\r\nTransfer-Encoding: chunked\r\n\r\n"
            "5\r\nhello\r\n0\r\nX-Trailer: late\r\n\r\n");
    });

    const HttpResponse response = client->perform(request_for(server.url("/folded"))).value();

    CHECK(response.status == 200);
    CHECK(response.body == "hello");
    CHECK(header_value(response.headers, "X-Long") == "one two");
    CHECK(header_value(response.headers, "Link").empty());
    CHECK(header_value(response.headers, "X-Trailer").empty());
}

TEST_CASE_FIXTURE(Fixture, "two hundred requests at once are all answered") {
    constexpr int count = 200;
    std::atomic<int> good = 0;
    std::latch done(count);
    for (int i = 0; i < count; ++i)
        client->submit(request("/echo?n=" + std::to_string(i)), [&, i](Result<HttpResponse> response) {
            good += response && contains(response->body, "/echo?n=" + std::to_string(i) + "\n");
            done.count_down();
        });
    done.wait();
    CHECK(good == count);
}

TEST_CASE("no more transfers run at once than allowed, and the rest wait their turn") {
    HostileServer server;
    std::atomic<int> running = 0;
    std::atomic<int> most = 0;
    server.on("/slow", [&](const ServerRequest&, Connection& connection) {
        const int now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        connection.pause(5ms);
        --running;
        connection.respond(200, {}, "");
    });
    const auto client = open_client({.max_in_flight = 4});
    constexpr int count = 40;
    std::latch done(count);
    for (int i = 0; i < count; ++i)
        client->submit(request_for(server.url("/slow")),
                       [&](const Result<HttpResponse>&) { done.count_down(); });
    done.wait();
    CHECK(most <= 4);
    CHECK(server.count_requests("/slow") == count);
}

TEST_CASE("a host that does not answer holds up nobody, and requests to another are not put in line") {
    HostileServer silent;
    add_hostile_behaviours(silent);
    HostileServer busy;
    constexpr int count = 32;
    std::latch all_have_come(count);
    busy.on("/together", [&](const ServerRequest&, Connection& connection) {
        all_have_come.arrive_and_wait();  // None is answered before all of them are here.
        connection.respond(200, {}, "");
    });
    const auto client = open_client();
    std::stop_source stop;
    HttpRequest slow = request_for(silent.url("/never"));
    slow.stop = stop.get_token();
    std::latch done(count + 1);
    std::atomic<int> good = 0;
    client->submit(std::move(slow), [&](const Result<HttpResponse>&) { done.count_down(); });
    for (int i = 0; i < count; ++i)
        client->submit(request_for(busy.url("/together")), [&](const Result<HttpResponse>& response) {
            if (++good == count) stop.request_stop();
            CHECK(response.value().status == 200);
            done.count_down();
        });
    done.wait();
    CHECK(good == count);
}

TEST_CASE("a request that changes the method leaves no trace on the next one") {
    HostileServer server;
    add_hostile_behaviours(server);
    const auto client = open_client({.max_in_flight = 1});
    HttpRequest post = request_for(server.url("/echo"));
    post.method = HttpMethod::post;
    post.body = "x=1";
    post.headers = {{"Content-Type", "text/plain"}, {"X-Once", "1"}};
    server.on("/head", [](const ServerRequest&, Connection& connection) {
        connection.send_head(200, {{"Content-Length", "10"}});
    });
    HttpRequest head = request_for(server.url("/head"));
    head.method = HttpMethod::head;
    for (const HttpRequest& odd : {post, head}) {
        REQUIRE(client->perform(odd).value().status == 200);
        const std::string echo = client->perform(request_for(server.url("/echo"))).value().body;
        CHECK(echo.starts_with("GET /echo\n"));
        CHECK_FALSE(contains(echo, "X-Once"));
        CHECK_FALSE(contains(echo, "Content-Type"));
        CHECK(contains(echo, "User-Agent: quarry/0.2\n"));
        CHECK_FALSE(contains(echo, "x=1"));
    }
    CHECK(server.count_connections() == 1);
}

TEST_CASE("requests beyond the bound of the queue are turned away at once") {
    HostileServer server;
    add_hostile_behaviours(server);
    const auto client = open_client({.max_in_flight = 1, .max_waiting = 1});
    std::stop_source stop;
    for (int i = 0; i < 2; ++i) {
        HttpRequest request = request_for(server.url("/never"));
        request.stop = stop.get_token();
        client->submit(std::move(request), [](const Result<HttpResponse>&) {});
    }
    const auto third = client->perform(request_for(server.url("/ok")));
    CHECK(third.error().code == ErrorCode::conflict);
    CHECK(third.error().message == "1 requests are waiting already");
    stop.request_stop();
}

TEST_CASE_FIXTURE(
    Fixture, "a stop request ends a transfer under way, one in the queue and one that waits for its time") {
    const auto narrow = open_client({.max_in_flight = 1});
    std::stop_source stop;
    std::latch done(3);
    std::atomic<int> interrupted = 0;
    const auto count = [&](const Result<HttpResponse>& response) {
        interrupted += !response && response.error().code == ErrorCode::interrupted;
        done.count_down();
    };
    for (const auto wait : {0h, 0h, 1h}) {
        HttpRequest request = this->request("/never");
        request.stop = stop.get_token();
        request.not_before = std::chrono::steady_clock::now() + wait;
        narrow->submit(std::move(request), count);
    }
    stop.request_stop();
    done.wait();
    CHECK(interrupted == 3);
}

TEST_CASE_FIXTURE(Fixture,
                  "closing the client ends everything, also what a callback submits while it closes") {
    std::atomic<int> interrupted = 0;
    auto* raw = client.get();
    const auto count = [&](const Result<HttpResponse>& response) {
        interrupted += !response && response.error().code == ErrorCode::interrupted;
    };
    for (int i = 0; i < 20; ++i)
        client->submit(request("/never"), [&, raw, count](const Result<HttpResponse>& response) {
            count(response);
            raw->submit(request("/never"), count);
        });
    client.reset();
    CHECK(interrupted == 40);
}

TEST_CASE_FIXTURE(Fixture, "a request waits for its time") {
    HttpRequest request = this->request("/ok");
    const auto due = std::chrono::steady_clock::now() + 50ms;
    request.not_before = due;
    CHECK(client->perform(request).value().status == 200);
    CHECK(std::chrono::steady_clock::now() >= due);
}

TEST_CASE_FIXTURE(Fixture, "through a proxy the whole URL is asked for, and loopback stays refused") {
    server.on("http://a.example/page",
              [](const ServerRequest&, Connection& connection) { connection.respond(200, {}, "by proxy"); });
    const auto proxied = open_client({.proxy = server.url("")});
    CHECK(proxied->perform({.url = url::Url::parse("http://a.example/page").value()}).value().body ==
          "by proxy");
    for (const char* text :
         {"http://127.0.0.1/", "http://localhost/", "http://a.localhost./", "http://[::1]/"}) {
        const auto response = proxied->perform({.url = url::Url::parse(text).value()});
        REQUIRE_FALSE(response);
        CHECK(response.error().code == ErrorCode::refused);
    }
    CHECK(server.requests().size() == 1);
}

TEST_CASE("a proxy of an unknown kind is refused without repeating its password") {
    const auto client = HttpClient::open({.proxy = "gopher://user:secret@proxy.example"});
    REQUIRE_FALSE(client);
    CHECK(client.error().code == ErrorCode::invalid_argument);
    CHECK_FALSE(contains(client.error().message, "secret"));
}

TEST_CASE_FIXTURE(Fixture, "a proxy in the environment is not used") {
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    CHECK(get("/ok").value().status == 200);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
}
