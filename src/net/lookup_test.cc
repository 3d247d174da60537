// The owner of a name controls what DNS answers, and how long it takes. This program brings its own
// getaddrinfo, which curl's lookup threads call instead of the system's.
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netdb.h>

#include "net/http_client.h"
#include "servers/hostile_server.h"

namespace {

// Names that it does not know do not exist. Names that begin with "slow" are answered once released.
class FakeDns {
public:
    void answer(const std::string& name, std::vector<std::string> addresses) {
        const std::lock_guard lock(mutex_);
        answers_[name] = std::move(addresses);
    }

    std::vector<std::string> look_up(const std::string& name) {
        std::unique_lock lock(mutex_);
        ++running_;
        ++counts_[name];
        most_ = std::max(most_, running_);
        changed_.notify_all();
        if (name.starts_with("slow")) changed_.wait(lock, [&] { return is_released_; });
        --running_;
        changed_.notify_all();
        const auto found = answers_.find(name);
        return found == answers_.end() ? std::vector<std::string>{} : found->second;
    }

    void hold() {
        const std::lock_guard lock(mutex_);
        is_released_ = false;
        most_ = 0;
    }

    // Releases all lookups and waits for them, so that no thread of curl outlives the test.
    void release() {
        std::unique_lock lock(mutex_);
        is_released_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return running_ == 0; });
    }

    void wait_for_running(int count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return running_ >= count; });
    }

    int count(const std::string& name) {
        const std::lock_guard lock(mutex_);
        return counts_[name];
    }

    int most_at_once() {
        const std::lock_guard lock(mutex_);
        return most_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, std::vector<std::string>> answers_;
    std::map<std::string, int> counts_;
    bool is_released_ = true;
    int running_ = 0;
    int most_ = 0;
};

FakeDns& dns() {
    static FakeDns instance;
    return instance;
}

// One allocation per entry, freed by our freeaddrinfo.
addrinfo* make_entry(const std::string& text, const char* service, addrinfo* next) {
    struct Entry {
        addrinfo info{};
        sockaddr_storage address{};
    };
    auto* entry = static_cast<Entry*>(std::calloc(1, sizeof(Entry)));
    const bool is_v6 = text.find(':') != std::string::npos;
    const auto port = htons(static_cast<std::uint16_t>(std::atoi(service ? service : "0")));
    if (is_v6) {
        auto* address = reinterpret_cast<sockaddr_in6*>(&entry->address);
        address->sin6_family = AF_INET6;
        address->sin6_port = port;
        inet_pton(AF_INET6, text.c_str(), &address->sin6_addr);
    } else {
        auto* address = reinterpret_cast<sockaddr_in*>(&entry->address);
        address->sin_family = AF_INET;
        address->sin_port = port;
        inet_pton(AF_INET, text.c_str(), &address->sin_addr);
    }
    entry->info.ai_family = is_v6 ? AF_INET6 : AF_INET;
    entry->info.ai_socktype = SOCK_STREAM;
    entry->info.ai_protocol = IPPROTO_TCP;
    entry->info.ai_addrlen = is_v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    entry->info.ai_addr = reinterpret_cast<sockaddr*>(&entry->address);
    entry->info.ai_next = next;
    return &entry->info;
}

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo*, addrinfo** result) {
    const auto addresses = dns().look_up(node);
    *result = nullptr;
    for (auto address = addresses.rbegin(); address != addresses.rend(); ++address)
        *result = make_entry(*address, service, *result);
    return *result ? 0 : EAI_NONAME;
}

extern "C" void freeaddrinfo(addrinfo* list) {
    while (list) {
        addrinfo* next = list->ai_next;
        std::free(list);
        list = next;
    }
}

using namespace quarry;
using namespace quarry::net;
using namespace std::chrono_literals;

namespace {

struct Fixture {
    test::HostileServer server;
    std::unique_ptr<HttpClient> client = HttpClient::open({.max_lookups = 4}).value();

    Fixture() {
        add_hostile_behaviours(server);
        dns().hold();
    }
    ~Fixture() { dns().release(); }

