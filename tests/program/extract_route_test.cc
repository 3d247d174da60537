// Data of pages over the API: the formats json, summary, question and highlights, and /v2/extract.
#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/service.h"
#include "servers/free_port.h"
#include "servers/hostile_server.h"
#include "servers/imitation_chat.h"

using namespace quarry::test;
namespace json = boost::json;

namespace {

class Shop {
public:
    Shop() {
        add("/mug",
            R"(<title>Mug</title><script type="application/ld+json">{"@type":"Product","name":"Mug","sku":"7"}</script>
               <article><h1>The mug</h1><p>Price: 5</p><p>Mugs are made of clay. They break.</p></article>)");
        add("/cup", "<title>Cup</title><article><h1>The cup</h1><p>Price: 3</p></article>");
    }
    std::string url(const std::string& path) const { return server_.url(path); }

private:
    void add(const std::string& path, const std::string& html) {
        server_.on(path, [html](const ServerRequest&, Connection& connection) {
            connection.respond(200, {{"Content-Type", "text/html"}}, html);
        });
    }
    HostileServer server_;
};

json::value scrape(const Service& service, const std::string& url, std::string_view formats) {
    return service.client.post("/v2/scrape", fmt::format(R"({{"url":"{}","formats":[{}]}})", url, formats))
        .json();
}

std::vector<std::string> settings_for(const ImitationChat& model) {
    return {"OPENAI_BASE_URL=" + model.url(), "QUARRY_MODEL_NAME=small", "QUARRY_EMBEDDING_PROVIDER=builtin"};
}

// Asks until it is over.
json::value extracted(const Service& service, const std::string& body) {
    const json::value begun = service.client.post("/v2/extract", body).json();
    REQUIRE(begun.at("success") == true);
    const std::string path = "/v2/extract/" + std::string(begun.at("id").as_string());
    json::value answer = service.client.get(path).json();
    while (answer.at("status") == "processing") answer = service.client.get(path).json();
    return answer;
}

bool contains(const json::value& text, std::string_view part) {
    return std::string_view(text.as_string()).find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("json is answered from the page's own data, without a model") {
    const Shop shop;
    const DataHome home;
    const Service service(home);

    const json::value answer = scrape(
        service, shop.url("/mug"),
        R"({"type":"json","schema":{"type":"object","properties":{"name":{"type":"string"},"sku":{"type":"integer"}}}})");

    CHECK(answer.at("success") == true);
    CHECK(answer.at("data").at("json") == json::value({{"name", "Mug"}, {"sku", 7}}));
    CHECK_FALSE(answer.at("data").as_object().contains("rawHtml"));
    CHECK_FALSE(answer.at("data").as_object().contains("markdown"));
}

TEST_CASE("what needs a model is refused without one, in a sentence that names the settings") {
    const Shop shop;
    const DataHome home;
    const Service service(home);

    for (const char* format :
         {R"("summary")", R"({"type":"question","question":"Why?"})",
          R"({"type":"highlights","query":"clay"})", R"({"type":"json","prompt":"the price"})",
          R"({"type":"json","schema":{"type":"object","properties":{"colour":{"type":"string"}}}})"}) {
        CAPTURE(format);
        const json::value answer = scrape(service, shop.url("/mug"), format);
        CHECK(answer.at("success") == false);
        CHECK(contains(answer.at("error"), "model.url"));
    }
    const json::value extract =
        service.client.post("/v2/extract", R"({"urls":["https://a.example/"],"prompt":"x"})").json();
    CHECK(contains(extract.at("error"), "model.url"));
}

TEST_CASE("a model answers what was asked about the page") {
    const Shop shop;
    ImitationChat model;
    const DataHome home;
    const Service service(home, free_port(), settings_for(model));

    const json::value data = scrape(service, shop.url("/mug"), R"("markdown","summary",{"type":"json",
        "schema":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"integer"}}}})")
                                 .at("data");
    CHECK(data.at("json") == json::value({{"name", "Mug"}, {"price", 5}}));
    CHECK(contains(data.at("summary"), "The page begins: "));
    CHECK(contains(data.at("markdown"), "Mugs are made of clay"));

    const json::value question =
        scrape(service, shop.url("/mug"), R"({"type":"question","question":"Why?"})");
    CHECK(contains(question.at("data").at("answer"), "The page begins: "));

    model.say_next({R"({"highlights":["Mugs are made of clay.","Mugs are made of gold."]})"});
    const json::value quotes = scrape(service, shop.url("/mug"), R"({"type":"highlights","query":"clay"})");
    CHECK(quotes.at("data").at("highlights") == json::array{"Mugs are made of clay."});
    CHECK(model.conduct.wrong_requests().empty());
}

TEST_CASE("an extraction is a job whose data is that of all its pages") {
    const Shop shop;
    const DataHome home;
    const Service service(home);

    const json::value answer = extracted(service, fmt::format(R"({{"urls":["{}","{}"],"showSources":true,
        "schema":{{"type":"object","properties":{{"name":{{"type":"string"}},"sku":{{"type":"string"}}}}}}}})",
                                                              shop.url("/mug"), shop.url("/cup")));

    CHECK(answer.at("status") == "completed");
    CHECK(answer.at("data").at("sku") == "7");
    CHECK(answer.at("sources").at("pages").as_array().size() == 2);
}

TEST_CASE("an extraction that finds nothing has failed, and says what to configure") {
    const Shop shop;
    const DataHome home;
    const Service service(home);

    const json::value answer = extracted(service, fmt::format(R"({{"urls":["{}"],
        "schema":{{"type":"object","properties":{{"colour":{{"type":"string"}}}}}}}})",
                                                              shop.url("/cup")));

    CHECK(answer.at("success") == true);
    CHECK(answer.at("status") == "failed");
    CHECK(contains(answer.at("error"), "model.url"));
}

