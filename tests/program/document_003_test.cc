// SQL that was written for Firecrawl's database, on what `quarry serve` has done: how a scrape, a crawl and
// their operations are recorded, and how long they are kept. The document's own queries are run in
// src/store/postgres/schema/sample_queries_test.cc.
#include <algorithm>
#include <fstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "db/postgres/connection.h"
#include "program/service.h"
#include "servers/hostile_server.h"
#include "servers/postgres.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr std::string_view trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

// Three pages and a sitemap.
class PagesSite {
public:
    PagesSite() {
        server_.on("/*", [this](const ServerRequest& request, Connection& connection) {
            connection.respond(
                200, {{"Content-Type", request.path == "/sitemap.xml" ? "application/xml" : "text/html"}},
                body_of(request.path));
        });
    }
    std::string url(std::string_view path = "/") const { return server_.url(path); }
    std::vector<ServerRequest> requests() { return server_.requests(); }

private:
    std::string body_of(const std::string& path) const {
        if (path == "/hook") return "";
        if (path == "/robots.txt") return "Sitemap: " + url("/sitemap.xml");
        if (path == "/sitemap.xml")
            return fmt::format("<urlset><url><loc>{}</loc></url></urlset>", url("/listed"));
        return fmt::format(
            "<title>Title of {0}</title>"
            "<script "
            "type='application/ld+json'>{{\"@type\":\"Product\",\"name\":\"Mug\"}}</"
            "script><article><h1>Heading</h1><p>Words of {0}. "
            "<a href='/next'>Next</a> <a href='https://b.example/'>Other</a></p></article>",
            path);
    }

    HostileServer server_;
};

// A server on a PostgreSQL of its own, and somebody who asks that in SQL.
struct Recorded {
    PagesSite site;
    DataHome home;
    std::string url;
    std::unique_ptr<Service> service;
    std::unique_ptr<quarry::db::PgConnection> sql;

    explicit Recorded(std::vector<std::string> environment = {}) {
        Postgres* const server = Postgres::shared();
        if (!server) {
            MESSAGE("skipped: PostgreSQL is not installed");
            return;
        }
        url = server->url(server->create_database());
        environment.push_back("QUARRY_STORE=" + url);
        service = std::make_unique<Service>(home, free_port(), environment);
        sql =
            std::make_unique<quarry::db::PgConnection>(quarry::db::PgConnection::open({.url = url}).value());
    }
    bool is_there() const { return sql != nullptr; }

    ApiAnswer post(std::string_view path, const std::string& body) const {
        return ApiClient(service->port(), fmt::format("traceparent: {}\r\nX-Request-Id: req-7\r\n", trace))
            .post(path, body);
    }
    std::string crawl(const std::string& more) const {
        const ApiAnswer begun = post("/v2/crawl", fmt::format(R"({{"url":"{}"{}}})", site.url(), more));
        CAPTURE(begun.body);
        REQUIRE(begun.status == 200);
        return std::string(begun.json().at("id").as_string());
    }
    json::array rows(const std::string& query) const {
        const auto found =
            sql->query("select coalesce(json_agg(row), '[]')::text from (" + query + ") as row");
        if (!found) FAIL(found.error().message);
        return json::parse(found->text(0, 0)).as_array();
    }
    // Once there are so many.
    json::array wait_for(const std::string& query, std::size_t count) const {
        while (true)
            if (json::array found = rows(query); found.size() >= count) return found;
    }
};

std::string_view text_of(const json::value& value) {
    return value.is_string() ? std::string_view(value.get_string()) : std::string_view("not a text");
}

}  // namespace

