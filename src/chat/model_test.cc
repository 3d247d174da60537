#include "chat/model.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "chat/page_questions.h"
#include "embed/manual_clock_test.h"
#include "servers/imitation_chat.h"

using namespace quarry;
using namespace quarry::chat;
using test::Fault;
using test::ImitationChat;
namespace json = boost::json;

namespace {

struct Setup {
    explicit Setup(test::ImitationChatOptions options = {}, std::string key = "")
        : service(std::move(options)) {
        model =
            Model::open(
                {.url = service.url() + "/v1/", .key = std::move(key), .name = "small", .time = time.time()},
                *client)
                .value();
    }
    ~Setup() { CHECK(service.conduct.wrong_requests().empty()); }

    Result<json::value> ask_json() {
        const json::value schema =
            json::parse(R"({"type":"object","properties":{"price":{"type":"integer"}}})");
        return model->ask_json(
            {.instructions = "Read.", .text = "The page x:\n\nPrice: 5", .schema = &schema}, {});
    }

    ImitationChat service;
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    embed::StillTime time;
    std::unique_ptr<Model> model;
};

}  // namespace

TEST_CASE("JSON is asked for in the strictest way that the server takes") {
    const test::ImitationChatOptions rows[] = {
        {},
        {.takes_schema = false, .takes_json_object = false},
    };
    for (const auto& options : rows) {
        Setup setup(options);
        CHECK(setup.ask_json().value() == json::value({{"price", 5}}));
    }
}

TEST_CASE("a server that takes no way to ask for JSON is asked in words") {
    Setup setup({.takes_schema = false, .takes_json_object = false, .takes_tools = false});
    setup.service.say_next({"Sure: {\"price\": 5}"});

    CHECK(setup.ask_json().value() == json::value({{"price", 5}}));
}

TEST_CASE("the way that a server takes is remembered") {
    Setup setup({.takes_schema = false, .takes_json_object = false});
    setup.ask_json().value();
    const int before = setup.service.conduct.served();

    setup.ask_json().value();

    CHECK(setup.service.conduct.served() == before + 1);
    CHECK(setup.service.heard().size() == 2);
}

TEST_CASE("what goes wrong with a model is told apart") {
    Setup setup({.key = "secret", .most_bytes = 100}, "secret");
    setup.service.say_next({"I would rather not."});
    CHECK(setup.ask_json().error().code == ErrorCode::corrupt);
    CHECK(setup.model->ask({.text = std::string(200, 'x')}, {}).error().code == ErrorCode::too_large);

    Setup keyless({.key = "secret"});
    const Error error = keyless.model->ask({.text = "x"}, {}).error();
    CHECK(error.code == ErrorCode::refused);
    CHECK(error.message.find("set model.key") != std::string::npos);

    CHECK(Model::open({.name = ""}, *setup.client).error().code == ErrorCode::invalid_argument);
    CHECK(Model::open({.url = "no address", .name = "x"}, *setup.client).error().code ==
          ErrorCode::invalid_argument);
}

TEST_CASE("a server that is away for a moment is asked again") {
    Setup setup;
    setup.service.conduct.faults.next(Fault::reset);

    CHECK(setup.ask_json());
}

TEST_CASE("highlights that are not on the page are left out") {
    Setup setup;
    setup.service.say_next({R"({"highlights":["Stones are *old*.","Stones are made of cheese.",7]})"});

    const auto found =
        find_highlights(*setup.model, {.markdown = "**Stones** are old. They lie."}, "age", {}).value();

    CHECK(found == std::vector<std::string>{"Stones are *old*."});
}

TEST_CASE("a page is summed up, and questions about it are answered") {
    Setup setup;

    CHECK(summarise(*setup.model, {.url = "u", .markdown = "Stones are old."}, {}).value() ==
          "The page begins: Stones are old.");
    CHECK(answer_question(*setup.model, {.url = "u", .markdown = "Stones are old."}, "How old?", {}));
    CHECK(setup.service.heard().back().find("The question: How old?") != std::string::npos);
}
