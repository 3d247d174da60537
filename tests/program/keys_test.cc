// Keys, owners and quotas of `quarry serve`.
#include <algorithm>
#include <stop_token>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/raw_client.h"
#include "program/service.h"
#include "program/slow_site.h"

using namespace quarry;
using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

struct Key {
    std::int64_t id = 0;
    std::string secret{};
};

Key create_key(const DataHome& home, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"keys", "create", "--json"});
    const Ran ran = home.run(arguments);
    CAPTURE(ran.err);
    REQUIRE(ran.exit_code == 0);
    const json::value data = json::parse(ran.out).at("data");
    return {data.at("id").as_int64(), std::string(data.at("key").as_string())};
}

ApiClient client_with(const Service& service, const Key& key) {
    return ApiClient(service.port(), fmt::format("Authorization: Bearer {}\r\n", key.secret));
}

std::string begin_crawl(const ApiClient& client, const std::string& url) {
    const ApiAnswer answer = client.post("/v2/crawl", fmt::format(R"({{"url":"{}"}})", url));
    CAPTURE(answer.body);
    REQUIRE(answer.status == 200);
    return "/v2/crawl/" + std::string(answer.json().at("id").as_string());
}

std::size_t hits_of(const ApiClient& client, std::string_view query) {
    const ApiAnswer answer = client.post("/v2/search", fmt::format(R"({{"query":"{}"}})", query));
    CAPTURE(answer.body);
    REQUIRE(answer.status == 200);
    return answer.json().at("data").at("web").as_array().size();
}

}  // namespace

TEST_CASE("a key is shown once, listed without its secret, and revoked") {
    const DataHome home;
    const Key key = create_key(home, {"--owner", "team", "--name", "laptop"});
    CHECK(key.secret.starts_with("fc-"));
    CHECK(key.secret.size() == 67);

    const Ran listed = home.run({"keys", "list"});
    CHECK(listed.out.contains("team"));
    CHECK(listed.out.contains("laptop"));
    CHECK(listed.out.contains("valid"));
    CHECK_FALSE(listed.out.contains(key.secret));

    CHECK(home.run({"keys", "revoke", std::to_string(key.id)}).exit_code == 0);
    CHECK(home.run({"keys", "list"}).out.contains("revoked"));
    CHECK(home.run({"keys", "revoke", std::to_string(key.id)}).exit_code == 1);
    CHECK(home.run({"keys", "create", "--owner", "a b"}).exit_code == 2);
}

TEST_CASE("an owner sees only its own crawls and pages") {
    SlowSite site(3, 0ms);
    const DataHome home;
    const Key first = create_key(home, {"--owner", "first"}),
              second = create_key(home, {"--owner", "second"});
    Service service(home);
    const ApiClient one = client_with(service, first), other = client_with(service, second);

    const std::string path = begin_crawl(one, site.url());
    CHECK(one.wait_for(path).at("data").as_array().size() == 3);

    CHECK(one.get(path).status == 200);
    CHECK(other.get(path).status == 404);
    CHECK(other.get(path + "/errors").status == 404);
    CHECK(other.del(path).status == 404);
    CHECK(service.client.get(path).status == 401);
    CHECK(hits_of(other, "page") == 0);
    CHECK(service.stop() == 0);
}

