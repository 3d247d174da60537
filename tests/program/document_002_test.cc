// A queue of crawls behind an API, as its design was written down: requests, answers, order and ends are
// those of that document; states, leases and heartbeats have quarry's words (docs/knowledge.md).
#include <condition_variable>
#include <map>
#include <mutex>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/service.h"
#include "servers/hostile_server.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

// A site of pages without links, of which /held is not answered before it is let go.
class Site {
public:
    Site() {
        server_.on("/*", [this](const ServerRequest& request, Connection& connection) {
            if (request.path == "/held") wait();
            connection.respond(
                200, {{"Content-Type", "text/html"}},
                fmt::format("<title>{0}</title><article><p>Words of {0}.</p></article>", request.path));
        });
    }
    ~Site() { let_go(); }

    std::string url(std::string_view path) const { return server_.url(path); }
    void let_go() {
        const std::lock_guard lock(mutex_);
        is_free_ = true;
        changed_.notify_all();
    }

private:
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_free_; });
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_free_ = false;
    HostileServer server_;
};

std::string begin(const Service& service, const std::string& body) {
    const ApiAnswer answer = service.client.post("/knowledge-items/crawl", body);
    CAPTURE(answer.body);
    REQUIRE(answer.status == 200);
    return std::string(answer.json().at("job_id").as_string());
}

json::value progress_of(const Service& service, const std::string& id) {
    return service.client.get("/crawl-progress/" + id).json();
}

json::value until_over(const Service& service, const std::string& id) {
    while (true) {
        json::value progress = progress_of(service, id);
        const json::value& status = progress.at("status");
        if (status != "pending" && status != "processing") return progress;
    }
}

}  // namespace

TEST_CASE("a crawl is enqueued, answered with its id, and followed by it; what was said of it comes back") {
    Site site;
    site.let_go();
    const DataHome home;
    Service service(home);

    const json::value begun =
        service.client
            .post("/knowledge-items/crawl",
                  fmt::format(R"({{"url":"{}","max_depth":1,"priority":5,"source_id":"handbook",)"
                              R"("user_id":"5B0E5D2C-8A41-4F0E-9D6B-717561727279",)"
                              R"("strategies":["sitemap","links"],"tags":{{"team":"docs"}}}})",
                              site.url("/guide")))
            .json();
    REQUIRE(begun.at("success") == true);
    // The id of the job is the id of its progress.
    CHECK(begun.at("job_id") == begun.at("progressId"));
    const std::string id(begun.at("job_id").as_string());
    const json::value progress = until_over(service, id);

    CHECK(progress.at("status") == "completed");
    CHECK(progress.at("progress") == 100);
    for (const json::value* answer : {&begun, &progress}) {
        CHECK(answer->at("source_id") == "handbook");
        CHECK(answer->at("user_id") == "5B0E5D2C-8A41-4F0E-9D6B-717561727279");
        CHECK(answer->at("payload").at("strategies").at(1) == "links");
        CHECK(answer->at("payload").at("tags").at("team") == "docs");
        CHECK(answer->at("payload").at("priority") == 5);
    }
    // A source is found by the name that its client gave it, and keeps what was said of it.
    const json::value again = service.client.post("/knowledge-items/handbook/refresh", "").json();
    REQUIRE(again.at("success") == true);
    CHECK(again.at("job_id") != begun.at("job_id"));
    CHECK(again.at("source_id") == "handbook");
}

TEST_CASE("the larger priority comes first, then who came first") {
    Site site;
    const DataHome home;
    Service service(home, free_port(), {"QUARRY_CRAWL_MAX_ACTIVE=1"});
    const auto crawl = [&](std::string_view path, std::string_view priority) {
        return begin(service, fmt::format(R"({{"url":"{}"{}}})", site.url(path), priority));
    };
    const std::string held = crawl("/held", "");
    while (progress_of(service, held).at("status") != "processing") {
    }
    const std::vector<std::string> waiting = {
        crawl("/low", R"(,"priority":-3)"), crawl("/none", ""), crawl("/five", R"(,"priority":5)"),
        crawl("/nine", R"(,"priority":9)"), crawl("/nine-again", R"(,"priority":9)")};
    for (const std::string& id : waiting) CHECK(progress_of(service, id).at("status") == "pending");
    site.let_go();
    for (const std::string& id : waiting) CHECK(until_over(service, id).at("status") == "completed");

    std::map<std::string, std::string> urls_by_start;
    const json::value crawls = service.client.get("/api/v1/crawls?limit=10").json().at("crawls");
    for (const json::value& one : crawls.as_array()) {
        std::string path(one.at("url").as_string());
        path.erase(0, path.rfind('/'));
        urls_by_start[std::string(one.at("started_at").as_string()) + path] = path;
    }
    std::vector<std::string> order;
    for (const auto& [start, path] : urls_by_start) order.push_back(path);
    CHECK(order == std::vector<std::string>{"/held", "/nine", "/nine-again", "/five", "/none", "/low"});
}

