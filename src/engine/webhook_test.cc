// Crawls that tell of themselves, and a receiver that listens.
#include <algorithm>
#include <semaphore>
#include <set>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "engine/crawl_site_test.h"
#include "work/jobs/webhooks.h"

using namespace quarry;
using namespace quarry::work;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

std::string header_of(const test::ServerRequest& request, std::string_view name) {
    return std::string(header_value(request.headers, name));
}

class ToldSite : public CrawlSite {
public:
    test::HostileServer receiver;
    WebhookTools tools{.client = client.get(), .secret = "hush", .waits = {1ms, 1ms, 1ms}};

    ToldSite() {
        answer(200);
        tools.document = [](const StoredPage& page, const Formats&) {
            return json::object{{"markdown", page.content->markdown},
                                {"metadata", {{"sourceURL", page.facts.url}}}};
        };
    }
    void answer(int status) {
        receiver.on("/hook", [=](const test::ServerRequest&, test::Connection& connection) {
            connection.respond(status, {}, "");
        });
    }
    crawl::CrawlOptions told_options(std::vector<std::string> events = crawl::Webhook{}.events) const {
        crawl::CrawlOptions told = options();
        told.webhook = crawl::Webhook{.url = receiver.url("/hook"),
                                      .headers = {{"X-Mine", "yes"}},
                                      .metadata = {{"run", "7"}},
                                      .events = std::move(events)};
        return told;
    }
    Result<void> tell(const RunUntil& until = {.drained = true}) {
        EngineConfig wanted = config();
        wanted.crawls.policy.allow_private = true;
        wanted.webhooks = tools;
        Engine engine(*store, fetcher, std::move(wanted));
        return engine.run(until, {});
    }
    std::vector<json::object> messages() {
        std::vector<json::object> all;
        for (const test::ServerRequest& request : receiver.requests())
            all.push_back(json::parse(request.body).as_object());
        return all;
    }
    // "crawl.page /a", in order.
    std::vector<std::string> told() {
        std::vector<std::string> lines;
        for (const json::object& message : messages()) {
            std::string line(message.at("type").as_string());
            for (const json::value& document : message.at("data").as_array()) {
                std::string url(document.at("metadata").at("sourceURL").as_string());
                line += " " + url.substr(server.url("").size());
            }
            lines.push_back(std::move(line));
        }
        std::ranges::sort(lines);
        return lines;
    }
    std::vector<Job> webhook_jobs() const {
        return reader()->jobs({.filter = {.kind = std::string(send_webhook_kind)}}).value();
    }
};

}  // namespace

TEST_CASE("a message has what receivers look for, and leaves out what there is nothing of") {
    WebhookMessage message{.type = "crawl.started", .id = "a", .webhook_id = "b"};
    CHECK(body_of(message) ==
          R"({"success":true,"type":"crawl.started","id":"a","webhookId":"b","data":[]})");

    message.success = false;
    message.data.push_back("x");
    message.error = "why";
    message.metadata = {{"run", "7"}};
    CHECK(body_of(message) ==
          R"({"success":false,"type":"crawl.started","id":"a","webhookId":"b","data":["x"],"error":"why",)"
          R"("metadata":{"run":"7"}})");
}

