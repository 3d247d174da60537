#include "api/answer_cache.h"

#include <doctest/doctest.h>

using namespace quarry::api;

namespace {

class Asked : public Exchange {
public:
    const Request& request() const override { return request_; }
    void bill(std::string) override {}
    void read_body(std::uint64_t, OnBody) override {}
    std::stop_token gone() const override { return {}; }
    void respond(Response response) override { answers.emplace_back(response.text()); }
    std::shared_ptr<Follower> accept_websocket(std::string) override { return nullptr; }
    std::shared_ptr<Follower> begin_events(std::vector<quarry::Header>) override { return nullptr; }

    std::vector<std::string> answers;

private:
    Request request_;
};

struct Room {
    std::shared_ptr<AnswerCache> cache = std::make_shared<AnswerCache>(std::chrono::hours(1));
    std::shared_ptr<Asked> first = std::make_shared<Asked>(), second = std::make_shared<Asked>();
};

using Answers = std::vector<std::string>;

}  // namespace

TEST_CASE("one answer is made for all who ask the same") {
    Room room;

    const auto maker = room.cache->ask("key", room.first);
    REQUIRE(maker);
    CHECK_FALSE(room.cache->ask("key", room.second));
    CHECK(room.second->answers.empty());
    maker->respond({.body = "one"});
    const auto third = std::make_shared<Asked>();
    CHECK_FALSE(room.cache->ask("key", third));

    CHECK(room.first->answers == Answers{"one"});
    CHECK(room.second->answers == Answers{"one"});
    CHECK(third->answers == Answers{"one"});
    CHECK(room.cache->ask("another", room.second));
}

TEST_CASE("an answer from before a change is not given after it") {
    Room room;
    room.cache->ask("key", room.first)->respond({.body = "old"});

    room.cache->forget();

    const auto maker = room.cache->ask("key", room.second);
    REQUIRE(maker);
    maker->respond({.body = "new"});
    CHECK(room.second->answers == Answers{"new"});
}

TEST_CASE("who asks after a change does not wait for an answer that was begun before") {
    Room room;
    const auto old_maker = room.cache->ask("key", room.first);

    room.cache->forget();
    const auto new_maker = room.cache->ask("key", room.second);
    REQUIRE(new_maker);
    old_maker->respond({.body = "old"});

    CHECK(room.first->answers == Answers{"old"});
    CHECK(room.second->answers.empty());
    new_maker->respond({.body = "new"});
    CHECK(room.second->answers == Answers{"new"});
}

TEST_CASE("an error is told to all who wait and then forgotten") {
    Room room;
    const auto maker = room.cache->ask("key", room.first);
    room.cache->ask("key", room.second);

    maker->respond({.status = 404, .body = "no"});

    CHECK(room.second->answers == Answers{"no"});
    CHECK(room.cache->ask("key", room.second));
}

TEST_CASE("if nobody makes the answer, all who wait hear that") {
    Room room;
    auto maker = room.cache->ask("key", room.first);
    room.cache->ask("key", room.second);

    maker.reset();

    CHECK(room.first->answers.size() == 1);
    CHECK(room.second->answers.size() == 1);
}

TEST_CASE("an answer that is too old is made again") {
    const auto cache = std::make_shared<AnswerCache>(std::chrono::milliseconds(0));
    const auto exchange = std::make_shared<Asked>();
    cache->ask("key", exchange)->respond({.body = "one"});

    CHECK(cache->ask("key", exchange));
}