TEST_CASE("a scrape is a row with what was asked, by whom, and all that came of it") {
    Recorded work;
    if (!work.is_there()) return;
    const ApiAnswer scraped = work.post(
        "/v2/scrape",
        fmt::format(R"({{"url":"{}","formats":["markdown","html","links"],"origin":"js-sdk@4.42.0",)"
                    R"("location":{{"country":"DE","languages":["de"]}}}})",
                    work.site.url("/page")));
    REQUIRE(scraped.status == 200);

    const json::array rows = work.rows(
        "select id, data, returnvalue from nuq.queue_scrape where status = 'completed'"
        " and created_at > now() - interval '1 hour' and group_id is null");

    REQUIRE(rows.size() == 1);
    const json::value& data = rows[0].at("data");
    CHECK(data.at("mode") == "single_urls");
    CHECK(data.at("origin") == "js-sdk@4.42.0");
    CHECK(data.at("apiKeyId").is_null());
    CHECK(data.at("v1") == false);
    CHECK(data.at("is_scrape") == true);
    CHECK(data.at("zeroDataRetention") == false);
    CHECK(data.at("internalOptions").at("requestId") == "req-7");
    CHECK(data.at("location").at("country") == "DE");
    CHECK(text_of(data.at("traceContext").at("traceparent")) == trace);
    const json::value& page = rows[0].at("returnvalue");
    CHECK(page.at("markdown") == page.at("content"));
    CHECK(text_of(page.at("html")).contains("<p>Words of /page."));
    CHECK(page.at("metadata").at("title") == "Title of /page");
    CHECK(page.at("linksOnPage").as_array().size() == 2);
    REQUIRE(page.at("childrenLinks").as_array().size() == 1);
    CHECK(page.at("childrenLinks").at(0) == json::value(work.site.url("/next")));
    CHECK(page.at("provider") == "http");
    CHECK(page.at("type") == "html");
    CHECK(page.at("createdAt").is_string());
    CHECK(page.at("updatedAt").is_string());
}

TEST_CASE("a scrape with a key is recorded with its owner and the number of the key") {
    Recorded work;
    if (!work.is_there()) return;
    const Ran made = work.home.run({"--store", work.url, "keys", "create", "--owner", "team", "--json"});
    REQUIRE(made.exit_code == 0);
    const json::object key = json::parse(made.out).at("data").as_object();
    const ApiClient client(work.service->port(),
                           fmt::format("Authorization: Bearer {}\r\n", text_of(key.at("key"))));
    // The server reads its keys now and then.
    while (work.service->client.get("/api/v1/crawls").status != 401) {
    }
    REQUIRE(client.post("/v2/scrape", fmt::format(R"({{"url":"{}"}})", work.site.url("/page"))).status ==
            200);

    const json::array rows = work.rows("select data, owner_id from nuq.queue_scrape");

    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("data").at("apiKeyId") == key.at("id"));
    CHECK(rows[0].at("data").at("team_id") == "team");
    CHECK(rows[0].at("owner_id") == key.at("ownerId"));
}

TEST_CASE("a crawl begins with rows of its own, tells its webhook of its trace, and expires when it says") {
    Recorded work;
    if (!work.is_there()) return;
    const std::string id = work.crawl(
        fmt::format(R"(,"limit":3,"webhook":"{}","scrapeOptions":{{"formats":["markdown",{{"type":"json",)"
                    R"("schema":{{"type":"object","properties":{{"name":{{"type":"string"}}}}}}}}]}})",
                    work.site.url("/hook")));
    const json::object status = work.service->client.wait_for("/v2/crawl/" + id);

    const json::array kickoffs = work.rows(
        "select status, data from nuq.queue_scrape where data->>'mode' like 'kickoff%' order by "
        "data->>'mode'");
    // One begins the crawl, one looks for sitemaps, and one reads the one that there is.
    REQUIRE(kickoffs.size() == 3);
    CHECK(kickoffs[0].at("status") == "completed");
    CHECK(kickoffs[0].at("data").at("url") == json::value(work.site.url("/")));
    CHECK(kickoffs[0].at("data").at("crawl_id") == json::value(id));
    CHECK(kickoffs[1].at("data").at("mode") == "kickoff_sitemap");
    CHECK(std::ranges::any_of(kickoffs, [&](const json::value& row) {
        const json::value* sitemap = row.at("data").as_object().if_contains("sitemapUrl");
        return sitemap && *sitemap == json::value(work.site.url("/sitemap.xml"));
    }));

    const json::array listed = work.rows(
        "select data->>'sitemapped' as sitemapped, data->'crawlerOptions'->'limit' as most, "
        "returnvalue->'llm_extraction' as data_of_page from nuq.queue_scrape where data->>'mode' = "
        "'single_urls' and "
        "data->>'url' like '%/listed'");
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].at("sitemapped") == "true");
    CHECK(listed[0].at("most") == 3);
    CHECK(listed[0].at("data_of_page") == json::value({{"name", "Mug"}}));

    const json::array group = work.rows(
        "select *, expires_at - (select finished_at from nuq.queue_crawl_finished) = "
        "interval '24 hours' as is_true from nuq.group_crawl");
    REQUIRE(group.size() == 1);
    CHECK(group[0].at("ttl") == 86'400'000);
    CHECK(group[0].at("is_true") == true);
    CHECK(text_of(group[0].at("expires_at")).substr(0, 19) == text_of(status.at("expiresAt")).substr(0, 19));

    const json::array sessions =
        work.rows("select * from webhook.crawl_sessions where operation_type = 'crawl'");
    REQUIRE(sessions.size() == 1);
    CHECK(sessions[0].at("extra_metadata").at("request_id") == "req-7");
    CHECK(text_of(sessions[0].at("extra_metadata").at("traceparent")) == trace);
    std::string logged;
    while (logged.empty()) {
        const std::string log = read_file(work.service->log_file());
        const std::size_t begin = log.find("work: crawl completed");
        if (begin != std::string::npos && log.find('\n', begin) != std::string::npos)
            logged = log.substr(begin, log.find('\n', begin) - begin);
    }
    CHECK(contains(logged, " trace=0af7651916cd43dd8448eb211c80319c"));
    // Both the begin and the end have been sent, or will be: whichever comes has it.
    while (true) {
        const auto requests = work.site.requests();
        const auto hook = std::ranges::find(requests, "/hook", &ServerRequest::path);
        if (hook == requests.end()) continue;
        CHECK(quarry::header_value(hook->headers, "traceparent") == trace);
        break;
    }
}

