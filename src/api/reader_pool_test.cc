#include "api/reader_pool.h"

#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <new>

#include <doctest/doctest.h>

#include "servers/temporary_folder.h"
#include "store/sqlite/store.h"

using namespace quarry;
using namespace quarry::api;

namespace {

struct Office {
    test::TemporaryFolder folder;
    std::unique_ptr<store::Store> store =
        store::open_sqlite_store({.path = folder.file("quarry.db"), .limits = {.low_disk_bytes = 0}}).value();
    std::unique_ptr<ReaderPool> readers;

    explicit Office(ReaderPoolConfig config)
        : readers(ReaderPool::open(config, [this] {
                      return store::open_sqlite_reader(folder.file("quarry.db"));
                  }).value()) {}
};

}  // namespace

TEST_CASE("an owner who keeps many desks waiting leaves some to others") {
    Office office({.count = 3, .most_of_owner = 2});
    std::latch held(2), may_end(1), done(1);
    std::atomic<int> begun = 0;
    for (int i = 0; i < 8; ++i) {
        CHECK(office.readers->post("one", [&](store::Reader&) {
            if (++begun <= 2) held.count_down();
            may_end.wait();
        }));
    }
    held.wait();

    CHECK(office.readers->post("other", [&](store::Reader&) { done.count_down(); }));
    done.wait();

    CHECK(begun == 2);
    may_end.count_down();
    office.readers->close();
    CHECK(begun == 8);
}

TEST_CASE("owners take turns, and the errands of one are begun in order") {
    Office office({.count = 1, .most_of_owner = 1});
    std::latch may_begin(1);
    std::string order;
    office.readers->post("first", [&](store::Reader&) { may_begin.wait(); });
    for (const char* name : {"a", "b", "c"})
        office.readers->post("one", [&, name](store::Reader&) { order += name; });
    office.readers->post("other", [&](store::Reader&) { order += "x"; });

    may_begin.count_down();
    office.readers->close();

    CHECK(order == "axbc");
}

TEST_CASE("an errand that throws is given up alone, and what comes after the end is not taken") {
    Office office({.count = 1, .most_of_owner = 1});
    std::latch done(1);

    CHECK(office.readers->post("one", [](store::Reader&) { throw std::bad_alloc(); }));
    CHECK(office.readers->post("one", [&](store::Reader&) { done.count_down(); }));
    done.wait();

    office.readers->close();
    CHECK_FALSE(office.readers->post("one", [](store::Reader&) {}));
}

TEST_CASE("owners who have as much waiting as they may leave room for another") {
    Office office({.count = 2, .most_of_owner = 1});
    std::latch held(2), may_end(1), done(1);
    int taken = 0;
    for (const char* name : {"one", "two"}) {
        office.readers->post(name, [&](store::Reader&) {
            held.count_down();
            may_end.wait();
        });
    }
    held.wait();
    for (const char* name : {"one", "two"})
        while (office.readers->post(name, [](store::Reader&) {})) ++taken;

    const bool is_taken = office.readers->post("other", [&](store::Reader&) { done.count_down(); });
    const bool is_one_more_taken = office.readers->post("one", [](store::Reader&) {});
    may_end.count_down();

    CHECK(taken == 5'000);
    CHECK_FALSE(is_one_more_taken);
    REQUIRE(is_taken);
    done.wait();
}