    HttpRequest request(const std::string& host) {
        return {.url =
                    url::Url::parse("http://" + host + ":" + std::to_string(server.port()) + "/ok").value()};
    }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture,
                  "a name that resolves to forbidden addresses only is refused without a connection") {
    dns().answer("evil.example", {"127.0.0.1", "::1", "169.254.169.254"});
    const auto response = client->perform(request("evil.example"));
    REQUIRE_FALSE(response);
    CHECK(response.error().code == ErrorCode::refused);
    CHECK(server.count_connections() == 0);
}

TEST_CASE_FIXTURE(Fixture, "of several addresses the forbidden ones are passed over") {
    dns().answer("mixed.example", {"10.0.0.1", "127.0.0.1"});
    HttpRequest request = this->request("mixed.example");
    request.policy = {.allowed_networks = {Network::parse("127.0.0.1").value()}};
    CHECK(client->perform(request).value().status == 200);
}

TEST_CASE_FIXTURE(Fixture, "a name that changes its address after the first answer gains nothing") {
    dns().answer("rebind.example", {"127.0.0.1"});
    HttpRequest allowed = request("rebind.example");
    allowed.policy = {.allow_private = true};
    REQUIRE(client->perform(allowed).value().status == 200);

    // The address is cached and the connection open: both are checked against this request's own policy.
    const auto response = client->perform(request("rebind.example"));

    REQUIRE_FALSE(response);
    CHECK(response.error().code == ErrorCode::refused);
    CHECK(server.requests().size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "no more lookups run at once than allowed") {
    constexpr int count = 40;
    std::latch done(count);
    for (int i = 0; i < count; ++i) {
        const std::string host = "slow" + std::to_string(i) + ".example";
        dns().answer(host, {"127.0.0.1"});
        HttpRequest request = this->request(host);
        request.policy = {.allow_private = true};
        client->submit(std::move(request), [&](const Result<HttpResponse>&) { done.count_down(); });
    }
    dns().wait_for_running(4);
    dns().release();
    done.wait();
    CHECK(dns().most_at_once() == 4);
    CHECK(server.count_requests("/ok") == count);
}

TEST_CASE_FIXTURE(Fixture, "forty requests for one name look it up once") {
    constexpr int count = 40;
    dns().answer("shared.example", {"127.0.0.1"});
    std::latch done(count);
    for (int i = 0; i < count; ++i) {
        HttpRequest request = this->request("shared.example");
        request.policy = {.allow_private = true};
        client->submit(std::move(request), [&](const Result<HttpResponse>&) { done.count_down(); });
    }
    done.wait();
    CHECK(dns().count("shared.example") == 1);
    CHECK(server.count_requests("/ok") == count);
}

TEST_CASE_FIXTURE(Fixture, "an answer serves later requests too, also over another connection") {
    server.on("/closing", [](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(200, {{"Connection", "close"}}, "");
        connection.close_after_this();
    });
    dns().answer("again.example", {"127.0.0.1"});
    const std::string url = "http://again.example:" + std::to_string(server.port()) + "/closing";
    for (int i = 0; i < 3; ++i)
        CHECK(client->perform({.url = url::Url::parse(url).value(), .policy = {.allow_private = true}})
                  .value()
                  .status == 200);
    CHECK(server.count_connections() == 3);
    CHECK(dns().count("again.example") == 1);
}

TEST_CASE_FIXTURE(Fixture, "many names of one address share its places, and a stopped one leaves the line") {
    const auto limited = HttpClient::open({.max_transfers_per_address = 2}).value();
    std::atomic<int> running = 0;
    std::atomic<int> most = 0;
    server.on("/counted", [&](const test::ServerRequest&, test::Connection& connection) {
        const int now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        connection.pause(5ms);
        --running;
        connection.respond(200, {}, "");
    });
    constexpr int count = 30;
    std::atomic<int> good = 0, interrupted = 0;
    std::latch done(count + 1);
    std::stop_source stop;
    for (int i = 0; i <= count; ++i) {
        const std::string host = "farm" + std::to_string(i) + ".example";
        dns().answer(host, {"127.0.0.1"});
        HttpRequest request = this->request(host);
        request.url = url::Url::parse("/counted", &request.url).value();
        request.policy = {.allow_private = true};
        if (i == count) request.stop = stop.get_token();
        limited->submit(std::move(request), [&](const Result<HttpResponse>& response) {
            good += response && response->status == 200;
            interrupted += !response && response.error().code == ErrorCode::interrupted;
            stop.request_stop();
            done.count_down();
        });
    }
    done.wait();
    CHECK(good + interrupted == count + 1);
    CHECK(good >= count);
    CHECK(most <= 2);
}

TEST_CASE_FIXTURE(Fixture, "names that are slow to resolve hold up neither addresses nor known names") {
    dns().answer("quick.example", {"127.0.0.1"});
    HttpRequest known = request("quick.example");
    known.policy = {.allow_private = true};
    REQUIRE(client->perform(known).value().status == 200);
    constexpr int count = 20;
    std::latch done(count);
    for (int i = 0; i < count; ++i)
        client->submit(request("slow" + std::to_string(i) + ".example"),
                       [&](const Result<HttpResponse>&) { done.count_down(); });
    dns().wait_for_running(4);

    CHECK(client->perform(known).value().status == 200);
    HttpRequest address = request("127.0.0.1");
    address.policy = {.allow_private = true};
    CHECK(client->perform(address).value().status == 200);

    dns().release();
    done.wait();
}

TEST_CASE_FIXTURE(Fixture, "a lookup that takes too long ends with a sentence, and holds nobody else up") {
    HttpRequest request = this->request("slow.example");
    request.limits.connect_timeout = 50ms;
    const auto response = client->perform(request);
    REQUIRE_FALSE(response);
    CHECK(response.error().code == ErrorCode::timeout);
    CHECK(response.error().message == "could not resolve host slow.example within 50 ms");

    dns().answer("quick.example", {"127.0.0.1"});
    HttpRequest other = this->request("quick.example");
    other.policy = {.allow_private = true};
    CHECK(client->perform(other).value().status == 200);
}

TEST_CASE_FIXTURE(Fixture, "closing the client does not wait for a lookup") {
    std::atomic<bool> is_interrupted = false;
    client->submit(request("slow.example"), [&](const Result<HttpResponse>& response) {
        is_interrupted = !response && response.error().code == ErrorCode::interrupted;
    });
    dns().wait_for_running(1);
    client.reset();  // The lookup is only released after this.
    CHECK(is_interrupted);
}
