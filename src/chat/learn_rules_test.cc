#include "chat/learn_rules.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "embed/manual_clock_test.h"
#include "servers/imitation_chat.h"

using namespace quarry;
using namespace quarry::chat;
using test::ImitationChat;
namespace json = boost::json;

namespace {

struct Setup {
    Setup() {
        model = Model::open({.url = service.url(), .name = "small", .time = time.time()}, *client).value();
    }
    ~Setup() { CHECK(service.conduct.wrong_requests().empty()); }

    ImitationChat service;
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    embed::StillTime time;
    std::unique_ptr<Model> model;
    std::vector<PageText> pages = {
        {.url = "https://a.example/1",
         .html = "<script>evil()</script><h1 class=name>Mug</h1><b id=p style=x>5</b>"},
        {.url = "https://a.example/2", .html = "<h1 class=name>Cup</h1>"}};
};

}  // namespace

TEST_CASE("rules are learnt from a model, without fields that it imagined") {
    Setup setup;
    setup.service.say_next(
        {R"({"fields":{"name":{"selector":"h1.name"},"price":{"selector":"#p","type":"integer"},
                                          "colour":{"selector":".colour"}}})"});

    const auto rules = learn_rules(*setup.model, setup.pages, {.prompt = "name and price"}, {}).value();

    CHECK(json::serialize(rules.to_json()) ==
          R"({"fields":{"name":{"selector":"h1.name"},"price":{"selector":"#p","type":"integer"}}})");
    const std::string heard = setup.service.heard().at(0);
    CHECK(heard.find(R"(<h1 class="name">Mug</h1>)") != std::string::npos);
    CHECK(heard.find("name and price") != std::string::npos);
    CHECK(heard.find("evil()") == std::string::npos);
}

TEST_CASE("rules that cannot be used are asked for once more") {
    Setup setup;
    setup.service.say_next({R"({"fields":{"name":{"css":"h1"}}})", R"({"fields":{"name":"h1"}})"});

    CHECK(learn_rules(*setup.model, setup.pages, {}, {}));
    CHECK(setup.service.heard().back().find("/fields/name/css is no part of a rule") != std::string::npos);
}

TEST_CASE("rules that find nothing twice are no rules") {
    Setup setup;
    setup.service.say_next({R"({"fields":{"name":"h6"}})", "what?", R"({"fields":{"name":"h1"}})"});

    CHECK(learn_rules(*setup.model, setup.pages, {}, {}).error().code == ErrorCode::not_found);
    CHECK(learn_rules(*setup.model, {}, {}, {}).error().code == ErrorCode::invalid_argument);
}
