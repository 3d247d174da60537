// `quarry serve` over HTTP, as clients of Firecrawl's API use it.
#include <csignal>
#include <filesystem>
#include <set>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/api_client.h"
#include "program/data_home.h"
#include "program/raw_client.h"
#include "program/service.h"
#include "program/slow_site.h"
#include "servers/free_port.h"

using namespace quarry;
using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

std::string begin(const Service& service, std::string_view path, const json::object& body) {
    const ApiAnswer answer = service.client.post(path, json::serialize(body));
    CAPTURE(answer.body);
    REQUIRE(answer.status == 200);
    REQUIRE(answer.json().at("success") == true);
    return std::string(answer.json().at("id").as_string());
}

std::set<std::string> urls_in(const json::object& status) {
    std::set<std::string> urls;
    for (const json::value& document : status.at("data").as_array())
        urls.emplace(document.at("metadata").at("sourceURL").as_string());
    return urls;
}

}  // namespace

TEST_CASE("a page is scraped in the forms that were asked for") {
    SlowSite site(3, 0ms);
    const DataHome home;
    Service service(home);

    const auto scrape = [&](std::string_view more) {
        return service.client.post("/v2/scrape", fmt::format(R"({{"url":"{}"{}}})", site.url(), more)).json();
    };
    const json::value plain = scrape("");
    const json::value forms = scrape(R"(,"formats":["html",{"type":"rawHtml"},"links"])");
    const json::value cached = scrape(R"(,"formats":["html","rawHtml","links"],"maxAge":600000)");

    CHECK(plain.at("success") == true);
    CHECK_FALSE(plain.at("data").at("markdown").as_string().empty());
    CHECK(plain.at("data").at("metadata").at("statusCode") == 200);
    CHECK(plain.at("data").at("metadata").at("sourceURL").as_string() == site.url());
    CHECK_FALSE(plain.at("data").as_object().contains("html"));
    CHECK_FALSE(forms.at("data").as_object().contains("markdown"));
    CHECK(forms.at("data").at("links").as_array().size() == 2);
    CHECK(forms.at("data").at("rawHtml").as_string().find("<a ") != json::string::npos);
    CHECK(cached.at("data").at("metadata").at("cacheState") == "hit");
    CHECK(forms.at("data").at("metadata").at("cacheState") == "miss");
    CHECK(service.stop() == 0);
}