// The second test case of RFC 4231.
TEST_CASE("a signature is the HMAC-SHA-256 of the body under the secret") {
    CHECK(signature_of("Jefe", "what do ya want for nothing?") ==
          "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST_CASE("a job that does not say what it is about is damaged") {
    for (const char* payload : {"", "[]", "{}", R"({"group":"1"})", "{"})
        CHECK(parse_webhook_job(payload).error().code == ErrorCode::corrupt);
    CHECK(parse_webhook_job(R"({"group":1,"url":2})")->url == JobId{2});
    CHECK(parse_webhook_job(R"({"group":1,"state":"failed"})")->state == JobState::failed);
}

TEST_CASE_FIXTURE(ToldSite, "a crawl tells of its start, every page and its end, signed") {
    linked("/", {"/a", "/b"});
    linked("/a", {});
    linked("/b", {});
    const GroupId id = start_crawl(*store, told_options()).value();

    REQUIRE(tell());

    CHECK(group(id).state == JobState::completed);
    CHECK(told() == std::vector<std::string>{"crawl.completed", "crawl.page /", "crawl.page /a",
                                             "crawl.page /b", "crawl.started"});
    std::set<std::string> ids, crawls;
    for (const json::object& message : messages()) {
        CHECK(message.at("success") == true);
        CHECK(message.at("metadata").at("run") == "7");
        ids.emplace(message.at("webhookId").as_string());
        crawls.emplace(message.at("id").as_string());
        if (message.at("type") == "crawl.page")
            CHECK(message.at("data").at(0).at("markdown").as_string().find("words of the page") !=
                  json::string::npos);
    }
    CHECK(ids.size() == 5);
    CHECK(crawls.size() == 1);
    for (const test::ServerRequest& request : receiver.requests()) {
        CHECK(request.method == "POST");
        CHECK(header_of(request, "x-firecrawl-signature") == signature_of("hush", request.body));
        CHECK(header_of(request, "content-type") == "application/json");
        CHECK(header_of(request, "x-mine") == "yes");
    }
}

TEST_CASE_FIXTURE(ToldSite, "only what was asked for is told, and without a secret nothing is signed") {
    linked("/", {"/a"});
    linked("/a", {});
    tools.secret.clear();
    start_crawl(*store, told_options({"completed"})).value();

    REQUIRE(tell());

    CHECK(told() == std::vector<std::string>{"crawl.completed"});
    CHECK(header_of(receiver.requests().at(0), "x-firecrawl-signature").empty());
}

TEST_CASE_FIXTURE(ToldSite, "a page that could not be fetched is told with the reason") {
    linked("/", {"/gone"});
    start_crawl(*store, told_options({"page"})).value();

    REQUIRE(tell());

    CHECK(told() == std::vector<std::string>{"crawl.page /", "crawl.page /gone"});
    for (const json::object& message : messages()) {
        if (message.at("success") == true) continue;
        CHECK(message.at("error") == "HTTP 404 Not Found");
        CHECK(message.at("data").at(0).at("metadata").at("statusCode") == 404);
    }
}

TEST_CASE_FIXTURE(ToldSite, "a page that is another's copy is not told of") {
    linked("/", {"/a?view=print", "/a"});
    page("/a", "<link rel=canonical href=/a><p>The same words in both pages, word for word.</p>");
    page("/a?view=print", "<link rel=canonical href=/a><p>The same words in both pages, word for word.</p>");
    const GroupId id = start_crawl(*store, told_options({"page"})).value();

    REQUIRE(tell());

    CHECK(group(id).counters.completed == 2);
    CHECK(messages().size() == 2);
}

TEST_CASE_FIXTURE(ToldSite, "a receiver that fails is told again, under the same id") {
    linked("/", {});
    std::atomic<int> requests = 0;
    receiver.on("/hook", [&](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(++requests < 3 ? 500 : 204, {}, "");
    });
    start_crawl(*store, told_options({"page"})).value();

    REQUIRE(tell());

    const auto all = messages();
    REQUIRE(all.size() == 3);
    CHECK(all[0] == all[1]);
    CHECK(all[1] == all[2]);
    REQUIRE(webhook_jobs().size() == 3);  // with those of the start and the end, which told nobody
    for (const Job& job : webhook_jobs()) CHECK(job.state == JobState::completed);
}

TEST_CASE_FIXTURE(ToldSite, "a message is given up after four tries, and a redirect is none that succeeded") {
    linked("/", {});
    receiver.on("/hook", [](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(302, {{"Location", "/elsewhere"}}, "");
    });
    const GroupId id = start_crawl(*store, told_options({"page"})).value();

    REQUIRE(tell());

    CHECK(group(id).state == JobState::completed);
    CHECK(receiver.count_requests("/hook") == 4);
    CHECK(receiver.count_requests("/elsewhere") == 0);
    const auto jobs = webhook_jobs();
    const auto failed = std::ranges::find(jobs, JobState::failed, &Job::state);
    REQUIRE(failed != jobs.end());
    CHECK(failed->attempts == 4);
    CHECK(failed->last_error == "the receiver answered HTTP 302");
}

TEST_CASE_FIXTURE(ToldSite, "nobody is told at an address that may not be connected to") {
    linked("/", {});
    crawl::CrawlOptions told = told_options({"page"});
    told.allow_private = false;
    start_crawl(*store, told).value();

    REQUIRE(tell());

    CHECK(receiver.requests().empty());
    const auto jobs = webhook_jobs();
    const auto failed = std::ranges::find(jobs, JobState::failed, &Job::state);
    REQUIRE(failed != jobs.end());
    CHECK(failed->last_error.find("loopback") != std::string::npos);
}

TEST_CASE_FIXTURE(ToldSite, "who cancels a crawl tells of it, if that was asked for") {
    const GroupId told = start_crawl(*store, told_options({"cancelled"})).value();
    const GroupId untold = start_crawl(*store, told_options()).value();
    REQUIRE(store->cancel(told));
    REQUIRE(store->cancel(untold));

    REQUIRE(tell());

    const auto all = messages();
    const auto cancelled = std::ranges::find(all, json::value("crawl.cancelled"),
                                             [](const json::object& message) { return message.at("type"); });
    REQUIRE(cancelled != all.end());
    CHECK(cancelled->at("success") == false);
    CHECK(cancelled->at("error") == "it was cancelled");
    CHECK(std::ranges::count(all, json::value("crawl.cancelled"),
                             [](const json::object& message) { return message.at("type"); }) == 1);
}

TEST_CASE_FIXTURE(ToldSite, "a receiver that hangs holds up no crawl") {
    linked("/", {"/a", "/b"});
    linked("/a", {});
    linked("/b", {});
    std::counting_semaphore<> may_answer(0);
    receiver.on("/hook", [&](const test::ServerRequest&, test::Connection& connection) {
        may_answer.acquire();
        connection.respond(200, {}, "");
    });
    const GroupId id = start_crawl(*store, told_options()).value();

    REQUIRE(tell({.enough = [&] {
        const bool is_over = group(id).is_over();
        if (is_over) may_answer.release(100);
        return is_over;
    }}));

    CHECK(group(id).state == JobState::completed);
    CHECK(group(id).counters.completed == 3);
}

TEST_CASE_FIXTURE(ToldSite, "what one worker did not send, the next one sends") {
    linked("/", {"/a"});
    linked("/a", {});
    const GroupId id = start_crawl(*store, told_options()).value();
    REQUIRE(run({.enough = [&] { return group(id).is_over(); }}));
    CHECK(receiver.requests().empty());

    REQUIRE(tell());

    CHECK(told() ==
          std::vector<std::string>{"crawl.completed", "crawl.page /", "crawl.page /a", "crawl.started"});
}
