// The store on a disk that is full, or whose writes and syncs fail.
#include <doctest/doctest.h>

#include "effort.h"
#include "store/consistency.h"
#include "store/machine.h"
#include "store/workload.h"

namespace quarry::test {

namespace {

// A store at work, and everything it has promised so far.
struct Shop {
    Machine machine;
    std::unique_ptr<store::Store> store = machine.open().value();
    std::vector<Promise> promises;
    Workload workload;

    explicit Shop(std::uint64_t seed)
        : workload(*store, seed, [this](const Promise& promise) { promises.push_back(promise); }) {}

    // Returns how many steps failed. Each must say what is wrong, in the same words as the disk.
    int work(int steps) {
        int failed = 0;
        for (int step = 0; step < steps; ++step) {
            const auto done = workload.step();
            if (done) continue;
            ++failed;
            CHECK(done.error().code == ErrorCode::unavailable);
            CHECK(done.error().message.find("quarry.db") != std::string::npos);
        }
        return failed;
    }

    void check_all_is_well(std::uint64_t seed) {
        INFO("seed ", seed);
        db::Connection connection = machine.look();
        const auto broken = broken_promises(connection, promises);
        const auto inconsistent = inconsistencies(connection);
        REQUIRE_MESSAGE(broken.empty(), joined(broken));
        REQUIRE_MESSAGE(inconsistent.empty(), joined(inconsistent));
    }

    void reopen() {
        store.reset();
        store = machine.open().value();
    }
};

}  // namespace

TEST_CASE("on a full disk every call says so, nothing is lost, and work goes on when there is room again") {
    for (std::uint64_t seed = 1; seed <= rounds(20); ++seed) {
        Shop shop(seed);
        REQUIRE(shop.work(40) == 0);
        const std::size_t used = shop.machine.disk.content(shop.machine.path).size() +
                                 shop.machine.disk.content(shop.machine.path + "-wal").size();
        shop.machine.disk.set_capacity(used + ((seed - 1) % 20 + 1) * 5'000);

        CHECK(shop.work(150) > 0);
        shop.check_all_is_well(seed);

        shop.machine.disk.heal();
        CHECK(shop.work(50) == 0);
        shop.check_all_is_well(seed);
        shop.reopen();
        shop.check_all_is_well(seed);
    }
}

TEST_CASE("one write or sync that fails is one error, and nothing of what it was part of is there") {
    std::uint64_t failures = 0;
    const std::uint64_t seeds = rounds(60);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Shop shop(seed);
        const DiskError error = seed % 2 == 0 ? DiskError::failed : DiskError::no_space;
        shop.machine.disk.fail_after(static_cast<std::int64_t>(((seed - 1) % 60 + 1) * 5), error, 1);

        failures += shop.work(120);

        shop.check_all_is_well(seed);
        shop.reopen();
        shop.check_all_is_well(seed);
    }
    CHECK(failures > seeds * 2 / 3);
}

TEST_CASE("a disk that fails for ever is an error each time, and what was promised before is there later") {
    for (std::uint64_t seed = 1; seed <= rounds(30); ++seed) {
        Shop shop(seed);
        shop.machine.disk.fail_after(static_cast<std::int64_t>(20 + ((seed - 1) % 30 + 1) * 9),
                                     DiskError::failed, 1'000'000);

        CHECK(shop.work(150) > 10);

        shop.machine.disk.heal();
        shop.reopen();
        shop.check_all_is_well(seed);
    }
}

TEST_CASE("a disk that fails while the database is opened or made leaves no half of one") {
    for (std::int64_t operation = 0; operation < 40; ++operation) {
        Machine machine;
        machine.disk.fail_after(operation, DiskError::no_space, 1'000'000);
        const auto refused = machine.open();
        machine.disk.heal();

        const auto opened = machine.open();

        INFO("operation ", operation);
        REQUIRE_MESSAGE(opened, opened.error().message);
        if (!refused) CHECK(refused.error().code == ErrorCode::unavailable);
        CHECK((*opened)->add({{.kind = "scrape", .payload = "{}"}}));
    }
}

TEST_CASE("a worker that was refused by a full disk gets its work when there is room") {
    Shop shop(1);
    const WorkerId worker = shop.store->register_worker("worker").value();
    REQUIRE(shop.store->add({{.kind = "scrape", .payload = "{}"}}));
    shop.machine.disk.fail_after(0, DiskError::no_space, 1'000'000);
    CHECK(shop.store->lease({.worker = worker, .kinds = {{"scrape", 1}}}).error().code ==
          ErrorCode::unavailable);
    CHECK(shop.store->add({{.kind = "scrape", .payload = "{}"}}).error().code == ErrorCode::unavailable);

    shop.machine.disk.heal();

    CHECK(shop.store->lease({.worker = worker, .kinds = {{"scrape", 9}}}).value().jobs.size() == 1);
}

}  // namespace quarry::test
