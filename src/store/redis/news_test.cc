#include "store/redis/news.h"

#include <doctest/doctest.h>

namespace quarry::store::redis {

TEST_CASE("a message that is none tells nothing") {
    struct Row {
        const char* message;
        std::size_t events;
        const char* why;
    };
    const Row rows[] = {
        {"", 0, "empty"},
        {"{", 0, "cut off"},
        {"[1]", 0, "no object"},
        {R"({"from":7})", 0, "no events"},
        {R"({"from":7,"events":{}})", 0, "events are no list"},
        {R"({"from":7,"events":[1,null,"page"]})", 0, "events are none"},
        {R"({"from":5,"events":[{"what":"group_changed","group":9,"state":"running"}]})", 0, "one's own"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        CHECK(events_of_message(row.message, 5).size() == row.events);
    }
    CHECK(events_of_message(std::string(2u << 20, ' ') + "{}", 5).empty());
}

}  // namespace quarry::store::redis
