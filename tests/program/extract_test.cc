// `quarry extract` against pages on loopback, with and without a model, which is an imitation.
#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/run_quarry.h"
#include "servers/hostile_server.h"
#include "servers/imitation_chat.h"

using namespace quarry::test;
namespace json = boost::json;

namespace {

class Shop {
public:
    Shop() {
        add("/mug",
            R"(<title>Mug</title><script type="application/ld+json">{"@type":"Product","name":"Mug",
               "offers":{"price":"9.50"}}</script><h1>The mug</h1><p>Weight: 300</p><p>A mug of clay.</p>)");
        add("/cup",
            "<title>Cup</title><h1>The cup</h1><b class=price>$5</b><p>Weight: 200</p><p>A cup of tin.</p>");
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

struct Files {
    TemporaryFolder folder{};

    std::string write(const std::string& name, std::string_view text) const {
        const std::string path = folder.path() + "/" + name;
        std::ofstream(path) << text;
        return path;
    }
    static std::string read(const std::string& path) {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
};

constexpr std::string_view product = R"({"type":"object","properties":{"name":{"type":"string"},
    "price":{"type":"number"}},"required":["name","price"]})";

Ran extract(std::vector<std::string> arguments, const ImitationChat* model = nullptr) {
    arguments.insert(arguments.begin(), {"extract", "--allow-private", "--retries", "0"});
    RunOptions options;
    if (model != nullptr)
        options.environment = {"OPENAI_BASE_URL=" + model->url(), "QUARRY_MODEL_NAME=small"};
    return run_quarry(arguments, options);
}

}  // namespace

TEST_CASE("a page's data is printed in the shape of the schema") {
    const Shop shop;
    const Files files;

    const Ran ran = extract({shop.url("/mug"), "--schema", files.write("s.json", product)});

    CHECK(ran.exit_code == 0);
    CHECK(ran.out == "{\n  \"name\": \"Mug\",\n  \"price\": 9.5\n}\n");
    CHECK(ran.err.empty());
}

TEST_CASE("several pages are a line each, with where every field came from") {
    const Shop shop;
    const Files files;
    const std::string rules =
        files.write("r.json", R"({"fields":{"price":{"selector":".price","type":"number"}}})");

    const Ran ran = extract({shop.url("/mug"), shop.url("/cup"), shop.url("/none"), "--json", "--schema",
                             files.write("s.json", product), "--rules", rules});

    std::istringstream lines(ran.out);
    std::string mug, cup, none;
    std::getline(lines, mug);
    std::getline(lines, cup);
    std::getline(lines, none);
    CHECK(ran.exit_code == 1);
    CHECK(json::parse(mug).at("sources").at(1).at("source") == "json-ld");
    CHECK(json::parse(cup).at("data") == json::value({{"name", "Cup"}, {"price", 5}}));
    CHECK(json::parse(cup).at("sources").at(1).at("source") == "rule");
    CHECK(json::parse(none).at("success") == false);
    CHECK(contains(ran.err, "404"));
}

TEST_CASE("data that does not keep the schema is printed, told and counted as a failure") {
    const Shop shop;
    const Files files;

    const Ran ran = extract({shop.url("/cup"), "--schema", files.write("s.json", product)});

    CHECK(ran.exit_code == 1);
    CHECK(contains(ran.out, "\"name\": \"Cup\""));
    CHECK(contains(ran.err, "has no \"price\""));
}

TEST_CASE("without a schema all that a page says for machines is printed") {
    const Shop shop;

    const Ran ran = extract({shop.url("/mug")});

    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, "\"type\": \"Product\""));
}

TEST_CASE("what nothing can answer is an error that says what to configure") {
    const Shop shop;
    const Files files;
    const std::string schema = files.write("s.json", R"({"properties":{"colour":{"type":"string"}}})");

    const Ran nothing = extract({shop.url("/mug"), "--schema", schema});
    const Ran prompt = extract({shop.url("/mug"), "--prompt", "the colour"});

    CHECK(nothing.exit_code == 1);
    CHECK(contains(nothing.err, "model.url"));
    CHECK(prompt.exit_code == 2);
    CHECK(contains(prompt.err, "model.url"));
}

TEST_CASE("files that cannot be used are named with their mistakes") {
    const Files files;
    const std::string schema = files.write("s.json", R"({"type":"text"})");
    const std::string rules = files.write("r.json", R"({"fields":{"a":"p["}})");

    const Ran wrong_schema = extract({"http://127.0.0.1:1/", "--schema", schema});
    const Ran wrong_rules = extract({"http://127.0.0.1:1/", "--rules", rules});

    CHECK(wrong_schema.exit_code == 2);
    CHECK(contains(wrong_schema.err, schema + ": the schema cannot be used: /type must be"));
    CHECK(wrong_rules.exit_code == 2);
    CHECK(contains(wrong_rules.err, "/fields/a has a selector"));
    CHECK(extract({"http://127.0.0.1:1/", "--schema", "/none.json"}).exit_code == 2);
}

TEST_CASE("a model answers what the page does not say for machines") {
    const Shop shop;
    const Files files;
    ImitationChat model;
    const std::string schema = files.write(
        "s.json",
        R"({"properties":{"name":{"type":"string"},"weight":{"type":"integer"}},"required":["weight"]})");

    const Ran ran = extract({shop.url("/mug"), "--json", "--schema", schema}, &model);

    const json::value line = json::parse(ran.out);
    CHECK(ran.exit_code == 0);
    CHECK(line.at("data") == json::value({{"name", "Mug"}, {"weight", 300}}));
    CHECK(line.at("sources").at(1) ==
          json::value({{"field", "/weight"}, {"source", "model"}, {"where", "small"}}));
    CHECK(model.conduct.wrong_requests().empty());
}

TEST_CASE("rules are learnt once, and used without a model after") {
    const Shop shop;
    const Files files;
    const std::string schema = files.write("s.json", product), learnt = files.folder.path() + "/learnt.json";
    ImitationChat model;
    model.say_next(
        {R"({"fields":{"name":{"selector":"h1"},"price":{"selector":".price","type":"number"}}})"});

    const Ran first = extract({shop.url("/cup"), "--schema", schema, "--learn", learnt}, &model);
    const Ran second = extract({shop.url("/cup"), "--schema", schema, "--learn", learnt});

    CHECK(first.exit_code == 0);
    CHECK(contains(first.err, "rules learnt from 1 page"));
    CHECK(contains(Files::read(learnt), "\"selector\": \".price\""));
    CHECK(model.heard().size() == 1);
    CHECK(second.exit_code == 0);
    CHECK(second.out == first.out);
    CHECK(second.out == "{\n  \"name\": \"The cup\",\n  \"price\": 5\n}\n");
}
