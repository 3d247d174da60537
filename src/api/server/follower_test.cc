#include "api/server/follower.h"

#include <doctest/doctest.h>

using namespace quarry::api;

TEST_CASE("messages are taken in order, and each wakes the reader") {
    int woken = 0;
    FollowerQueue queue(100, [&] { ++woken; });
    CHECK_FALSE(queue.has_news());

    queue.send("one");
    queue.send("two");

    CHECK(woken == 2);
    CHECK(queue.has_news());
    CHECK(queue.take().messages == std::deque<std::string>{"one", "two"});
    CHECK_FALSE(queue.has_news());
}

TEST_CASE("what was sent before the close is still taken, what comes later is not") {
    FollowerQueue queue(100, [] {});
    queue.send("one");
    queue.close(1008, "no such crawl");
    queue.send("two");
    queue.close(1000, "");

    const auto taken = queue.take();

    CHECK(taken.messages.size() == 1);
    CHECK(taken.is_closed);
    CHECK(taken.code == 1008);
    CHECK(taken.reason == "no such crawl");
    CHECK_FALSE(queue.is_open());
}

TEST_CASE("who reads too slowly is cut off") {
    FollowerQueue queue(10, [] {});
    queue.send("12345678");
    queue.send("90123");
    queue.send("more");

    const auto taken = queue.take();

    CHECK(taken.is_overrun);
    CHECK(taken.is_closed);
    CHECK(taken.messages.empty());
}

TEST_CASE("a message of any length is taken if nothing waits, and who sends much hears when to go on") {
    int drained = 0;
    FollowerQueue queue(10, [] {});
    queue.set_on_drained([&] { ++drained; });
    queue.send("longer than ten bytes");
    CHECK(queue.waiting_bytes() == 21);
    CHECK(queue.is_open());

    CHECK(queue.take().messages.size() == 1);
    CHECK(queue.take().messages.empty());

    CHECK(drained == 1);
    CHECK(queue.waiting_bytes() == 0);
}
