#include "api/notifier.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <latch>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::api;
using namespace std::chrono_literals;

namespace {

store::Event change_of(std::int64_t group, JobState state) {
    return {.what = store::Event::What::group_changed, .group = GroupId{group}, .state = state};
}

const auto late = std::chrono::steady_clock::now() + 1h;

std::future<bool> wait_for(Live& live, std::int64_t group, Live::TimePoint until) {
    std::promise<bool> over;
    auto future = over.get_future();
    live.when_over(GroupId{group}, until,
                   [over = std::move(over)](bool is_over) mutable { over.set_value(is_over); });
    return future;
}

}  // namespace

TEST_CASE("who waits for a crawl hears of its end, and of no other's") {
    Live live;
    auto seventh = wait_for(live, 7, late), eighth = wait_for(live, 8, late);

    const store::Event events[] = {change_of(7, JobState::running), change_of(7, JobState::paused),
                                   change_of(8, JobState::completed), change_of(7, JobState::failed)};
    live.tell(events);

    CHECK(seventh.get());
    CHECK(eighth.get());
}

TEST_CASE("who waits too long, or when the server leaves, is told") {
    std::future<bool> left;
    {
        Live live;
        CHECK_FALSE(wait_for(live, 7, std::chrono::steady_clock::now()).get());
        left = wait_for(live, 7, late);
    }
    CHECK_FALSE(left.get());
}

TEST_CASE("a crawl that had ended before can be told of") {
    Live live;
    auto waiting = wait_for(live, 7, late);

    live.tell_over(GroupId{7});

    CHECK(waiting.get());
}

TEST_CASE("listeners hear what they asked for until they have enough") {
    Live live;
    std::promise<int> heard;
    live.listen(
        GroupId{7},
        [&heard, count = 0](const store::Event& event) mutable {
            CHECK(event.group == GroupId{7});
            if (++count < 2) return true;
            heard.set_value(count);
            return false;
        },
        [] { return true; });
    const store::Event events[] = {change_of(8, JobState::running), change_of(7, JobState::running),
                                   change_of(7, JobState::paused), change_of(7, JobState::running)};

    live.tell(events);

    CHECK(heard.get_future().get() == 2);
}

TEST_CASE("what was not told is found out by looking, once a second") {
    const GroupId over{1}, changed{2};
    std::latch looked(1), is_told(1);
    std::atomic<int> signs = 0, events = 0;
    Live* itself = nullptr;
    Live live([&](const std::vector<GroupId>& groups) {
        CHECK(std::ranges::find(groups, changed) != groups.end());
        itself->tell_over(over);
        itself->tell_again({.what = store::Event::What::group_changed, .group = changed});
        itself->tell_again({.what = store::Event::What::group_changed, .group = GroupId{3}});
    });
    itself = &live;

    live.listen(changed, [&](const store::Event&) { return ++events > 0; }, [] { return true; });
    live.listen(
        changed,
        [&](const store::Event&) {
            if (signs++ == 0) looked.count_down();
            return true;
        },
        [] { return true; }, Live::Hears::signs);
    live.when_over(over, std::chrono::steady_clock::now() + std::chrono::hours(1), [&](bool is_over) {
        CHECK(is_over);
        is_told.count_down();
    });

    is_told.wait();
    looked.wait();
    CHECK(events == 0);
}
