// POST /v2/search with a search engine for the web. The engine is an imitation: a server that answers like
// SearXNG, with what the test tells it.
#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/service.h"
#include "program/slow_site.h"
#include "servers/free_port.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

class ImitationSearxng {
public:
    explicit ImitationSearxng(json::array results) {
        server_.on("/search",
                   [results = std::move(results)](const ServerRequest& request, Connection& connection) {
                       const bool is_json = request.parameter("format") == "json";
                       const json::object answer{{"query", request.parameter("q")}, {"results", results}};
                       connection.respond(is_json ? 200 : 400, {{"Content-Type", "application/json"}},
                                          json::serialize(answer));
                   });
    }
    std::string setting() const { return "QUARRY_SEARCH_SEARXNG=" + server_.url("/"); }
    HostileServer& server() { return server_; }

private:
    HostileServer server_;
};

json::array hits_of(const ApiAnswer& answer) {
    REQUIRE(answer.status == 200);
    return answer.json().at("data").at("web").as_array();
}

}  // namespace

TEST_CASE("the web is searched where our own pages end, and what it finds can be scraped") {
    SlowSite site(3, 0ms);
    const auto urls = site.all_urls();
    ImitationSearxng engine({{{"url", urls[1]}, {"title", "Second"}, {"content", "from the web"}},
                             {{"url", urls[2]}, {"title", "Third"}, {"content", "from the web"}},
                             {{"url", "javascript:alert(1)"}}});
    const DataHome home;
    const Service service(home, free_port(), {engine.setting()});

    const json::array plain = hits_of(service.client.post("/v2/search", R"({"query":"words & more"})"));
    const json::array scraped = hits_of(service.client.post(
        "/v2/search", R"({"query":"words","limit":1,"scrapeOptions":{"formats":["markdown"]}})"));
    const json::array images =
        hits_of(service.client.post("/v2/search", R"({"query":"x","sources":["images"]})"));
    const json::array elsewhere = hits_of(
        service.client.post("/v2/search", R"({"query":"x","includeDomains":["a.example","b.example"]})"));

    REQUIRE(plain.size() == 2);
    CHECK(plain[0].at("url").as_string() == urls[1]);
    CHECK(plain[0].at("title") == "Second");
    CHECK(plain[0].at("description") == "from the web");
    CHECK(plain[1].at("position") == 2);
    CHECK(engine.server().requests().front().parameter("q") == "words & more");
    REQUIRE(scraped.size() == 1);
    CHECK_FALSE(scraped[0].at("markdown").as_string().empty());
    CHECK(scraped[0].at("metadata").at("statusCode") == 200);
    CHECK(images.empty());
    CHECK(elsewhere.empty());
}

TEST_CASE("our own pages are found though the web cannot be searched") {
    SlowSite site(3, 0ms);
    const DataHome home;
    const Service service(home, free_port(),
                          {fmt::format("QUARRY_SEARCH_SEARXNG=http://127.0.0.1:{}", free_port())});
    const json::value begun =
        service.client.post("/v2/crawl", fmt::format(R"({{"url":"{}"}})", site.url())).json();
    service.client.wait_for("/v2/crawl/" + std::string(begun.at("id").as_string()));

    json::value found;
    do {
        found =
            service.client.post("/v2/search", R"({"query":"page","scrapeOptions":{"formats":["markdown"]}})")
                .json();
    } while (found.at("data").at("web").as_array().empty());

    CHECK(found.at("success") == true);
    CHECK(found.at("warning").as_string().find("SearXNG") != json::string::npos);
    CHECK_FALSE(found.at("data").at("web").at(0).at("markdown").as_string().empty());
}
