// What scrapes and batches can be asked for besides words.
#include <atomic>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/service.h"
#include "program/slow_site.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr std::string_view uuid_shape = "00000000-0000-0000-0000-000000000000";

// A page whose words change when it is told to.
class ChangingPage {
public:
    ChangingPage() {
        server_.on("/page", [this](const ServerRequest&, Connection& connection) {
            connection.respond(status_, {{"Content-Type", "text/html"}},
                               fmt::format("<title>T</title><article><p>First line.</p><p>Line {}.</p>"
                                           "<p class=x id=one>Last line.</p></article>",
                                           version_.load()));
        });
    }
    std::string url() const { return server_.url("/page"); }
    void change() { ++version_; }
    void remove() { status_ = 404; }
    HostileServer& server() { return server_; }

private:
    std::atomic<int> version_ = 1, status_ = 200;
    HostileServer server_;
};

json::value scrape(const Service& service, const std::string& url, std::string_view more) {
    return service.client.post("/v2/scrape", fmt::format(R"({{"url":"{}",{}}})", url, more)).json();
}

std::string with_key(std::string_view path, std::string_view key) {
    return fmt::format("{} HTTP/1.1\r\nx-idempotency-key: {}\r\nX: ", path, key);
}

}  // namespace

TEST_CASE("a scrape can be asked for again by its id") {
    ChangingPage page;
    const DataHome home;
    const Service service(home);
    const json::value scraped = scrape(service, page.url(), R"("formats":["markdown"])");
    const std::string id(scraped.at("data").at("metadata").at("scrapeId").as_string());

    const json::value again = service.client.get("/v2/scrape/" + id).json();

    CHECK(again.at("success") == true);
    CHECK(again.at("data").at("markdown") == scraped.at("data").at("markdown"));
    CHECK(service.client.get(fmt::format("/v2/scrape/{}", uuid_shape)).status == 404);
    CHECK(service.client.get("/v2/crawl/" + id).status == 404);
    CHECK(service.client.get("/v2/extract/" + id).status == 404);
}