TEST_CASE("each operation has a session, and a page four operations") {
    Recorded work;
    if (!work.is_there()) return;
    const std::string id = work.crawl(R"(,"limit":1,"sitemap":"skip")");
    work.service->client.wait_for("/v2/crawl/" + id);
    const json::array operations = work.wait_for("select * from webhook.operation_metrics", 4);
    REQUIRE(work.post("/v2/map", fmt::format(R"({{"url":"{}"}})", work.site.url())).status == 200);
    REQUIRE(work.post("/v2/search", R"({"query":"words"})").status == 200);
    CHECK(work.post("/v2/scrape", fmt::format(R"({{"url":"http://127.0.0.1:{}/"}})", free_port())).status ==
          500);

    for (const json::value& operation : operations) {
        CHECK(operation.at("request_id") == "req-7");
        CHECK(operation.at("crawl_id") == json::value(id));
        CHECK(operation.at("success") == true);
        CHECK(operation.at("duration_ms").is_number());
    }
    work.wait_for("select 1 from webhook.crawl_sessions where operation_type in ('map', 'search')", 2);
    const json::array failed =
        work.rows("select * from webhook.crawl_sessions where operation_type = 'scrape'");
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].at("status") == "failed");
    CHECK(failed[0].at("success") == false);
    CHECK(failed[0].at("error_message").is_string());
    const json::value days = work.service->client.get("/api/v1/sessions/days").json().at("days");
    CHECK(days.as_array().size() == 4);
    const json::value own = work.service->client.get("/api/v1/operations").json().at("operations");
    REQUIRE(own.as_array().size() == 1);
    CHECK(own.at(0).at("crawl_id") == json::value(id));
    CHECK(work.service->client.get("/api/v1/operations?colection=x").status == 400);
    CHECK(work.service->client.get("/api/v1/sessions?limit=0").status == 400);
}