TEST_CASE("a crawl is stopped, and then cancelled") {
    Site site;
    const DataHome home;
    Service service(home);
    const std::string id = begin(service, fmt::format(R"({{"url":"{}"}})", site.url("/held")));

    const ApiAnswer stopped = service.client.post("/knowledge-items/stop/" + id, "");

    CHECK(stopped.status == 200);
    CHECK(progress_of(service, id).at("status") == "cancelled");
}

TEST_CASE("a crawl that a dead worker had goes on in the next") {
    Site site;
    const DataHome home;
    const std::uint16_t port = free_port();
    std::string id;
    {
        Service service(home, port);
        id = begin(service, fmt::format(R"({{"url":"{}"}})", site.url("/held")));
        while (progress_of(service, id).at("currentUrl").is_null()) {
        }
        service.kill();
    }
    site.let_go();

    Service next(home, port);

    CHECK(until_over(next, id).at("processedPages") == 1);
}

TEST_CASE("a crawl is not over while its pages cannot be found, and says why") {
    Site site;
    site.let_go();
    const DataHome home;
    Service service(home, free_port(), {"TEI_URL=http://127.0.0.1:9"});
    const std::string id = begin(service, fmt::format(R"({{"url":"{}"}})", site.url("/guide")));

    json::value progress = progress_of(service, id);
    while (progress.at("waitingReason").is_null()) progress = progress_of(service, id);

    CHECK(progress.at("status") == "processing");
    CHECK(progress.at("progress") == 99);
    CHECK(progress.at("processedPages") == 1);
    CHECK(progress.at("waitingPages") == 1);
    CHECK(std::string_view(progress.at("waitingReason").as_string()).contains("127.0.0.1:9"));
}

TEST_CASE("keys and quotas are looked at before anything is enqueued") {
    Site site;
    site.let_go();
    const DataHome home;
    const Ran key =
        home.run({"keys", "create", "--owner", "team", "--name", "test", "--pages-per-month", "1", "--json"});
    REQUIRE(key.exit_code == 0);
    Service service(home);
    const std::string body = fmt::format(R"({{"url":"{}"}})", site.url("/guide"));

    CHECK(service.client.post("/knowledge-items/crawl", body).status == 401);
    const ApiClient stranger(service.port(), "Authorization: Bearer nobody\r\n");
    CHECK(stranger.post("/knowledge-items/crawl", body).status == 401);
    const ApiClient team(service.port(),
                         fmt::format("Authorization: Bearer {}\r\n",
                                     json::parse(key.out).at("data").at("key").as_string().c_str()));
    const ApiAnswer begun = team.post("/knowledge-items/crawl", body);
    REQUIRE(begun.status == 200);
    const std::string id(begun.json().at("job_id").as_string());
    while (team.get("/crawl-progress/" + id).json().at("processedPages") != 1) {
    }
    CHECK(team.post("/knowledge-items/crawl", body).status == 402);
    CHECK(team.get("/api/v1/crawls").json().at("crawls").as_array().size() == 1);
}

TEST_CASE("what cannot be is refused with what can") {
    const DataHome home;
    Service service(home);
    struct Row {
        const char* body;
        const char* field;
        const char* sentence;
    };
    const Row rows[] = {
        {R"({})", "url", "is missing"},
        {R"({"url":"notaurl:"})", "url", "no http or https URL"},
        {R"({"url":"https://a.example/","priority":1001})", "priority", "from -1000 to 1000"},
        {R"({"url":"https://a.example/","priority":"high"})", "priority", "a whole number"},
        {R"({"url":"https://a.example/","max_depth":-1})", "max_depth", "from 0 to 1000"},
        {R"({"url":"https://a.example/","limit":0})", "limit", "from 1 to 1000000"},
        {R"({"url":"https://a.example/","source_id":7})", "source_id", "a text"},
    };
    for (const Row& row : rows) {
        const ApiAnswer answer = service.client.post("/knowledge-items/crawl", row.body);
        CAPTURE(answer.body);
        CHECK(answer.status == 400);
        CHECK(answer.body.find(row.field) != std::string::npos);
        CHECK(answer.body.find(row.sentence) != std::string::npos);
    }
    CHECK(service.client.get("/crawl-progress/nosuch").status == 400);
    CHECK(service.client.get("/crawl-progress/0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10").status == 404);
    CHECK(service.client.post("/knowledge-items/search", R"({"query":"x","match_count":101})").status == 400);
}
