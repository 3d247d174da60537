#include "chat/answer_page.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "embed/manual_clock_test.h"
#include "servers/imitation_chat.h"

using namespace quarry;
using namespace quarry::chat;
using schema::Schema;
using structured::Filled;
using structured::Rules;
using test::ImitationChat;
namespace json = boost::json;

namespace {

struct Setup {
    explicit Setup(std::size_t page_bytes = 48'000) {
        model = Model::open(
                    {.url = service.url(), .name = "small", .page_bytes = page_bytes, .time = time.time()},
                    *client)
                    .value();
    }
    ~Setup() { CHECK(service.conduct.wrong_requests().empty()); }

    ImitationChat service;
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    embed::StillTime time;
    std::unique_ptr<Model> model;
};

Schema schema_of(std::string_view text) {
    return Schema::parse_text(text).value();
}

const PageText mug{.url = "https://a.example/",
                   .html = "<title>Mug</title><h1>The mug</h1><p>Price: 5</p><p>Weight: 300</p>",
                   .markdown = "# The mug\n\nTitle: Cup\nPrice: 5\nWeight: 300\n"};

std::string sources_of(const Filled& filled) {
    std::string text;
    for (const auto& source : filled.sources)
        text += (text.empty() ? "" : ", ") + source.field + " " + std::string(name_of(source.source));
    return text;
}

}  // namespace

TEST_CASE("a model is asked only for what the page does not say for machines") {
    Setup setup;
    const Schema all_known = schema_of(R"({"properties":{"title":{"type":"string"}}})");
    const Schema more = schema_of(R"({"properties":{"title":{"type":"string"},"price":{"type":"integer"}}})");

    const Filled known = answer_page(mug, {.schema = &all_known}, setup.model.get(), {}).value();
    CHECK(setup.service.heard().empty());
    const Filled filled = answer_page(mug, {.schema = &more}, setup.model.get(), {}).value();

    CHECK(json::serialize(known.data) == R"({"title":"Mug"})");
    CHECK(json::serialize(filled.data) == R"({"title":"Mug","price":5})");
    CHECK(sources_of(filled) == "/title meta, /price model");
    CHECK(filled.problems.empty());
}

TEST_CASE("who asks in words gets the model's word, unless a rule knows better") {
    Setup setup;
    const Schema schema =
        schema_of(R"({"properties":{"title":{"type":"string"},"price":{"type":"integer"}}})");
    const Rules rules = Rules::parse(R"({"fields":{"price":{"selector":"p","type":"integer"}}})").value();

    const Filled filled =
        answer_page(mug, {.schema = &schema, .rules = &rules, .prompt = "the product"}, setup.model.get(), {})
            .value();

    CHECK(filled.data == json::value({{"title", "Cup"}, {"price", 5}}));
    CHECK(sources_of(filled) == "/price rule, /title model");
    CHECK(setup.service.heard().at(0).find("What is wanted: the product") != std::string::npos);
}

TEST_CASE("an answer that breaks the schema is mended by one more round") {
    Setup setup;
    const Schema schema = schema_of(R"({"properties":{"price":{"type":"integer"}},"required":["price"]})");
    setup.service.say_next({R"({"price":"five"})", R"({"price":5})"});

    const Filled filled = answer_page(mug, {.schema = &schema}, setup.model.get(), {}).value();

    CHECK(json::serialize(filled.data) == R"({"price":5})");
    CHECK(setup.service.heard().size() == 2);
    CHECK(setup.service.heard().back().find("/price is not of type integer") != std::string::npos);
}

TEST_CASE("an answer that stays wrong is given with its problems, and no third round is asked for") {
    Setup setup;
    const Schema schema = schema_of(R"({"properties":{"price":{"type":"integer"}},"required":["price"]})");
    setup.service.say_next({"no JSON at all", R"({"price":"five"})", R"({"price":5})"});

    const Filled filled = answer_page(mug, {.schema = &schema}, setup.model.get(), {}).value();

    CHECK(sentence_of(filled.problems) == "/price is not of type integer");
    CHECK(setup.service.heard().size() == 2);
}

TEST_CASE("a long page is read in parts") {
    Setup setup(100);
    PageText page{.url = "https://a.example/", .html = "<p>x", .markdown = "Price: 5\n"};
    page.markdown += std::string(150, 'x') + "\n\nWeight: 300\n";
    const Schema schema =
        schema_of(R"({"properties":{"price":{"type":"integer"},"weight":{"type":"integer"}}})");

    const Filled filled = answer_page(page, {.schema = &schema}, setup.model.get(), {}).value();

    CHECK(filled.data == json::value({{"price", 5}, {"weight", 300}}));
    CHECK(setup.service.heard().size() > 1);
}

TEST_CASE("a schema that wants no object is asked for inside of one") {
    Setup setup;
    const Schema schema = schema_of(R"({"type":"array","items":{"type":"integer"}})");
    setup.service.say_next({R"({"data":[1,2]})"});

    CHECK(answer_page(mug, {.schema = &schema}, setup.model.get(), {}).value().data == json::value{1, 2});
}

TEST_CASE("without a model it is said what could be configured") {
    const Schema colour = schema_of(R"({"properties":{"colour":{"type":"string"}}})");
    const Schema text = schema_of(R"({"type":"string"})");

    const Error prompt = answer_page(mug, {.prompt = "the price"}, nullptr, {}).error();
    const Error nothing = answer_page(mug, {.schema = &colour}, nullptr, {}).error();
    const Error no_object = answer_page(mug, {.schema = &text}, nullptr, {}).error();

    CHECK(prompt.code == ErrorCode::unsupported);
    CHECK(nothing.code == ErrorCode::not_found);
    CHECK(no_object.code == ErrorCode::unsupported);
    for (const Error& error : {prompt, nothing, no_object})
        CHECK_MESSAGE(error.message.find("model.url") != std::string::npos, error.message);
}

TEST_CASE("without a schema the rules, or all that the page says, are the answer") {
    const Rules rules = Rules::parse(R"({"fields":{"name":"h1"}})").value();

    CHECK(json::serialize(answer_page(mug, {.rules = &rules}, nullptr, {}).value().data) ==
          R"({"name":"The mug"})");
    CHECK(json::serialize(answer_page(mug, {}, nullptr, {}).value().data) ==
          R"([{"source":"meta","where":"meta tags","fields":{"title":"Mug"}}])");
}
