#include "net/body_budget.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "net/http_client.h"
#include "net/transfer.h"
#include "servers/hostile_server.h"

using namespace quarry;
using namespace quarry::net;
using namespace std::chrono_literals;
using test::Connection;
using test::HostileServer;
using test::ServerRequest;

namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

Transfer any_transfer() {
    return {{.url = url::Url::parse("http://a.example/").value()}, [](const Result<HttpResponse>&) {}};
}

HttpRequest request_for(const std::string& text) {
    return {.url = url::Url::parse(text).value(), .policy = {.allow_private = true}};
}

// Sends bodies of one size, and counts what the clients have taken from it.
struct Sender {
    HostileServer server;
    std::atomic<std::size_t> sent_bytes = 0;

    explicit Sender(std::size_t body_bytes) {
        server.on("/body", [this, body_bytes](const ServerRequest&, Connection& connection) {
            const std::string block(64 * 1024, 'b');
            connection.send_head(200, {{"Content-Length", std::to_string(body_bytes)}});
            for (std::size_t left = body_bytes; left > 0;) {
                const std::size_t size = std::min(left, block.size());
                if (!connection.send(std::string_view(block).substr(0, size))) return;
                sent_bytes += size;
                left -= size;
            }
        });
    }
};

}  // namespace

TEST_CASE("while there is room every transfer may grow") {
    BodyBudget budget(100);
    Transfer a = any_transfer(), b = any_transfer();
    budget.add(99);
    CHECK(budget.may_grow(a));
    CHECK(budget.may_grow(b));
    CHECK(budget.next_resumable() == nullptr);
}

TEST_CASE("without room one transfer goes on to its end, and the others wait in line") {
    BodyBudget budget(100);
    Transfer a = any_transfer(), b = any_transfer(), c = any_transfer();
    budget.add(100);
    CHECK(budget.may_grow(a));
    CHECK_FALSE(budget.may_grow(b));
    CHECK_FALSE(budget.may_grow(c));
    CHECK(budget.may_grow(a));
    CHECK(budget.next_resumable() == nullptr);

    budget.release(a, 0);  // It had nothing yet, so there still is no room: the next takes its place.
    CHECK(budget.next_resumable() == &b);
    CHECK(budget.may_grow(b));
    CHECK(budget.next_resumable() == nullptr);

    budget.release(b, 100);
    CHECK(budget.next_resumable() == &c);
    CHECK(budget.next_resumable() == nullptr);
}

TEST_CASE("a transfer that ends while it waits leaves the line") {
    BodyBudget budget(1);
    Transfer a = any_transfer(), b = any_transfer(), c = any_transfer();
    budget.add(1);
    CHECK(budget.may_grow(a));
    CHECK_FALSE(budget.may_grow(b));
    CHECK_FALSE(budget.may_grow(c));

    budget.release(b, 0);
    budget.release(a, 1);

    CHECK(budget.next_resumable() == &c);
}

TEST_CASE("bodies that do not fit into the budget together arrive one after the other, and whole") {
    constexpr std::size_t body_bytes = 32 * megabyte;
    constexpr int count = 5;
    Sender sender(body_bytes);
    const auto client = HttpClient::open({.max_bytes_in_flight = megabyte}).value();
    std::latch done(count);
    std::vector<std::size_t> sizes;
    std::size_t sent_bytes_at_first_end = 0;
    for (int i = 0; i < count; ++i)
        client->submit(request_for(sender.server.url("/body")), [&](Result<HttpResponse> response) {
            if (sizes.empty()) sent_bytes_at_first_end = sender.sent_bytes;
            sizes.push_back(response ? response->body.size() : 0);
            done.count_down();
        });
    done.wait();

    CHECK(sizes == std::vector<std::size_t>(count, body_bytes));
    // One body, and of the others what fits into the buffers of the sockets.
    CHECK(sent_bytes_at_first_end < 3 * body_bytes);
}

TEST_CASE("a body larger than the whole budget arrives, and so do a hundred small ones beside it") {
    Sender large(8 * megabyte);
    Sender small(30'000);
    const auto client = HttpClient::open({.max_bytes_in_flight = 1}).value();
    constexpr int count = 100;
    std::latch done(count + 1);
    std::atomic<std::size_t> received_bytes = 0;
    const auto receive = [&](const Result<HttpResponse>& response) {
        if (response) received_bytes += response->body.size();
        done.count_down();
    };
    client->submit(request_for(large.server.url("/body")), receive);
    for (int i = 0; i < count; ++i) client->submit(request_for(small.server.url("/body")), receive);
    done.wait();
    CHECK(received_bytes == 8 * megabyte + count * 30'000);
}

TEST_CASE("a transfer that waits for room is not taken for a slow one") {
    HostileServer server;
    std::latch second_has_begun(1), is_full(1);
    server.on("/first", [&](const ServerRequest&, Connection& connection) {
        second_has_begun.wait();
        connection.send_head(200, {{"Content-Length", std::to_string(12 * megabyte + 1)}});
        connection.send(std::string(12 * megabyte, 'a'));  // more than the buffers of the sockets hold
        is_full.count_down();
        connection.pause(1500ms);
        connection.send("z");
    });
    server.on("/second", [&](const ServerRequest&, Connection& connection) {
        connection.send_head(200, {{"Content-Length", std::to_string(12 * megabyte + 1)}});
        connection.send("a");
        second_has_begun.count_down();
        is_full.wait();
        connection.send(std::string(12 * megabyte, 'z'));
    });
    const auto client = HttpClient::open({.max_bytes_in_flight = 100'000}).value();
    HttpRequest second = request_for(server.url("/second"));
    second.limits.low_speed_time = 1000ms;
    std::latch done(2);
    std::vector<std::size_t> sizes;
    const auto receive = [&](const Result<HttpResponse>& response) {
        CHECK_MESSAGE(response, response.error().message);
        sizes.push_back(response ? response->body.size() : 0);
        done.count_down();
    };
    client->submit(request_for(server.url("/first")), receive);
    client->submit(std::move(second), receive);
    done.wait();
    CHECK(sizes == std::vector<std::size_t>(2, 12 * megabyte + 1));
}

TEST_CASE("a transfer that waits for room can be stopped") {
    HostileServer server;
    add_hostile_behaviours(server);
    std::latch is_full(1);
    server.on("/first", [&](const ServerRequest&, Connection& connection) {
        connection.send_head(200, {{"Content-Length", std::to_string(12 * megabyte + 1)}});
        connection.send(std::string(12 * megabyte, 'a'));
        is_full.count_down();
        connection.wait_for_close();
    });
    const auto client = HttpClient::open({.max_bytes_in_flight = 100'000}).value();
    std::stop_source stop_first, stop_second;
    std::latch done(2);
    const auto expect_interruption = [&](const Result<HttpResponse>& response) {
        CHECK(response.error().code == ErrorCode::interrupted);
        done.count_down();
    };
    HttpRequest first = request_for(server.url("/first"));
    first.stop = stop_first.get_token();
    HttpRequest second = request_for(server.url("/ok"));
    second.stop = stop_second.get_token();
    client->submit(std::move(first), expect_interruption);
    is_full.wait();
    client->submit(std::move(second), expect_interruption);
    stop_second.request_stop();
    stop_first.request_stop();
    done.wait();
    CHECK(client->perform(request_for(server.url("/ok"))).value().status == 200);
}
