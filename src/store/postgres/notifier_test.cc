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

TEST_CASE("of events that are too many or too long each group is told all the same") {
    std::vector<Event> many(100,
                            {.what = Event::What::page, .group = GroupId(7), .url = "https://a.example/"});
    many.push_back({.what = Event::What::group_changed, .group = GroupId(9), .state = JobState::completed});
    const std::vector<Event> one_long = {
        {.what = Event::What::page, .group = GroupId(7), .url = std::string(10'000, 'x')}};

    const auto heard_of_many = events_from_text(gathered_to_text(many));
    const auto heard_of_long = events_from_text(gathered_to_text(one_long));

    REQUIRE(heard_of_many.size() == 2);
    CHECK(heard_of_many[0].group == GroupId(9));
    CHECK(heard_of_many[0].state == JobState::completed);
    CHECK(heard_of_many[1].group == GroupId(7));
    REQUIRE(heard_of_long.size() == 1);
    CHECK(heard_of_long[0].group == GroupId(7));
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
