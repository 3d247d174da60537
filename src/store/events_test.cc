#include "store/events.h"

#include <doctest/doctest.h>

namespace quarry::store {

TEST_CASE("of many events each group is told once, and those that ended first") {
    std::vector<Event> events;
    for (int page = 0; page < 1'000; ++page)
        events.push_back({.what = Event::What::page,
                          .group = GroupId{page % 3 + 1},
                          .url = "https://a.example/" + std::string(1'000, 'x')});
    events.push_back({.what = Event::What::group_changed, .group = GroupId{3}, .state = JobState::completed});
    events.push_back({.what = Event::What::page, .group = GroupId{3}});
    events.push_back({.what = Event::What::job_ended, .id = JobId{7}});

    const auto few = gathered(events, 10);
    const auto fewer = gathered(events, 2);

    REQUIRE(few.size() == 3);
    CHECK(few[0].group == GroupId{3});
    CHECK(few[0].state == JobState::completed);
    for (const Event& event : few) CHECK(event.what == Event::What::group_changed);
    CHECK(few[1].state == JobState::running);
    REQUIRE(fewer.size() == 2);
    CHECK(fewer[0].group == GroupId{3});
}

}  // namespace quarry::store
