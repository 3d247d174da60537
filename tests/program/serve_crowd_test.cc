// `quarry serve` with more clients than it needs, most of whom are idle and some of whom mean harm.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "program/raw_client.h"
#include "program/service.h"
#include "program/slow_site.h"
#include "servers/free_port.h"

using namespace quarry;
using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

// The soft limit of descriptors, which programs that are started inherit. Put back at the end.
class DescriptorLimit {
public:
    DescriptorLimit() {
        getrlimit(RLIMIT_NOFILE, &before_);
        limit_ = before_;
    }
    ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
    rlim_t hard() const { return before_.rlim_max; }
    void set(rlim_t soft) {
        limit_.rlim_cur = soft;
        setrlimit(RLIMIT_NOFILE, &limit_);
    }

private:
    rlimit before_{}, limit_{};
};

// Frames of a WebSocket.
constexpr std::string_view normal_close = "\x88\x02\x03\xe8";
constexpr std::string_view pong("\x8a\0", 2);

// BrowserInstance memory that is a process's own.
long kilobytes_of(pid_t process) {
    const std::string status = read_file(fmt::format("/proc/{}/status", process));
    const std::size_t at = status.find("RssAnon:");
    REQUIRE(at != std::string::npos);
    long kilobytes = 0;
    const std::size_t digits = status.find_first_of("0123456789", at);
    std::from_chars(status.data() + digits, status.data() + status.size(), kilobytes);
    return kilobytes;
}

// A crawl that is not over before somebody ends it.
std::string begin_endless_crawl(const Service& service, SlowSite& site) {
    const auto begun =
        service.client.post("/v2/crawl", fmt::format(R"({{"url":"{}","delay":60}})", site.url()));
    REQUIRE(begun.status == 200);
    return std::string(begun.json().at("id").as_string());
}

}  // namespace

TEST_CASE("a thousand idle WebSockets and as many event streams cost little, and all hear of the end") {
    constexpr std::size_t count = 1'000;
    DescriptorLimit limit;
    if (limit.hard() < 3 * count) {
        MESSAGE("skipped: this machine allows too few open files");
        return;
    }
    SlowSite site(5, 0ms), other_site(1, 0ms);
    const DataHome home;
    limit.set(1'024);  // as a login shell has it
    Service service(home);
    limit.set(limit.hard());
    const std::string id = begin_endless_crawl(service, site);
    site.wait_for_requests(1);
    const long before = kilobytes_of(service.process());
    std::vector<RawClient> sockets, streams;

    for (std::size_t number = 0; number < count; ++number) {
        sockets.emplace_back(service.port()).send(websocket_request("/v2/crawl/" + id, "fc-key"));
        streams.emplace_back(service.port())
            .send("GET /crawl-progress/" + id +
                  " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n");
    }
    for (RawClient& socket : sockets) {
        const std::string answer = socket.read_until("catchup");
        REQUIRE(answer.starts_with("HTTP/1.1 101 "));
        REQUIRE(answer.find("Sec-WebSocket-Protocol: fc-key\r\n") != std::string::npos);
    }
    for (RawClient& stream : streams)
        REQUIRE(stream.read_until("data: {").find("text/event-stream") != std::string::npos);
    const long after = kilobytes_of(service.process());
    const auto scraped =
        service.client.post("/v2/scrape", fmt::format(R"({{"url":"{}"}})", other_site.url()));
    const auto cancelled = service.client.del("/v2/crawl/" + id);

    MESSAGE(fmt::format("{:.1f} KB of memory for each idle connection", (after - before) / (2.0 * count)));
    CHECK(scraped.status == 200);
    CHECK(cancelled.status == 200);
    for (RawClient& stream : streams) REQUIRE(stream.read_all().find("cancelled") != std::string::npos);
    for (RawClient& socket : sockets) REQUIRE(socket.read_until(normal_close).ends_with(normal_close));
    sockets.clear();
    CHECK(service.stop() == 0);
}

TEST_CASE("who drips headers or a body is dropped, and others are answered meanwhile") {
    const DataHome home;
    Service service(home, free_port(),
                    {"QUARRY_SERVE_HEADER_TIMEOUT=500ms", "QUARRY_SERVE_BODY_TIMEOUT=500ms"});
    std::vector<RawClient> dripping;
    for (int number = 0; number < 50; ++number) {
        dripping.emplace_back(service.port()).send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ");
        dripping.emplace_back(service.port())
            .send("POST /v2/scrape HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{");
    }

    int answered = 0, asked = 0;
    while (!std::ranges::all_of(dripping, &RawClient::is_hung_up)) {
        for (RawClient& client : dripping) client.send("x");
        ++asked;
        if (service.client.get("/healthz").status == 200) ++answered;
        std::this_thread::sleep_for(5ms);  // the pace of the drops
    }

    CHECK(asked > 0);
    CHECK(answered == asked);
    for (RawClient& client : dripping) CHECK(client.read_all().find("200 OK") == std::string::npos);
    CHECK(service.stop() == 0);
}

TEST_CASE("who asks and does not read the answers is dropped") {
    const DataHome home;
    Service service(home, free_port(), {"QUARRY_SERVE_BODY_TIMEOUT=500ms"});
    RawClient client(service.port());
    std::string requests;
    for (int number = 0; number < 5'000; ++number)
        requests += "GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    // The server stops reading while its answers are not read.
    std::jthread sending([&] { client.send(requests); });

    while (!client.is_hung_up()) CHECK(service.client.get("/healthz").status == 200);

    sending.join();
    CHECK(service.stop() == 0);
}

TEST_CASE("a WebSocket that breaks the rules is closed, and others go on") {
    SlowSite site(5, 0ms);
    const DataHome home;
    Service service(home);
    const std::string path = "/v2/crawl/" + begin_endless_crawl(service, site);
    struct Row {
        std::string what;
        std::string frames;
    };
    const std::string mask(4, '\0');
    const Row rows[] = {
        {"a frame without a mask", std::string("\x81\x02hi", 4)},
        {"a message of 2^63 bytes", "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff" + mask},
        {"a message of more than is read",
         std::string("\x82\xff\0\0\0\0\0\2\0\0", 10) + mask + std::string(131'072, 'x')},
        {"a continuation of nothing", std::string("\x80\x80", 2) + mask},
        {"a kind that is not defined", std::string("\x83\x80", 2) + mask},
        {"bits that are reserved", std::string("\xf1\x80", 2) + mask},
        {"a ping that is too long", std::string("\x89\xfe\x01\x00", 4) + mask + std::string(256, 'x')},
        {"a close with half a code", std::string("\x88\x81", 2) + mask + "x"},
        {"text that is no UTF-8", std::string("\x81\x82", 2) + mask + "\xff\xfe"},
    };
    RawClient decent(service.port());
    decent.send(websocket_request(path, "fc-key"));
    decent.read_until("catchup");

    for (const Row& row : rows) {
        CAPTURE(row.what);
        RawClient client(service.port());
        client.send(websocket_request(path, "fc-key"));
        REQUIRE(client.read_until("catchup").starts_with("HTTP/1.1 101 "));
        client.send(row.frames);
        client.read_all();
        CHECK(client.is_hung_up());
    }

    CHECK_FALSE(decent.is_hung_up());
    CHECK(decent.send(std::string("\x89\x80", 2) + mask));
    CHECK(decent.read_until(pong).ends_with(pong));
}
