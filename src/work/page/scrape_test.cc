#include "work/page/scrape.h"

#include <algorithm>
#include <latch>
#include <memory>

#include <doctest/doctest.h>

#include "base/guarded.h"
#include "servers/hostile_server.h"

using namespace quarry;
using namespace quarry::work;
using namespace std::chrono_literals;
using test::Connection;
using test::HostileServer;
using test::ServerRequest;

namespace {

// The server's handlers may still run while a test's own variables go: what they share with it, they share
// for good.
struct Fixture {
    HostileServer server;
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    fetch::Fetcher fetcher{*client, {.retry = {.base = 0ms}}};
    Scraper scraper{fetcher, options()};

    static ScrapeOptions options() { return {.policy = {.allow_private = true}}; }

    void serve(const std::string& path, const std::string& content_type, const std::string& body,
               int status = 200) {
        server.on(path, [=](const ServerRequest&, Connection& connection) {
            connection.respond(status, {{"Content-Type", content_type}}, body);
        });
    }
    void serve_page(const std::string& path, const std::string& words) {
        serve(path, "text/html",
              "<title>" + words + "</title><p>" + words + " and enough more to be a paragraph.</p>");
    }
    std::vector<ScrapeRecord> scrape_all(const std::vector<std::string>& urls, std::stop_token stop = {}) {
        std::vector<ScrapeRecord> records;
        scraper.scrape_all(urls, [&](ScrapeRecord record) { records.push_back(std::move(record)); }, stop);
        return records;
    }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a page is fetched and read") {
    serve_page("/a", "Stones");

    const ScrapeRecord record = scraper.scrape(server.url("/a"));

