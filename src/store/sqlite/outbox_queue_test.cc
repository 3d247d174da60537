// The order of the outbox in memory, before a table that is a sorted list.
#include <algorithm>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "store/sqlite/queues.h"

namespace quarry::store {

namespace {

// What is ready, as the rows say.
struct Table {
    std::map<std::string, std::set<UrlPlace>> ready;
    int reads = 0;
    OutboxQueue queue{[this](const std::string& collection, UrlWindow& window) -> Result<void> {
        ++reads;
        std::vector<UrlPlace> places;
        const std::set<UrlPlace>& all = ready[collection];
        for (auto at = all.upper_bound(window.end()); at != all.end() && places.size() < UrlWindow::wanted;
             ++at) {
            places.push_back(*at);
        }
        std::optional<UrlPlace> end;
        if (places.size() == UrlWindow::wanted) end = places.back();
        window.refill(places, end);
        return {};
    }};

    void add(const std::string& collection, const UrlPlace& place) {
        ready[collection].insert(place);
        queue.add(collection, place);
    }
    std::int64_t take(const std::string& collection = "") {
        const auto place = queue.take(collection).value();
        if (!place) return 0;
        for (auto& [name, places] : ready) places.erase(*place);
        return place->id;
    }
};

}  // namespace

TEST_CASE("the smallest priority comes first, then the oldest, whatever the collection") {
    Table table;
    table.add("b", {2, 1});
    table.add("a", {2, 2});
    table.add("b", {1, 3});

    CHECK(table.take() == 3);
    CHECK(table.take() == 1);
    CHECK(table.take("b") == 0);
    CHECK(table.take("a") == 2);
    CHECK(table.take() == 0);
}

TEST_CASE("what memory has no room for is read from the table in order") {
    Table table;
    for (std::int64_t id = 1; id <= 2'000; ++id)
        table.add(id % 3 == 0 ? "a" : "b", {static_cast<int>(id % 2), id});

    std::vector<UrlPlace> taken;
    while (const std::int64_t id = table.take()) taken.push_back({static_cast<int>(id % 2), id});

    CHECK(taken.size() == 2'000);
    CHECK(std::ranges::is_sorted(taken));
    CHECK(table.reads > 0);
}

TEST_CASE("a collection of which nothing is known is read when it is asked for") {
    Table table;
    table.ready["a"] = {{2, 5}, {1, 9}};
    table.queue.add_unread("a");

    CHECK(table.take() == 9);
    table.add("a", {0, 10});
    CHECK(table.take() == 10);
    CHECK(table.take() == 5);
    CHECK(table.take() == 0);
}

TEST_CASE("a change whose page is leased steps aside until the lease ends") {
    Table table;
    table.queue.lease(PageId{7});
    CHECK(table.queue.is_leased(PageId{7}));
    table.add("a", {2, 1});
    table.add("a", {2, 2});
    REQUIRE(table.take() == 1);
    table.queue.set_aside(PageId{7}, {2, 1});
    CHECK(table.take() == 2);
    CHECK(table.take() == 0);

    CHECK(table.queue.unlease(PageId{7}, "a"));

    CHECK_FALSE(table.queue.is_leased(PageId{7}));
    CHECK(table.take() == 1);
    CHECK_FALSE(table.queue.unlease(PageId{7}, "a"));
}

TEST_CASE("of those that wait for their time the earliest is known") {
    Table table;
    CHECK_FALSE(table.queue.next_due());
    table.queue.delay_until(Timestamp(std::chrono::seconds(9)));
    table.queue.delay_until(Timestamp(std::chrono::seconds(5)));
    table.queue.delay_until(Timestamp(std::chrono::seconds(7)));

    CHECK(table.queue.next_due() == Timestamp(std::chrono::seconds(5)));
    table.queue.clear();
    CHECK_FALSE(table.queue.next_due());
}

}  // namespace quarry::store