TEST_CASE("what a server says with an error is a page, and a page that nobody serves is an error") {
    SlowSite site(1, 0ms);
    const DataHome home;
    Service service(home);

    const auto missing =
        service.client.post("/v2/scrape", fmt::format(R"({{"url":"{}"}})", site.server().url("/no")));
    const auto nobody =
        service.client.post("/v2/scrape", fmt::format(R"({{"url":"http://127.0.0.1:{}/"}})", free_port()));

    CHECK(missing.status == 200);
    CHECK(missing.json().at("data").at("metadata").at("statusCode") == 404);
    CHECK(missing.json().at("data").at("metadata").at("error") == "HTTP 404 Not Found");
    CHECK(nobody.status == 500);
    CHECK(nobody.json().at("success") == false);
    CHECK(nobody.json().at("code") == "SCRAPE_ALL_ENGINES_FAILED");
}

TEST_CASE("a crawl is polled to its end, page of documents by page of documents") {
    SlowSite site(230, 0ms);
    const DataHome home;
    Service service(home);

    const std::string id = begin(service, "/v2/crawl", {{"url", site.url()}});
    const json::object status = service.client.wait_for("/v2/crawl/" + id);

    CHECK(status.at("status") == "completed");
    CHECK(status.at("completed") == 230);
    CHECK(status.at("total") == 230);
    CHECK(status.at("data").as_array().size() == 230);
    CHECK(urls_in(status).size() == 230);
    const json::value first = service.client.get("/v2/crawl/" + id + "?limit=7").json();
    CHECK(first.at("data").as_array().size() == 7);
    CHECK(first.at("next").as_string().ends_with("?skip=7&limit=7"));
    // Past the end there is nothing, and nothing to follow.
    const json::value past = service.client.get("/v2/crawl/" + id + "?skip=230").json();
    CHECK(past.at("data").as_array().empty());
    CHECK(past.at("next").is_null());
}

TEST_CASE("a batch is of the pages it names, and tells of those it could not fetch") {
    SlowSite site(4, 0ms);
    const DataHome home;
    Service service(home);

    const auto urls = site.all_urls();
    const std::string nobody = fmt::format("http://127.0.0.1:{}/", free_port());
    const std::string id = begin(
        service, "/v2/batch/scrape",
        {{"urls", json::array{urls[0], urls[1], nobody, "no url"}}, {"formats", json::array{"markdown"}}});
    const json::object status = service.client.wait_for("/v2/batch/scrape/" + id);
    const json::value errors = service.client.get("/v2/batch/scrape/" + id + "/errors").json();

    CHECK(status.at("status") == "completed");
    CHECK(urls_in(status) == std::set{urls[0], urls[1]});
    REQUIRE(errors.at("errors").as_array().size() == 1);
    CHECK(errors.at("errors").at(0).at("url").as_string() == nobody);
    CHECK(service.client.get("/v2/crawl/" + id).status == 404);
}

TEST_CASE("a crawl that runs is listed, and can be cancelled once") {
    SlowSite site(500, 20ms);
    const DataHome home;
    Service service(home);
    const std::string id = begin(service, "/v2/crawl", {{"url", site.url()}, {"maxConcurrency", 1}});
    site.wait_for_requests(2);

    const json::value active = service.client.get("/v2/crawl/active").json();
    const json::value queue = service.client.get("/v2/team/queue-status").json();
    const auto cancelled = service.client.del("/v2/crawl/" + id);
    const auto again = service.client.del("/v2/crawl/" + id);

    REQUIRE(active.at("crawls").as_array().size() == 1);
    CHECK(active.at("crawls").at(0).at("id").as_string() == id);
    CHECK(queue.at("success") == true);
    CHECK(queue.at("jobsInQueue").as_int64() > 0);
    CHECK(cancelled.json().at("status") == "cancelled");
    CHECK(again.status == 409);
    CHECK(service.client.get("/v2/crawl/" + id).json().at("status") == "cancelled");
}

TEST_CASE("who waits for a crawl gets all of it, though the server is killed and started again") {
    SlowSite site(120, 5ms);
    const DataHome home;
    std::optional<Service> service(std::in_place, home);
    const std::uint16_t port = service->port();
    const std::string id = begin(*service, "/v2/crawl", {{"url", site.url()}});
    site.wait_for_requests(30);

    service->kill();
    service.emplace(home, port);
    const json::object status = service->client.wait_for("/v2/crawl/" + id);

    CHECK(status.at("status") == "completed");
    CHECK(status.at("data").as_array().size() == 120);
    CHECK(urls_in(status).size() == 120);
}

TEST_CASE("a site is mapped, and what was crawled is found") {
    SlowSite site(10, 0ms);
    const DataHome home;
    Service service(home);
    service.client.wait_for("/v2/crawl/" + begin(service, "/v2/crawl", {{"url", site.url()}}));

    const json::value map =
        service.client.post("/v2/map", fmt::format(R"({{"url":"{}"}})", site.url())).json();
    json::value search;
    do {
        search = service.client.post("/v2/search", R"({"query":"page","limit":3})").json();
    } while (search.at("data").at("web").as_array().size() < 3);

    CHECK(map.at("links").as_array().size() >= 3);
    CHECK(search.at("success") == true);
    CHECK(search.at("data").at("web").at(0).at("position") == 1);
    CHECK_FALSE(search.at("data").at("web").at(0).at("passage").as_string().empty());
}

TEST_CASE("old clients are answered in their shapes") {
    SlowSite site(5, 0ms);
    const DataHome home;
    Service service(home);
    const std::string url = fmt::format(R"({{"url":"{}"}})", site.url());

    const json::value scraped = service.client.post("/v1/scrape", url).json();
    const json::object crawled = service.client.wait_for(
        "/v1/crawl/" +
        begin(service, "/v1/crawl", {{"url", site.url()}, {"maxDepth", 1}, {"ignoreSitemap", true}}));
    const json::value map = service.client.post("/v1/map", url).json();
    const json::value searched = service.client.post("/v1/search", R"({"query":"page"})").json();

    CHECK(scraped.at("data").at("metadata").at("statusCode") == 200);
    CHECK(crawled.at("data").as_array().size() == 3);
    CHECK(map.at("links").at(0).is_string());
    CHECK(searched.at("data").is_array());
}

TEST_CASE("knowledge is crawled, followed, refreshed and searched") {
    SlowSite site(20, 0ms);
    const DataHome home;
    Service service(home);
    const auto progress_of = [&](const std::string& id) {
        return service.client.get("/crawl-progress/" + id).json();
    };
    const auto until_over = [&](const std::string& id) {
        while (progress_of(id).at("status") == "pending" || progress_of(id).at("status") == "processing") {
        }
        return progress_of(id);
    };
    const auto begun = service.client.post(
        "/knowledge-items/crawl", fmt::format(R"({{"url":"{}","max_depth":2,"priority":5}})", site.url()));
    REQUIRE(begun.status == 200);
    const std::string id(begun.json().at("progressId").as_string());

    const json::value progress = until_over(id);
    CHECK(progress.at("status") == "completed");
    CHECK(progress.at("progress") == 100);
    CHECK(progress.at("processedPages") == 7);

    const ApiAnswer events = service.client.ask(
        "GET", "/crawl-progress/" + id + " HTTP/1.1\r\nAccept: text/event-stream\r\nX: ", "");
    CHECK(events.headers.find("text/event-stream") != std::string::npos);
    CHECK(events.body.find(R"("status":"completed")") != std::string::npos);

    const json::value again = service.client.post("/knowledge-items/127.0.0.1/refresh", "").json();
    CHECK(until_over(std::string(again.at("progressId").as_string())).at("processedPages") == 7);
    CHECK(service.client.post("/knowledge-items/stop/" + id, "").status == 409);
    CHECK(service.client.post("/knowledge-items/nowhere.example/refresh", "").status == 404);
    json::value found;
    do {
        found = service.client.post("/knowledge-items/search", R"({"query":"page","match_count":2})").json();
    } while (found.at("results").as_array().size() < 2);
    CHECK_FALSE(found.at("results").at(0).at("content").as_string().empty());
}

TEST_CASE("requests that cannot be are refused in a sentence, and the server lives on") {
    const DataHome home;
    Service service(home);
    struct Row {
        const char* method;
        const char* path;
        std::string body;
        int status;
    };
    const Row rows[] = {
        {"GET", "/nowhere", "", 404},
        {"PUT", "/v2/scrape", "", 405},
        {"POST", "/v2/scrape", "{", 400},
        {"POST", "/v2/scrape", "[]", 400},
        {"POST", "/v2/scrape", std::string(100'000, '['), 400},
        {"POST", "/v2/scrape", "{}", 400},
        {"POST", "/v2/scrape", R"({"url":["http://a.example/"]})", 400},
        {"POST", "/v2/scrape", R"({"url":"http://a.example/","formats":["menu"]})", 400},
        {"POST", "/v2/crawl", R"({"url":"http://a.example/","limit":-1})", 400},
        {"POST", "/v2/crawl", R"({"url":"http://a.example/","includePaths":["("]})", 400},
        {"POST", "/v2/crawl", R"({"url":"http://169.254.169.254/latest/meta-data/"})", 403},
        {"POST", "/v2/batch/scrape", R"({"urls":"file:///etc/passwd"})", 400},
        {"POST", "/v2/map", R"({"url":""})", 400},
        {"POST", "/v2/search", R"({"query":""})", 400},
        {"GET", "/v2/crawl/7", "", 400},
        {"GET", "/v2/crawl/0199c5a0-3f2b-7000-8000-000000000000", "", 404},
        {"POST", "/v2/agent", R"({"prompt":"x"})", 501},
        {"POST", "/v2/crawl/params-preview", R"({"url":"a.example","prompt":"x"})", 400},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CAPTURE(row.body.substr(0, 80));
        const ApiAnswer answer = service.client.ask(row.method, row.path, row.body);
        CHECK(answer.status == row.status);
        CHECK(answer.json().at("success") == false);
        CHECK_FALSE(answer.json().at("error").as_string().empty());
        CHECK(answer.headers.find("X-Request-Id: ") != std::string::npos);
    }
    CHECK(service.client.get("/healthz").body == "ok\n");
    CHECK(service.stop() == 0);
}

TEST_CASE("pages of other sites, and names that lead here, are not answered") {
    const DataHome home;
    Service service(home);

    RawClient rebound(service.port());
    rebound.send("GET /v2/crawl/active HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    const ApiAnswer across =
        service.client.ask("GET", "/v2/crawl/active HTTP/1.1\r\nOrigin: https://evil.example\r\nX: ", "");

    CHECK(rebound.read_all().starts_with("HTTP/1.1 403"));
    CHECK(across.status == 403);
}

TEST_CASE("a server that others could reach is not started without a word") {
    const DataHome home;

    const Ran refused = home.run({"serve", "--listen", "0.0.0.0:0"});
    const Ran wrong = home.run({"serve", "--listen", "here"});

    CHECK(refused.exit_code != 0);
    CHECK(refused.err.find("--insecure-no-auth") != std::string::npos);
    CHECK(wrong.exit_code == 2);
}

TEST_CASE("the server can be apart from the work") {
    SlowSite site(5, 0ms);
    const DataHome home;
    const Service service(home, free_port(), {}, {"--workers", "0"});
    const std::string crawl = begin(service, "/v2/crawl", {{"url", site.url()}});
    CHECK(service.client.get("/v2/crawl/" + crawl).json().at("status") == "scraping");

    RunOptions options = home.options();
    options.environment.emplace_back("QUARRY_FETCH_ALLOW_PRIVATE=true");
    StartedQuarry worker({"worker"}, options);
    const json::object status = service.client.wait_for("/v2/crawl/" + crawl);
    const ApiAnswer scraped = service.client.post("/v2/scrape", fmt::format(R"({{"url":"{}"}})", site.url()));

    CHECK(status.at("status") == "completed");
    CHECK(urls_in(status).size() == 5);
    CHECK(scraped.status == 200);
    worker.send(SIGTERM);
    worker.wait();
    CHECK(service.client.get("/v2/crawl/" + crawl).json().at("status") == "completed");
}

TEST_CASE("documents that were written are read by their address, and come with what a search finds") {
    const DataHome home;
    Service service(home);
    const char* urls[] = {"https://a.example/Guide/?b=2&a=1#part", "note:granite",
                          "https://b.example/x//index.html"};
    for (const char* url : urls) {
        const ApiAnswer written = service.client.post(
            "/api/v1/documents",
            fmt::format(
                R"({{"pages":[{{"url":"{}","title":"Granite","markdown":"Granite is a coarse rock."}}]}})",
                url));
        REQUIRE(written.status == 200);
    }

    for (const char* url : urls) {
        CAPTURE(url);
        std::string encoded;
        for (const char c : std::string_view(url))
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        const ApiAnswer read = service.client.get("/api/v1/collections/default/document?url=" + encoded);
        CHECK(read.status == 200);
        CHECK(read.body.contains("coarse rock"));
    }
    json::array hits;
    while (hits.size() < 3) {
        const ApiAnswer found = service.client.post(
            "/v2/search", R"({"query":"granite","scrapeOptions":{"formats":["markdown"]}})");
        REQUIRE(found.status == 200);
        hits = found.json().at("data").at("web").as_array();
    }
    for (const json::value& hit : hits) {
        CAPTURE(hit);
        REQUIRE(hit.as_object().contains("markdown"));
        CHECK(std::string(hit.at("markdown").as_string()).contains("coarse rock"));
    }
}

TEST_CASE("the server speaks TLS, and takes a certificate that was replaced") {
    const DataHome home;
    const std::string certificate = home.file("cert.pem"), key = home.file("key.pem");
    const auto make = [&](const std::string& into_certificate, const std::string& into_key) {
        return run_program(
            "/usr/bin/openssl",
            {"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", into_key, "-out", into_certificate});
    };
    if (make(certificate, key).exit_code != 0) {
        MESSAGE("skipped: openssl is not installed");
        return;
    }
    const std::uint16_t port = free_port();
    const StartedQuarry server(
        {"serve", "--listen", fmt::format("127.0.0.1:{}", port), "--tls-cert", certificate, "--tls-key", key},
        home.options());
    const auto status = [&](const std::string& trusted) {
        const DataHome elsewhere({"QUARRY_FETCH_CA_FILE=" + trusted});
        return elsewhere.run(
            {"--server", fmt::format("https://127.0.0.1:{}", port), "status", "--list", "--json"});
    };
    Ran first;
    for (int attempt = 0; attempt < 300 && first.exit_code != 0; ++attempt) first = status(certificate);
    CAPTURE(first.err);
    CHECK(first.exit_code == 0);
    CHECK(ApiClient(port).get("/healthz").status == 0);  // not without TLS

    const std::string other = home.file("other.pem"), other_key = home.file("other_key.pem");
    REQUIRE(make(other, other_key).exit_code == 0);
    CHECK(status(other).exit_code == 2);
    std::filesystem::rename(other_key, key);
    std::filesystem::copy_file(other, certificate, std::filesystem::copy_options::overwrite_existing);

    Ran second;
    for (int attempt = 0; attempt < 300 && second.exit_code != 0; ++attempt) second = status(other);
    CAPTURE(second.err);
    CHECK(second.exit_code == 0);
    CHECK(home.run({"serve", "--tls-cert", certificate}).exit_code == 2);
    CHECK(home.run({"serve", "--listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", certificate})
              .exit_code == 2);
}