    REQUIRE(record.success());
    CHECK(record.status_code == 200);
    CHECK(record.url == server.url("/a"));
    CHECK(record.final_url == server.url("/a"));
    CHECK(record.content_type == "text/html");
    CHECK(record.document->metadata.title == "Stones");
    CHECK(record.document->markdown.find("Stones and enough") != std::string::npos);
    CHECK(record.fetched_at.time_since_epoch().count() > 0);
}

TEST_CASE_FIXTURE(Fixture, "a record has a title whatever was asked for") {
    serve_page("/a", "Stones");
    const Scraper markdown_only(
        fetcher, {.extract = {.formats = {.metadata = false}}, .policy = {.allow_private = true}});

    const auto object = to_json(markdown_only.scrape(server.url("/a")), {.metadata = false});

    CHECK(object.at("title") == "Stones");
    CHECK_FALSE(object.at("metadata").as_object().contains("title"));
}

TEST_CASE_FIXTURE(Fixture, "an error status is a failure in a sentence") {
    serve("/gone", "text/html", "<p>We are sorry, this page is not here any more.</p>", 410);

    const ScrapeRecord missing = scraper.scrape(server.url("/nowhere"));
    const ScrapeRecord gone = scraper.scrape(server.url("/gone"));

    REQUIRE_FALSE(missing.success());
    CHECK(missing.status_code == 404);
    CHECK(missing.error->message == "HTTP 404 Not Found");
    CHECK(missing.error->code == ErrorCode::not_found);
    CHECK(gone.error->message == "HTTP 410 Gone");
}

TEST_CASE_FIXTURE(Fixture, "what is no page is a failure that says what it is, and is not downloaded") {
    serve("/p.png", "image/png", std::string(100'000, 'x'));

    const ScrapeRecord record = scraper.scrape(server.url("/p.png"));

    REQUIRE_FALSE(record.success());
    CHECK(record.error->code == ErrorCode::unsupported);
    CHECK(record.error->message.find("image/png") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "an invalid URL and a forbidden address are failures without a status") {
    const Scraper without_private(fetcher, {});

    CHECK(scraper.scrape("ftp://a.example/").error->message.starts_with("Invalid URL"));
    CHECK(scraper.scrape("http://").status_code == 0);
    CHECK(without_private.scrape(server.url("/a")).error->code == ErrorCode::refused);
}

TEST_CASE_FIXTURE(Fixture, "many pages come out in the order they were asked for, each once") {
    // The first page answers only when the last has been asked for.
    const auto last_asked = std::make_shared<std::latch>(1);
    server.on("/first", [last_asked](const ServerRequest&, Connection& connection) {
        last_asked->wait();
        connection.respond(200, {{"Content-Type", "text/plain"}}, "first");
    });
    serve("/second", "text/plain", "second");
    server.on("/third", [last_asked](const ServerRequest&, Connection& connection) {
        last_asked->count_down();
        connection.respond(200, {{"Content-Type", "text/plain"}}, "third");
    });

    const auto records = scrape_all({server.url("/first"), server.url("/second"), server.url("/first#top"),
                                     "no url://", server.url("/third"), server.url("/second")});

    REQUIRE(records.size() == 4);
    CHECK(records[0].document->markdown == "first\n");
    CHECK(records[1].document->markdown == "second\n");
    CHECK_FALSE(records[2].success());
    CHECK(records[3].document->markdown == "third\n");
    CHECK(server.count_requests("/second") == 1);
}

TEST_CASE_FIXTURE(Fixture, "no more pages are under way than allowed") {
    struct Count {
        int under_way = 0;
        int most = 0;
    };
    const auto count = std::make_shared<Guarded<Count>>();
    server.on("/*", [count](const ServerRequest&, Connection& connection) {
        count->with([](Count& now) { now.most = std::max(now.most, ++now.under_way); });
        connection.pause(5ms);
        count->with([](Count& now) { --now.under_way; });
        connection.respond(200, {{"Content-Type", "text/plain"}}, "x");
    });
    std::vector<std::string> urls;
    for (int i = 0; i < 200; ++i) urls.push_back(server.url("/" + std::to_string(i)));

    const auto records = scrape_all(urls);

    CHECK(records.size() == 200);
    CHECK(count->with([](const Count& now) { return now.most; }) <= 5);
    CHECK(Scraper::count_pages(urls) == 200);
}

TEST_CASE_FIXTURE(Fixture, "after a stop request no page is begun and those under way end") {
    std::stop_source stop;
    server.on("/*", [stop](const ServerRequest&, Connection& connection) mutable {
        stop.request_stop();
        connection.wait_for_close();
    });
    std::vector<std::string> urls;
    for (int i = 0; i < 100; ++i) urls.push_back(server.url("/" + std::to_string(i)));

    const auto records = scrape_all(urls, stop.get_token());

    CHECK(records.size() <= 5);
    for (const ScrapeRecord& record : records) CHECK(record.error->code == ErrorCode::interrupted);
}

TEST_CASE("an empty list gives no records") {
    Fixture fixture;

    CHECK(fixture.scrape_all({}).empty());
}

TEST_CASE("a record's JSON has the document's fields and the facts of the fetch") {
    ScrapeRecord record{.url = "https://a.example/x", .final_url = "https://a.example/y", .status_code = 200};
    record.content_type = "text/html";
    record.document = Document{.markdown = "m", .metadata = {.title = "T"}};

    const auto object = to_json(record, Formats{});

    CHECK(object.at("success") == true);
    CHECK(object.at("markdown") == "m");
    const auto& metadata = object.at("metadata").as_object();
    CHECK(metadata.at("title") == "T");
    CHECK(metadata.at("sourceURL") == "https://a.example/x");
    CHECK(metadata.at("url") == "https://a.example/y");
    CHECK(metadata.at("statusCode") == 200);
    CHECK(metadata.at("contentType") == "text/html");
    CHECK(metadata.at("fetchedAt") == "1970-01-01T00:00:00Z");
}

TEST_CASE("a failed record's JSON says why, for people and for programs") {
    ScrapeRecord record{.url = "https://a.example/x", .status_code = 404};
    record.error = Error{ErrorCode::not_found, "HTTP 404 Not Found"};

    const auto object = to_json(record, Formats{});

    CHECK(object.at("success") == false);
    CHECK(object.at("error") == "HTTP 404 Not Found");
    CHECK(object.at("code") == "not_found");
    CHECK_FALSE(object.contains("markdown"));
    CHECK(object.at("metadata").at("statusCode") == 404);
}
