// News of changed pages, told to `quarry serve`.
#include <chrono>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/guarded.h"
#include "program/service.h"
#include "servers/hostile_server.h"

using namespace quarry;
using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

class ChangingPage {
public:
    ChangingPage() {
        server_.on("/pricing", [this](const ServerRequest&, Connection& connection) {
            const std::string words = words_.with([](const std::string& text) { return text; });
            connection.respond(200, {{"Content-Type", "text/html"}},
                               "<title>Pricing</title><main><p>" + words + "</p></main>");
        });
    }
    void say(const std::string& words) {
        words_.with([&](std::string& text) { text = words; });
    }
    std::string url(std::string_view path = "/pricing") const { return server_.url(path); }

private:
    Guarded<std::string> words_;
    HostileServer server_;
};

// The newest event, once what it caused is over.
json::object settled_event(const Service& service, bool is_indexed) {
    for (int tries = 0; tries < 600; ++tries) {
        const json::value newest = service.client.get("/api/v1/change-events?limit=1").json();
        const json::object& event = newest.at("events").at(0).as_object();
        const json::string& status = event.at("rescrape_status").as_string();
        const bool is_over = status != "queued" && status != "running";
        if (is_over && (!is_indexed || !event.at("indexed_at").is_null())) return event;
        std::this_thread::sleep_for(100ms);  // between two questions
    }
    FAIL("the page was not fetched again");
    return {};
}

std::string event_about(const std::string& url, std::string_view id) {
    return fmt::format(R"({{"watch_id":"{}","watch_url":"{}","detected_at":"2026-11-16T12:00:00Z",
        "diff_summary":"+ a plan","snapshot_url":"https://watch.example/17","metadata":{{"tag":"plans"}},
        "collection":"docs"}})",
                       id, url);
}

}  // namespace

TEST_CASE("a page that has changed is fetched and indexed again, and its event says so") {
    ChangingPage page;
    const DataHome home;
    Service service(home);
    page.say("The wombat plan costs ten coins every month, and nothing in winter.");
    const auto taken = service.client.post("/api/v1/change-events", event_about(page.url(), "first"));
    CAPTURE(taken.body);
    REQUIRE(taken.status == 200);
    const json::object first = settled_event(service, true);

    page.say("The numbat plan costs twenty coins every month, and forty in winter.");
    REQUIRE(service.client.post("/api/v1/change-events", event_about(page.url(), "second")).status == 200);
    const json::object second = settled_event(service, true);

    CHECK(taken.json().at("rescrape_job_id").as_string() == first.at("rescrape_job_id").as_string());
    CHECK(first.at("watch_id") == "first");
    CHECK(first.at("watch_url").as_string() == page.url());
    CHECK(first.at("detected_at") == "2026-11-16T12:00:00Z");
    CHECK(first.at("diff_summary") == "+ a plan");
    CHECK(first.at("snapshot_url") == "https://watch.example/17");
    CHECK(first.at("metadata").at("tag") == "plans");
    CHECK(first.at("collection") == "docs");
    CHECK(first.at("rescrape_status") == "completed");
    CHECK(second.at("watch_id") == "second");
    const auto all = service.client.get("/api/v1/change-events").json();
    CHECK(all.at("events").as_array().size() == 2);
    CHECK(all.at("next").is_null());
    const Ran found = home.run({"search", "numbat", "--collection", "docs"});
    CHECK(found.out.find("numbat") != std::string::npos);
    const Ran gone = home.run({"search", "wombat", "--collection", "docs"});
    CHECK(gone.out.find("wombat") == std::string::npos);
}

TEST_CASE("a page that cannot be fetched again leaves an event that failed, with the reason") {
    ChangingPage page;
    const DataHome home;
    Service service(home);
    REQUIRE(service.client.post("/api/v1/change-events", event_about(page.url("/no"), "gone")).status == 200);

    const json::object event = settled_event(service, false);

    CHECK(event.at("rescrape_status") == "failed");
    CHECK(event.at("rescrape_error") == "HTTP 404 Not Found");
    CHECK(event.at("indexed_at").is_null());
}

TEST_CASE("an event has to say what it is about") {
    const DataHome home;
    Service service(home);
    for (const char* body :
         {R"({"watch_url":"http://a.example"})", R"({"watch_id":"a"})",
          R"({"watch_id":7,"watch_url":"http://a.example"})", R"({"watch_id":"a","watch_url":"nowhere://x"})",
          R"({"watch_id":"a","watch_url":"http://a.example","metadata":"x"})"}) {
        CAPTURE(body);
        CHECK(service.client.post("/api/v1/change-events", body).status == 400);
    }
    CHECK(service.client.get("/api/v1/change-events?limit=x").status == 400);
    CHECK(service.client.get("/api/v1/change-events?before=x").status == 400);
    CHECK(service.client.get("/api/v1/change-events").json().at("events").as_array().empty());
}
