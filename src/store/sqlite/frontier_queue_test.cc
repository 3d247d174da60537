#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "store/sqlite/queues.h"

namespace quarry::store {

namespace {

// The ready rows of one group, as the table would give them.
struct Table {
    std::map<std::int64_t, std::set<UrlPlace>> hosts;
    int reads = 0;

    FrontierQueue queue{[this](std::int64_t, std::int64_t host, UrlWindow& window) -> Result<void> {
        ++reads;
        std::vector<UrlPlace> places;
        const auto& rows = hosts[host];
        for (auto row = rows.upper_bound(window.end()); row != rows.end(); ++row) {
            if (places.size() == UrlWindow::wanted) break;
            places.push_back(*row);
        }
        std::optional<UrlPlace> end;
        if (places.size() == UrlWindow::wanted) end = places.back();
        window.refill(places, end);
        return {};
    }};

    void add(std::int64_t host, const UrlPlace& place) {
        hosts[host].insert(place);
        queue.add(1, host, place);
    }
    std::optional<FrontierQueue::Taken> take() {
        const auto taken = queue.take(1, [](std::int64_t) { return true; }).value();
        if (taken) hosts[taken->host].erase(taken->place);
        return taken;
    }
};

}  // namespace

TEST_CASE("hosts take turns") {
    Table table;
    for (const std::int64_t id : {1, 2, 3}) table.add(7, {0, id});
    for (const std::int64_t id : {4, 5}) table.add(8, {0, id});

    std::vector<std::int64_t> ids;
    while (const auto taken = table.take()) ids.push_back(taken->place.id);

    CHECK(ids == std::vector<std::int64_t>{1, 4, 2, 5, 3});
    CHECK_FALSE(table.queue.has_ready(1));
}

TEST_CASE("a host that may not be taken is passed over and keeps its URLs") {
    Table table;
    table.add(7, {0, 1});
    table.add(8, {0, 2});

    const auto only_8 = [](std::int64_t host) { return host == 8; };
    CHECK(table.queue.take(1, only_8).value()->place.id == 2);
    CHECK_FALSE(table.queue.take(1, only_8).value());
    CHECK(table.take()->place.id == 1);
}

TEST_CASE("a few URLs never cause a read") {
    Table table;
    for (std::int64_t id = 1; id <= 200; ++id) table.add(7, {0, id});
    while (table.take()) {
    }

    CHECK(table.reads == 0);
}

TEST_CASE("many URLs come in order, read in windows") {
    Table table;
    for (std::int64_t id = 1; id <= 3'000; ++id) table.add(7, {0, id});

    for (std::int64_t id = 1; id <= 3'000; ++id) REQUIRE(table.take()->place.id == id);

    CHECK_FALSE(table.take());
    CHECK(table.reads <= 13);
}

TEST_CASE("an urgent URL overtakes those in the window, and one put back keeps its place") {
    Table table;
    for (std::int64_t id = 1; id <= 1'000; ++id) table.add(7, {5, id});
    CHECK(table.take()->place.id == 1);
    table.add(7, {0, 2'000});
    table.add(7, {5, 1});

    CHECK(table.take()->place.id == 2'000);
    CHECK(table.take()->place.id == 1);
    CHECK(table.take()->place.id == 2);
}

TEST_CASE("a URL far behind the window is not lost when it is put back") {
    Table table;
    for (std::int64_t id = 1; id <= 600; ++id) table.add(7, {0, id});
    table.add(7, {0, 600});

    std::set<std::int64_t> ids;
    while (const auto taken = table.take()) CHECK(ids.insert(taken->place.id).second);

    CHECK(ids.size() == 600);
}

TEST_CASE("what was in the table before the program began is found") {
    Table table;
    for (std::int64_t id = 1; id <= 300; ++id) table.hosts[7].insert({0, id});
    table.queue.add_unread(1, 7);
    table.add(7, {0, 301});

    int count = 0;
    while (table.take()) ++count;

    CHECK(count == 301);
}

}  // namespace quarry::store