TEST_CASE("a password in a URL is in no answer of the API, and in no view") {
    Recorded work;
    if (!work.is_there()) return;
    const auto with_password = [&](std::string_view path) {
        return "http://ann:secretword@" + work.site.url(path).substr(std::string_view("http://").size());
    };
    const std::string start = with_password("/");
    std::string said;
    const auto ask = [&](std::string_view path, const std::string& body) {
        const ApiAnswer answer = work.post(path, body);
        said += answer.headers + answer.body + "\n";
        return answer;
    };
    const ApiAnswer refused =
        ask("/v2/crawl", fmt::format(R"({{"url":"{}","webhook":"{}"}})", start, with_password("/hook")));
    CHECK(refused.status == 400);
    const ApiAnswer begun = ask("/v2/crawl", fmt::format(R"({{"url":"{}","limit":3,"webhook":"{}"}})", start,
                                                         work.site.url("/hook")));
    CAPTURE(begun.body);
    REQUIRE(begun.status == 200);
    const std::string id(begun.json().at("id").as_string());
    work.service->client.wait_for("/v2/crawl/" + id);
    ask("/v2/scrape", fmt::format(R"({{"url":"{}"}})", with_password("/page")));
    ask("/v2/scrape", fmt::format(R"({{"url":"http://ann:secretword@127.0.0.1:{}/"}})", free_port()));
    ask("/v2/batch/scrape", fmt::format(R"({{"urls":["{}"]}})", with_password("/batch")));
    ask("/v2/map", fmt::format(R"({{"url":"{}"}})", start));
    ask("/knowledge-items/crawl", fmt::format(R"({{"url":"{}"}})", start));
    ask("/v2/search", R"({"query":"words"})");

    for (const std::string& path :
         {"/v2/crawl/" + id, "/v2/crawl/" + id + "/errors", std::string("/v2/crawl/active"),
          "/api/v1/crawls/" + id, "/api/v1/crawls/" + id + "/urls", "/api/v1/crawls/" + id + "/documents",
          "/crawl-progress/" + id, std::string("/api/v1/crawls?kind=all"), std::string("/api/v1/jobs"),
          std::string("/api/v1/sessions"), std::string("/api/v1/requests"), std::string("/api/v1/operations"),
          std::string("/api/v1/documents"), std::string("/api/v1/embedding-queue/jobs")}) {
        const ApiAnswer answer = work.service->client.get(path);
        CHECK_MESSAGE(answer.status == 200, path);
        CHECK_MESSAGE(answer.body.find("secretword") == std::string::npos, path);
    }
    for (const char* view :
         {"nuq.queue_scrape", "nuq.queue_scrape_backlog", "nuq.group_crawl", "nuq.queue_crawl_finished",
          "webhook.crawl_sessions", "webhook.operation_metrics", "webhook.request_metrics",
          "webhook.change_events"}) {
        const std::string rows = json::serialize(work.rows(fmt::format("select * from {}", view)));
        CHECK_MESSAGE(rows.find("secretword") == std::string::npos, view);
    }
    CHECK(said.find("secretword") == std::string::npos);
    CHECK(read_file(work.service->log_file()).find("secretword") == std::string::npos);
}

TEST_CASE("imports have sessions too") {
    Recorded work;
    if (!work.is_there()) return;
    const std::string file = work.home.file("notes.md");
    std::ofstream(file) << "# Notes\n\nSome words.\n";

    const Ran imported = work.home.run({"--store", work.url, "import", file});

    CHECK_MESSAGE(imported.exit_code == 0, imported.err);
    CHECK(work.rows("select * from webhook.crawl_sessions where operation_type = 'import' and success")
              .size() == 1);
}

TEST_CASE("results go when they have expired; what was cached and what was indexed stays") {
    Recorded work({"QUARRY_RETENTION_COMPLETED_JOBS=1s", "QUARRY_RETENTION_API_CRAWLS=1s",
                   "QUARRY_RETENTION_CHECK=1s"});
    if (!work.is_there()) return;
    const std::string body = fmt::format(R"({{"url":"{}","maxAge":3600000}})", work.site.url("/page"));
    const json::value scraped = work.post("/v2/scrape", body).json();
    const std::string scrape(scraped.at("data").at("metadata").at("scrapeId").as_string());
    const std::string crawl = work.crawl(R"(,"limit":1,"sitemap":"skip")");

    while (work.service->client.get("/v2/scrape/" + scrape).status != 404) {
    }
    while (work.service->client.get("/v2/crawl/" + crawl).status != 404) {
    }

    CHECK(work.rows("select 1 from nuq.queue_scrape").empty());
    CHECK(work.rows("select 1 from nuq.group_crawl").empty());
    CHECK(work.post("/v2/scrape", body).json().at("data").at("metadata").at("cacheState") == "hit");
    while (work.post("/v2/search", R"({"query":"words"})").json().at("data").at("web").as_array().empty()) {
    }
}

TEST_CASE("a retention that was set for crawls holds for those over the API as well") {
    Recorded work({"QUARRY_RETENTION_CRAWLS=48h"});
    if (!work.is_there()) return;

    const std::string id = work.crawl(R"(,"limit":1,"sitemap":"skip")");

    work.service->client.wait_for("/v2/crawl/" + id);
    CHECK(work.rows("select ttl from nuq.group_crawl").at(0).at("ttl") == 48 * 3'600'000);
}
