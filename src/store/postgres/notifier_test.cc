#include "store/postgres/notifier.h"

#include <doctest/doctest.h>

namespace quarry::store::postgres {

TEST_CASE("events are the same when they have been sent") {
    const std::vector<Event> events = {
        {.what = Event::What::page,
         .group = GroupId(7),
         .id = JobId(8),
         .url = "https://a.example/ b",
         .status = 200},
        {.what = Event::What::job_ended, .id = JobId(9), .state = JobState::failed},
    };

    const auto heard = events_from_text(events_to_text(events));

    REQUIRE(heard.size() == 2);
    CHECK(heard[0].what == Event::What::page);
    CHECK(heard[0].group == GroupId(7));
    CHECK(heard[0].url == "https://a.example/ b");
    CHECK(heard[0].status == 200);
    CHECK(heard[1].id == JobId(9));
    CHECK_FALSE(heard[1].group);
    CHECK(heard[1].state == JobState::failed);
}

TEST_CASE("events that are too many for one message are left out") {
    const std::vector<Event> events(100, {.url = std::string(100, 'x')});

    CHECK(events_to_text(events).empty());
}

TEST_CASE("what cannot be read is left out, and the rest is not") {
    struct Row {
        const char* text;
        std::size_t events;
        const char* why;
    };
    const Row rows[] = {
        {"", 0, "nothing"},
        {"\n\n", 0, "empty lines"},
        {"0 1 2 3 4 url\n", 1, "one"},
        {"0 1 2 3 4 \n", 1, "without a URL"},
        {"0 1 2 3 4 url", 1, "without an end"},
        {"0 1 2 3\n0 1 2 3 4 url\n", 1, "the first is cut off"},
        {"x 1 2 3 4 url\n", 0, "no number"},
        {"99 1 2 3 4 url\n", 0, "nothing that can happen"},
        {"-1 1 2 3 4 url\n", 0, "nothing that can happen"},
        {"0 1 2 3 9 url\n", 0, "no state"},
        {"0 99999999999999999999 2 3 4 url\n", 0, "a number that is too large"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        CHECK(events_from_text(row.text).size() == row.events);
    }
}

}  // namespace quarry::store::postgres
