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

TEST_CASE("where jobs were put in line is the same when it has been sent") {
    PutInLine jobs;
    jobs.add(3, {{10, 7, 1000}, 1000});
    jobs.add(3, {{10, 6, 1001}, 1001});
    jobs.add(4, {{-5, 1, 1002}, 1002});

    const PutInLine heard = jobs_from_text(jobs_to_text(jobs));

    CHECK_FALSE(heard.is_anywhere);
    REQUIRE(heard.kinds.size() == 2);
    CHECK(heard.kinds.at(3).next == Place{10, 6, 1001});
    CHECK(heard.kinds.at(3).oldest == 1000);
    CHECK(heard.kinds.at(4).next == Place{-5, 1, 1002});
}

TEST_CASE("what cannot be read of jobs in line may be anywhere") {
    CHECK(jobs_from_text(jobs_to_text({.is_anywhere = true})).is_anywhere);
    CHECK(jobs_from_text("1 2 3 ").is_anywhere);
    CHECK(jobs_from_text("x").is_anywhere);
    CHECK_FALSE(jobs_from_text("").is_anywhere);
}

}  // namespace quarry::store::postgres
