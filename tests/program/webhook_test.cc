// Webhooks of `quarry serve`, received over HTTP by this test.
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/sha256.h"
#include "program/service.h"
#include "program/slow_site.h"

using namespace quarry;
using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr std::string_view secret = "hush";
constexpr auto patience = 60s;

// Answers every message with 500 at first, and accepts it when it comes again.
class Receiver {
public:
    Receiver() {
        server_.on("/hook", [this](const ServerRequest& request, Connection& connection) {
            connection.respond(is_taken(request) ? 200 : 500, {}, "");
        });
    }

    std::string url() const { return server_.url("/hook"); }

    // Both functions fail the test if the wait takes too long.
    void wait_for_refusals(std::size_t count) {
        std::unique_lock lock(mutex_);
        REQUIRE(changed_.wait_for(lock, patience, [&] { return bodies_.size() >= count; }));
    }
    std::set<std::string> wait_for_taken(std::size_t count) {
        std::unique_lock lock(mutex_);
        const bool came = changed_.wait_for(lock, patience, [&] { return taken_.size() >= count; });
        CAPTURE(taken_.size());
        REQUIRE(came);
        return taken_;
    }
    std::vector<std::string> complaints() {
        std::lock_guard lock(mutex_);
        return complaints_;
    }

private:
    bool is_taken(const ServerRequest& request) {
        const json::value message = json::parse(request.body);
        const std::string id(message.at("webhookId").as_string());
        const std::string signature = "sha256=" + hex_of(hmac_sha256(secret, request.body));
        std::lock_guard lock(mutex_);
        if (header_value(request.headers, "x-firecrawl-signature") != signature)
            complaints_.push_back("a wrong signature under " + request.body);
        const auto [known, is_new] = bodies_.emplace(id, request.body);
        if (known->second != request.body) complaints_.push_back("other words under the same id");
        if (!is_new) taken_.insert(line_of(message));
        changed_.notify_all();
        return !is_new;
    }
    // "crawl.page http://…"
    static std::string line_of(const json::value& message) {
        std::string line(message.at("type").as_string());
        for (const json::value& document : message.at("data").as_array())
            line += " " + std::string(document.at("metadata").at("sourceURL").as_string());
        return line;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, std::string> bodies_;  // by webhookId
    std::set<std::string> taken_;
    std::vector<std::string> complaints_;
    HostileServer server_;  // destroyed first: its threads use the other members
};

void write_settings(const DataHome& home, std::string_view retries) {
    std::filesystem::create_directories(home.file(".config/quarry"));
    std::ofstream(home.file(".config/quarry/quarry.toml"))
        << fmt::format("[webhook]\nsecret = \"{}\"\nretries = \"{}\"\n", secret, retries);
}

}  // namespace

TEST_CASE("every page's webhook arrives though the receiver fails at first and the server is killed") {
    SlowSite site(20, 20ms);
    Receiver receiver;
    const DataHome home;
    write_settings(home, "1s");
    {
        Service service(home);
        const auto begun = service.client.post(
            "/v2/crawl", json::serialize(json::object{{"url", site.url()}, {"webhook", receiver.url()}}));
        CAPTURE(begun.body);
        REQUIRE(begun.status == 200);
        receiver.wait_for_refusals(4);
        service.kill();
    }

    Service service(home);
    std::set<std::string> expected{"crawl.started", "crawl.completed"};
    for (const std::string& url : site.all_urls()) expected.insert("crawl.page " + url);

    CHECK(receiver.wait_for_taken(expected.size()) == expected);
    CHECK(receiver.complaints().empty());
    CHECK(service.stop() == 0);
}

TEST_CASE("a batch tells of its pages, and of its end by whoever cancels it") {
    SlowSite site(2, 0ms);
    SlowSite endless(300, 50ms);
    Receiver receiver;
    const DataHome home;
    write_settings(home, "1ms");
    Service service(home);
    const json::object webhook{{"url", receiver.url()},
                               {"events", {"batch_scrape.page", "crawl.cancelled"}},
                               {"metadata", {{"run", "7"}}}};

    const auto batch = service.client.post(
        "/v2/batch/scrape", json::serialize(json::object{{"urls", {site.url()}}, {"webhook", webhook}}));
    REQUIRE(batch.status == 200);
    const auto crawl = service.client.post(
        "/v2/crawl", json::serialize(json::object{{"url", endless.url()}, {"webhook", webhook}}));
    REQUIRE(crawl.status == 200);
    endless.wait_for_requests(1);
    CHECK(service.client.del("/v2/crawl/" + std::string(crawl.json().at("id").as_string())).status == 200);

    CHECK(receiver.wait_for_taken(2) ==
          std::set<std::string>{"batch_scrape.page " + site.url(), "crawl.cancelled"});
    CHECK(receiver.complaints().empty());
}

TEST_CASE("a webhook that may not be sent is refused when it is asked for") {
    const DataHome home;
    Service service(home);
    const char* refused[] = {
        R"("ftp://a.example/")",
        R"({"url":"http://a.example","headers":{"X-Firecrawl-Signature":"mine"}})",
        R"({"url":"http://a.example","events":["nothing"]})",
        // Cloud providers serve credentials here. Only a setting that names the address allows it.
        R"("http://169.254.169.254/latest")",
    };
    for (const char* webhook : refused) {
        CAPTURE(webhook);
        const auto answer = service.client.post(
            "/v2/crawl", fmt::format(R"({{"url":"http://a.example","webhook":{}}})", webhook));
        CHECK(answer.status == 400);
        CHECK(answer.json().at("error").as_string().find("webhook") != json::string::npos);
    }
}