TEST_CASE("attributes are read by selector") {
    ChangingPage page;
    const DataHome home;
    const Service service(home);

    const json::value answer = scrape(
        service, page.url(),
        R"("formats":["markdown",{"type":"attributes","selectors":[{"selector":"p.x","attribute":"id"}]}])");

    CHECK(answer.at("data").at("attributes") ==
          json::array{{{"selector", "p.x"}, {"attribute", "id"}, {"values", json::array{"one"}}}});
    CHECK(scrape(service, page.url(), R"("formats":["attributes"])").at("success") == false);
    const json::value wrong =
        scrape(service, page.url(),
               R"("formats":[{"type":"attributes","selectors":[{"selector":"p[[","attribute":"id"}]}])");
    CHECK(wrong.at("code") == "BAD_REQUEST");
}

TEST_CASE("a page is compared with its last version, line by line") {
    ChangingPage page;
    const DataHome home;
    const Service service(home);
    const auto tracked = [&](std::string_view more = "") {
        return scrape(
                   service, page.url(),
                   fmt::format(R"("formats":["markdown",{{"type":"changeTracking","modes":["git-diff"]{}}}])",
                               more))
            .at("data")
            .at("changeTracking");
    };

    const json::value first = tracked();
    const json::value same = tracked();
    page.change();
    const json::value changed = tracked();
    const json::value other = tracked(R"(,"tag":"other")");
    page.remove();
    const json::value removed = tracked();

    CHECK(first.at("changeStatus") == "new");
    CHECK(first.at("previousScrapeAt").is_null());
    CHECK(same.at("changeStatus") == "same");
    CHECK(same.at("previousScrapeAt").is_string());
    CHECK_FALSE(same.as_object().contains("diff"));
    CHECK(changed.at("changeStatus") == "changed");
    CHECK(changed.at("visibility") == "visible");
    CHECK(changed.at("diff").at("text") ==
          "@@ -1,5 +1,5 @@\n First line.\n \n-Line 1.\n+Line 2.\n \n Last line.\n");
    const json::value& lines =
        changed.at("diff").at("json").at("files").at(0).at("chunks").at(0).at("changes");
    CHECK(lines.at(2) == json::object{{"type", "del"}, {"del", true}, {"ln", 3}, {"content", "-Line 1."}});
    CHECK(other.at("changeStatus") == "new");
    CHECK(removed.at("changeStatus") == "removed");
    // What was said of it then is not said of it when it is given again.
    const json::value cached = scrape(service, page.url(), R"("maxAge":600000)");
    CHECK(cached.at("data").at("metadata").at("cacheState") == "hit");
    CHECK_FALSE(cached.at("data").as_object().contains("changeTracking"));
    CHECK(scrape(service, page.url(), R"("formats":[{"type":"changeTracking","modes":["json"]}])")
              .at("success") == false);
}

TEST_CASE("a page that was read otherwise is not given in its place") {
    ChangingPage page;
    const DataHome home;
    const Service service(home);
    const auto state = [&](std::string_view more) {
        return scrape(service, page.url(), fmt::format(R"("maxAge":600000{})", more))
            .at("data")
            .at("metadata")
            .at("cacheState");
    };

    CHECK(state("") == "miss");
    CHECK(state("") == "hit");
    CHECK(state(R"(,"excludeTags":["p.x"])") == "miss");
    CHECK(state(R"(,"excludeTags":["p.x"])") == "hit");
    CHECK(state(R"(,"headers":{"Cookie":"a=b"})") == "miss");
    CHECK(state("") == "hit");
}

TEST_CASE("a crawl is begun once for each key of its client") {
    SlowSite site(2, 0ms);
    const DataHome home;
    const Service service(home);
    const std::string body = fmt::format(R"({{"url":"{}"}})", site.url());

    const ApiAnswer first = service.client.ask("POST", with_key("/v2/crawl", "one"), body);
    const ApiAnswer again = service.client.ask("POST", with_key("/v2/crawl", "one"), body);
    const ApiAnswer other = service.client.ask("POST", with_key("/v2/crawl", "two"), body);

    CHECK(first.status == 200);
    CHECK(again.status == 409);
    CHECK(again.json().at("error") == "Idempotency key already used");
    CHECK(other.status == 200);
    CHECK(service.client.ask("POST", with_key("/v2/crawl", std::string(300, 'k')), body).status == 400);
}

TEST_CASE("a batch takes more pages until it is over") {
    SlowSite site(40, 20ms);
    const DataHome home;
    const Service service(home);
    const auto urls = site.all_urls();
    json::array first, more;
    for (std::size_t i = 0; i < urls.size(); ++i) (i < 30 ? first : more).emplace_back(urls[i]);
    more.emplace_back("no url");
    const auto begun = service.client.post(
        "/v2/batch/scrape", json::serialize(json::object{{"urls", first}, {"maxConcurrency", 1}}));
    REQUIRE(begun.status == 200);
    const json::value id = begun.json().at("id");
    const json::object addition{{"urls", more}, {"appendToId", id}};

    const ApiAnswer added = service.client.post("/v2/batch/scrape", json::serialize(addition));
    const std::string path = "/v2/batch/scrape/" + std::string(id.as_string());
    const json::object status = service.client.wait_for(path);
    const ApiAnswer late = service.client.post("/v2/batch/scrape", json::serialize(addition));

    CHECK(added.status == 200);
    CHECK(added.json().at("id") == id);
    CHECK(added.json().at("invalidURLs") == json::array{"no url"});
    CHECK(status.at("data").as_array().size() == 40);
    CHECK(late.status == 409);
    const json::object strange{{"urls", more}, {"appendToId", uuid_shape}};
    CHECK(service.client.post("/v2/batch/scrape", json::serialize(strange)).status == 404);
}