TEST_CASE("a wrong key is refused, and a revoked one soon") {
    const DataHome home;
    const Key key = create_key(home, {});
    Service service(home);
    const ApiClient client = client_with(service, key);

    CHECK(client.get("/v2/team/credit-usage").status == 200);
    CHECK(client_with(service, {0, "fc-wrong"}).get("/v2/team/credit-usage").status == 401);
    CHECK(service.client.get("/v2/team/credit-usage").status == 401);

    CHECK(home.run({"keys", "revoke", std::to_string(key.id)}).exit_code == 0);
    int status = 200;
    for (int attempt = 0; attempt < 10'000 && status != 401; ++attempt)
        status = client.get("/v2/team/credit-usage").status;
    CHECK(status == 401);
}

TEST_CASE("an owner whose pages are used up begins nothing more") {
    SlowSite site(5, 0ms);
    const DataHome home;
    const Key key = create_key(home, {"--owner", "team", "--pages-per-month", "3"});
    Service service(home);
    const ApiClient client = client_with(service, key);

    CHECK(client.get("/v2/team/credit-usage").json().at("data").at("remainingCredits") == 3);
    const auto status = client.wait_for(begin_crawl(client, site.url()));

    CHECK(status.at("completed") == 3);
    CHECK(client.get("/v2/team/credit-usage").json().at("data").at("remainingCredits") == 0);
    const json::value months = client.get("/v2/team/credit-usage/historical").json().at("periods");
    CHECK(months.at(0).at("creditsUsed") == 3);
    const ApiAnswer refused = client.post("/v2/scrape", fmt::format(R"({{"url":"{}"}})", site.url()));
    CHECK(refused.status == 402);
    CHECK(refused.json().at("code") == "INSUFFICIENT_CREDITS");
    const std::string options = fmt::format(R"({{"urls":["{}"]}})", site.url());
    const ApiAnswer scheduled = client.ask("PUT", "/api/v1/schedules/x",
                                           fmt::format(R"({{"cron":"* * * * *","options":{}}})", options));
    CHECK(scheduled.status == 402);
    CHECK(client.post("/api/v1/crawls", options).status == 402);
}

TEST_CASE("pages that are used up are not fetched, however the work was added") {
    SlowSite site(7, 0ms);
    const DataHome home;
    REQUIRE(home.run({"keys", "limits", "local", "--pages-per-month", "3"}).exit_code == 0);

    const Ran first = home.run({"crawl", site.url(), "--wait", "--json", "--allow-private"});
    const std::size_t asked_for = site.server().requests().size();
    const Ran second = home.run({"crawl", site.url() + "2", "--wait", "--json", "--allow-private"});

    CAPTURE(first.err);
    CHECK(home.pages_of(id_in(first)).size() == 3);
    CHECK(home.pages_of(id_in(second)).empty());
    // robots.txt and sitemaps of the second at most.
    CHECK(site.server().requests().size() <= asked_for + 3);
}

TEST_CASE("an owner who keeps as much as they may has nothing more fetched, and nobody else is held up") {
    SlowSite site(5, 0ms);
    const DataHome home;
    const Key key = create_key(home, {"--owner", "team", "--storage", "100"});
    const Key other = create_key(home, {"--owner", "other"});
    {
        Service service(home);
        const ApiClient client = client_with(service, key);
        // The first look finds nothing kept yet.
        const auto status = client.wait_for(begin_crawl(client, site.url()));
        CHECK(status.at("completed").as_int64() >= 1);
    }
    Service service(home);
    const ApiClient again = client_with(service, key);
    const ApiAnswer refused = again.post("/v2/scrape", fmt::format(R"({{"url":"{}"}})", site.url()));

    CHECK(refused.status == 402);
    CHECK(refused.body.contains("the 100 of pages that team may keep are used up"));
    CHECK(refused.body.contains("quarry forget"));
    const ApiAnswer written = again.post(
        "/api/v1/documents", R"({"pages":[{"url":"http://a.example/","markdown":"Words of a page."}]})");
    CHECK(written.status == 402);
    CHECK(
        client_with(service, other).post("/v2/scrape", fmt::format(R"({{"url":"{}"}})", site.url())).status ==
        200);
    CHECK(home.run({"keys", "limits", "team"}).out.contains("100 of pages kept"));
    CHECK(home.run({"keys", "limits", "team", "--storage", "lots"}).exit_code == 2);
}

TEST_CASE("storage that is used up ends a crawl for lack of it, and more room lets the next go on") {
    SlowSite site(7, 0ms);
    const DataHome home;
    REQUIRE(home.run({"crawl", site.url(), "--wait", "--allow-private", "--limit", "2"}).exit_code == 0);
    REQUIRE(home.run({"keys", "limits", "local", "--storage", "100"}).exit_code == 0);

    const Ran held = home.run({"crawl", site.url() + "3", "--wait", "--json", "--allow-private"});
    CHECK(home.pages_of(id_in(held)).empty());

    REQUIRE(home.run({"keys", "limits", "local", "--storage", "1GB"}).exit_code == 0);
    const Ran going = home.run({"crawl", site.url() + "3", "--wait", "--json", "--allow-private"});
    CHECK_FALSE(home.pages_of(id_in(going)).empty());
}

TEST_CASE("a crawl that counts against nothing cannot be asked for") {
    const DataHome home;
    Service service(home);

    const ApiAnswer begun =
        service.client.post("/api/v1/crawls", R"({"kind":"scrape","urls":["https://a.example/"]})");
    const ApiAnswer scheduled = service.client.ask(
        "PUT", "/api/v1/schedules/x",
        R"({"cron":"* * * * *","options":{"kind":"rescrape","urls":["https://a.example/"]}})");

    CHECK(begun.status == 400);
    CHECK(scheduled.status == 400);
}

TEST_CASE("the first key is its owner's from the moment it was made") {
    const DataHome home;
    Service service(home);
    CHECK(service.client.get("/api/v1/server").json().at("owner") == "local");  // the server knows of no key

    const Key key = create_key(home, {"--owner", "team"});

    CHECK(client_with(service, key).get("/api/v1/server").json().at("owner") == "team");
}

TEST_CASE("what a server says of a crawl is not a client's to say of a schedule") {
    const DataHome home;
    Service service(home);

    const ApiAnswer set = service.client.ask("PUT", "/api/v1/schedules/x",
                                             R"({"cron":"0 0 1 1 *","options":{"urls":["https://a.example/"],
        "keep":{"completedMs":9223372036854775807,"failedMs":1},"request":{"apiKeyId":7,"requestId":"forged"}}})");
    const ApiAnswer schedules = service.client.get("/api/v1/schedules");

    CAPTURE(set.body);
    REQUIRE(set.status == 200);
    CHECK(schedules.body.contains("a.example"));
    CHECK_FALSE(schedules.body.contains("9223372036854775807"));
    CHECK_FALSE(schedules.body.contains("forged"));
}

TEST_CASE("a revoked key ends the event streams that were begun with it") {
    const DataHome home;
    const Key key = create_key(home, {"--owner", "team"}), other = create_key(home, {"--owner", "other"});
    Service service(home);
    const auto follow = [&](const Key& with) {
        RawClient client(service.port());
        client.send(
            fmt::format("GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n\r\n",
                        with.secret));
        CHECK(client.read_until("\r\n\r\n").contains("text/event-stream"));
        return client;
    };
    RawClient stream = follow(key);
    const RawClient other_stream = follow(other);

    CHECK(home.run({"keys", "revoke", std::to_string(key.id)}).exit_code == 0);
    stream.read_all();  // returns: the server hangs up

    CHECK(stream.is_hung_up());
    CHECK_FALSE(other_stream.is_hung_up());
}

TEST_CASE("a revoked key ends the event streams that were begun with it, however much others ask") {
    const DataHome home;
    const Key key = create_key(home, {"--owner", "team"}), other = create_key(home, {"--owner", "other"});
    Service service(home);
    RawClient stream(service.port());
    stream.send(fmt::format(
        "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n\r\n", key.secret));
    REQUIRE(stream.read_until("\r\n\r\n").contains("text/event-stream"));
    const std::jthread busy([&](const std::stop_token& stop) {
        const ApiClient client = client_with(service, other);
        while (!stop.stop_requested()) client.get("/v2/team/queue-status");
    });

    CHECK(home.run({"keys", "revoke", std::to_string(key.id)}).exit_code == 0);
    for (int attempt = 0; attempt < 100 && !stream.is_hung_up(); ++attempt)
        std::this_thread::sleep_for(100ms);

    CHECK(stream.is_hung_up());
}

TEST_CASE("what is about all owners is for the machine's own") {
    const DataHome home;
    const Key team = create_key(home, {"--owner", "team"}), own = create_key(home, {"--owner", "local"});
    Service service(home);

    for (const char* path : {"/metrics", "/api/v1/workers"}) {
        CAPTURE(path);
        CHECK(client_with(service, own).get(path).status == 200);
        CHECK(client_with(service, team).get(path).status == 403);
        CHECK(service.client.get(path).status == 401);
    }
    CHECK(service.client.get("/healthz").status == 200);
    CHECK(service.client.get("/readyz").status == 200);
}

TEST_CASE("no request has what a crawl of this machine was allowed") {
    SlowSite site(2, 0ms);
    const DataHome home;
    REQUIRE(home.run({"crawl", site.url(), "--wait", "--allow-private"}).exit_code == 0);
    const std::uint16_t port = free_port();
    const StartedQuarry server({"serve", "--listen", fmt::format("127.0.0.1:{}", port)}, home.options());
    const ApiClient client(port);
    client.wait_until_ready();
    const std::size_t before = site.server().requests().size();

    const ApiAnswer refreshed = client.post("/knowledge-items/127.0.0.1/refresh", "");

    CHECK(refreshed.status == 403);
    CHECK(site.server().requests().size() == before);
}

TEST_CASE("an owner who asks too often hears when to come back") {
    const DataHome home;
    const Key key = create_key(home, {"--owner", "team", "--requests-per-minute", "6"});
    Service service(home);
    const ApiClient client = client_with(service, key);

    CHECK(client.get("/v2/team/queue-status").status == 200);
    const ApiAnswer second = client.get("/v2/team/queue-status");
    CHECK(second.status == 429);
    CHECK(second.headers.contains("Retry-After: "));
    CHECK(home.run({"keys", "limits", "team"}).out.contains("6 requests a minute"));
}

TEST_CASE("where others can reach it, the server does not start without a key") {
    const DataHome home;
    const Ran refused = home.run({"serve", "--listen", "0.0.0.0:0"});
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.contains("quarry keys create"));
}

TEST_CASE("what was asked is counted for Prometheus") {
    const DataHome home;
    Service service(home);
    CHECK(service.client.get("/v2/team/queue-status").status == 200);
    CHECK(service.client.get("/nowhere").status == 404);

    const ApiAnswer metrics = service.client.get("/metrics");

    CHECK(metrics.status == 200);
    CHECK(metrics.headers.contains("text/plain; version=0.0.4"));
    CHECK(metrics.body.contains("quarry_requests_total{route=\"/v2/team/queue-status\",status=\"200\"} 1\n"));
    CHECK(metrics.body.contains("quarry_requests_total{route=\"\",status=\"404\"} 1\n"));
    CHECK(metrics.body.contains("quarry_outbox{state=\"pending\"} 0\n"));
}

TEST_CASE("what was asked can be looked up, by each owner its own") {
    const DataHome home;
    const Key key = create_key(home, {"--owner", "team"}),
              operator_key = create_key(home, {"--owner", "local"});
    const auto requests_of = [](const ApiClient& client, std::string_view parameters) {
        return client.get(fmt::format("/api/v1/requests{}", parameters)).json().at("requests").as_array();
    };
    {
        Service service(home);
        CHECK(client_with(service, operator_key).get("/nowhere").status == 404);
        CHECK(client_with(service, key).get("/v2/team/queue-status").status == 200);
        CHECK(service.stop() == 0);
    }
    Service service(home);
    const ApiClient team = client_with(service, key), own_machine = client_with(service, operator_key);

    const json::array all = requests_of(own_machine, "");
    const json::array failed = requests_of(own_machine, "?least_status=404");
    const json::array own = requests_of(team, "");

    CHECK(all.size() >= 3);
    const auto ready = std::ranges::find_if(all, [](const json::value& request) {
        return request.at("route") == "/readyz";  // which anybody may ask: it is nobody's
    });
    REQUIRE(ready != all.end());
    CHECK(ready->at("owner") == "");
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].at("path") == "/nowhere");
    CHECK(failed[0].at("status_code") == 404);
    CHECK(failed[0].at("client_ip") == "127.0.0.1");
    CHECK(failed[0].at("method") == "GET");
    REQUIRE(own.size() == 1);
    CHECK(own[0].at("route") == "/v2/team/queue-status");
    CHECK(own_machine.get("/api/v1/requests/days").status == 200);
    CHECK(team.get("/api/v1/requests/days").status == 403);
    CHECK(team.get("/api/v1/sessions/days").status == 403);
}
