#include "cli/output/crawl_text.h"

#include <doctest/doctest.h>

#include "cli/data_access.h"

using namespace quarry;
using namespace quarry::cli;
using namespace std::chrono_literals;

TEST_CASE("numbers are read more easily with commas") {
    CHECK(with_commas(0) == "0");
    CHECK(with_commas(999) == "999");
    CHECK(with_commas(1'000) == "1,000");
    CHECK(with_commas(1'234'567) == "1,234,567");
    CHECK(with_commas(-123'456) == "-123,456");
    CHECK(with_commas(-999) == "-999");
}

TEST_CASE("durations are said as people say them") {
    CHECK(in_words(0ms) == "0.0 s");
    CHECK(in_words(4'120ms) == "4.1 s");
    CHECK(in_words(59'900ms) == "59.9 s");
    CHECK(in_words(125s) == "2 min 5 s");
    CHECK(in_words(3'725s) == "1 h 2 min");
}

TEST_CASE("a crawl runs from its start to its end, and not before") {
    const Timestamp start{1'000s};
    Group group{};
    CHECK(running_time(group, start) == 0ms);
    group.started_at = start;
    CHECK(running_time(group, start + 5s) == 5s);
    CHECK(running_time(group, start - 5s) == 0ms);  // a clock that was set back
    group.finished_at = start + 3s;
    CHECK(running_time(group, start + 5s) == 3s);
}

TEST_CASE("progress counts up to what there is, but no further than the limit") {
    Group group{.state = JobState::running, .page_limit = 10, .counters = {.discovered = 4, .completed = 1}};
    CHECK(progress_line(group) == "Progress: 1/4 pages (running)");
    group.counters.discovered = 400;
    CHECK(progress_line(group) == "Progress: 1/10 pages (running)");
    group.counters.completed = 10;
    group.state = JobState::completed;
    CHECK(progress_line(group) == "Progress: 10/10 pages (completed)");
}

TEST_CASE("every state has the colour people expect") {
    CHECK(colour_of(JobState::queued) == Colour::yellow);
    CHECK(colour_of(JobState::running) == Colour::blue);
    CHECK(colour_of(JobState::completed) == Colour::green);
    CHECK(colour_of(JobState::failed) == Colour::red);
    CHECK(colour_of(JobState::paused) == Colour::grey);
}

TEST_CASE("ids are told from URLs") {
    for (const char* id : {"0199c5a0", "0199C5A0-3f2b", "0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10"}) {
        CAPTURE(id);
        CHECK(looks_like_id(id));
    }
    for (const char* other :
         {"", "abc", "https://a.example/", "example.com", "0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10a"}) {
        CAPTURE(other);
        CHECK_FALSE(looks_like_id(other));
    }
}

TEST_CASE("what a server said cannot move the cursor") {
    CHECK(printable("a\033[2Jb\r\nc\x7f") == "a [2Jb  c ");
    CHECK(printable("größer") == "größer");
}