TEST_CASE("pages of batches, crawls and extractions have data, and a model is asked once about each") {
    const Shop shop;
    ImitationChat model;
    const DataHome home;
    const Service service(home, free_port(), settings_for(model));
    const std::string wish =
        R"([{"type":"json","schema":{"type":"object","properties":{"price":{"type":"integer"}}}},"summary"])";

    const json::value batch =
        service.client
            .post("/v2/batch/scrape", fmt::format(R"({{"urls":["{}","{}"],"formats":{}}})", shop.url("/mug"),
                                                  shop.url("/cup"), wish))
            .json();
    const json::value crawl =
        service.client
            .post("/v2/crawl",
                  fmt::format(R"({{"url":"{}","sitemap":"skip","scrapeOptions":{{"formats":{}}}}})",
                              shop.url("/mug"), wish))
            .json();
    const std::string batch_path = "/v2/batch/scrape/" + std::string(batch.at("id").as_string());
    const json::object all = service.client.wait_for(batch_path);
    const json::object some = service.client.wait_for("/v2/crawl/" + std::string(crawl.at("id").as_string()));
    const json::value job = extracted(service, fmt::format(R"({{"urls":["{}"],"prompt":"the price",
        "schema":{{"type":"object","properties":{{"price":{{"type":"integer"}}}}}}}})",
                                                           shop.url("/cup")));
    const std::size_t asked = model.heard().size();

    REQUIRE(all.at("data").as_array().size() == 2);
    for (const json::value& document : all.at("data").as_array()) {
        CHECK((document.at("json").at("price") == 5 || document.at("json").at("price") == 3));
        CHECK(contains(document.at("summary"), "The page begins: "));
        CHECK_FALSE(document.as_object().contains("markdown"));
        CHECK_FALSE(document.as_object().contains("rawHtml"));
    }
    CHECK(some.at("data").as_array().at(0).at("json").at("price") == 5);
    CHECK(job.at("data").at("price") == 3);
    CHECK(service.client.wait_for(batch_path).at("data") == all.at("data"));
    CHECK(model.heard().size() == asked);
}

TEST_CASE("a page from the cache has the data that is asked for, and not what somebody asked before") {
    const Shop shop;
    const DataHome home;
    const Service service(home);
    const auto schema_of = [](const char* field) {
        return fmt::format(
            R"({{"type":"json","schema":{{"type":"object","properties":{{"{}":{{"type":"string"}}}}}}}})",
            field);
    };
    const json::value begun =
        service.client
            .post("/v2/batch/scrape", fmt::format(R"({{"urls":["{}"],"formats":["markdown",{}]}})",
                                                  shop.url("/mug"), schema_of("name")))
            .json();
    service.client.wait_for("/v2/batch/scrape/" + std::string(begun.at("id").as_string()));
    const auto cached = [&](const std::string& formats) {
        return service.client
            .post("/v2/scrape", fmt::format(R"({{"url":"{}","maxAge":3600000,"formats":["markdown"{}]}})",
                                            shop.url("/mug"), formats))
            .json()
            .at("data");
    };

    const json::value plain = cached("");
    const json::value other = cached("," + schema_of("sku"));

    CHECK(plain.at("metadata").at("cacheState") == "hit");
    CHECK_FALSE(plain.as_object().contains("json"));
    CHECK_FALSE(other.at("json").as_object().contains("name"));
}

TEST_CASE("a model that does not answer costs the data, and not the page") {
    const Shop shop;
    const DataHome home;
    const Service service(
        home, free_port(),
        {fmt::format("OPENAI_BASE_URL=http://127.0.0.1:{}", free_port()), "QUARRY_MODEL_NAME=small"});

    const json::value begun =
        service.client
            .post("/v2/batch/scrape",
                  fmt::format(R"({{"urls":["{}"],"formats":["markdown","summary"]}})", shop.url("/mug")))
            .json();
    const json::object status =
        service.client.wait_for("/v2/batch/scrape/" + std::string(begun.at("id").as_string()));

    REQUIRE(status.at("data").as_array().size() == 1);
    const json::value& document = status.at("data").as_array().at(0);
    CHECK(contains(document.at("markdown"), "Mugs are made of clay"));
    CHECK(document.as_object().contains("warning"));
}

TEST_CASE("requests for data that cannot work are refused") {
    const DataHome home;
    const Service service(home);
    const auto refused = [&](const char* path, const char* body) {
        const auto answer = service.client.post(path, body);
        CAPTURE(body);
        CHECK(answer.status == 400);
    };

    refused("/v2/extract", R"({"prompt":"x"})");
    refused("/v2/extract", R"({"urls":["https://a.example/"]})");
    refused("/v2/extract", R"({"urls":["https://a.example/*"],"schema":{}})");
    refused("/v2/extract", R"({"urls":["https://a.example/"],"schema":{"type":"text"}})");
    refused("/v2/scrape", R"({"url":"https://a.example/","formats":["json"]})");
    refused("/v2/scrape", R"({"url":"https://a.example/","formats":["question"]})");
    refused(
        "/v2/scrape",
        R"({"url":"https://a.example/","formats":[{"type":"json","schema":{"$ref":"https://b.example/"}}]})");
    refused("/v2/batch/scrape", R"({"urls":["https://a.example/"],"formats":["summary"]})");
    CHECK(service.client.get("/v2/extract/00000000-0000-0000-0000-000000000000").status == 404);
}
