// Keys, owners and quotas of `quarry serve`.
#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

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
    CHECK(service.client.get(path).status == 404);
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
    CHECK(service.client.get("/v2/team/credit-usage").status == 200);

    CHECK(home.run({"keys", "revoke", std::to_string(key.id)}).exit_code == 0);
    // Without any key there is nothing to be compared: make one, so that it is not the last.
    create_key(home, {"--owner", "other"});
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
    const Key key = create_key(home, {"--owner", "team"});
    const auto requests_of = [](const ApiClient& client, std::string_view parameters) {
        return client.get(fmt::format("/api/v1/requests{}", parameters)).json().at("requests").as_array();
    };
    {
        Service service(home);
        CHECK(service.client.get("/nowhere").status == 404);
        CHECK(client_with(service, key).get("/v2/team/queue-status").status == 200);
        CHECK(service.stop() == 0);
    }
    Service service(home);
    const ApiClient team = client_with(service, key);

    const json::array all = requests_of(service.client, "");
    const json::array failed = requests_of(service.client, "?least_status=400");
    const json::array own = requests_of(team, "");

    CHECK(all.size() >= 3);  // also those that asked whether the server is ready
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].at("path") == "/nowhere");
    CHECK(failed[0].at("status_code") == 404);
    CHECK(failed[0].at("client_ip") == "127.0.0.1");
    CHECK(failed[0].at("method") == "GET");
    REQUIRE(own.size() == 1);
    CHECK(own[0].at("route") == "/v2/team/queue-status");
    CHECK(service.client.get("/api/v1/requests/days").status == 200);
    CHECK(team.get("/api/v1/requests/days").status == 403);
    CHECK(team.get("/api/v1/sessions/days").status == 403);
}
