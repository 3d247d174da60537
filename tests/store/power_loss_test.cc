// The store on a disk whose power is cut at every kind of moment.
#include <doctest/doctest.h>

#include "effort.h"
#include "store/consistency.h"
#include "store/machine.h"
#include "store/workload.h"

namespace quarry::test {

namespace {

using store::Durability;

// Works until the power goes, twice over the same file, and then looks at what is left.
struct Run {
    std::vector<Promise> promises;
    std::vector<std::string> broken, inconsistent;
};

Run work_until_power_is_cut(std::uint64_t seed, Durability durability) {
    Machine machine;
    Run run;
    std::mt19937_64 random(seed);
    for (int boot = 0; boot < 2; ++boot) {
        const Unsynced unsynced = random() % 4 == 0 ? Unsynced::lost : Unsynced::random;
        machine.disk.cut_power_after(static_cast<std::int64_t>(random() % (boot == 0 ? 900 : 500)), unsynced,
                                     seed);
        auto store = machine.open(durability);
        if (!store) continue;  // the power went while it was opened
        Workload workload(**store, random(),
                          [&](const Promise& promise) { run.promises.push_back(promise); });
        for (int step = 0; step < 500 && workload.step(); ++step)
            machine.clock.advance(std::chrono::seconds(1));
    }
    machine.disk.cut_power(Unsynced::random, seed);
    {
        auto store = machine.open(durability);
        if (!store) run.inconsistent.push_back("it does not open: " + store.error().message);
    }
    db::Connection connection = machine.look();
    run.broken = broken_promises(connection, run.promises);
    for (std::string& sentence : inconsistencies(connection)) run.inconsistent.push_back(std::move(sentence));
    return run;
}

}  // namespace

TEST_CASE("with full durability, nothing that was acknowledged is lost when the power is cut") {
    std::size_t promises = 0;
    const std::uint64_t seeds = rounds(150);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Run run = work_until_power_is_cut(seed, Durability::full);
        promises += run.promises.size();
        INFO("seed ", seed);
        REQUIRE_MESSAGE(run.broken.empty(), joined(run.broken));
        REQUIRE_MESSAGE(run.inconsistent.empty(), joined(run.inconsistent));
    }
    CHECK(promises > 33 * seeds);
}

TEST_CASE("with normal durability, a power cut may undo the last moments, but all of each") {
    std::size_t broken = 0;
    for (std::uint64_t seed = 1; seed <= rounds(100); ++seed) {
        const Run run = work_until_power_is_cut(seed, Durability::normal);
        broken += run.broken.size();
        INFO("seed ", seed);
        REQUIRE_MESSAGE(run.inconsistent.empty(), joined(run.inconsistent));
    }
    // If nothing were ever lost here, the test above would prove nothing.
    CHECK(broken > 0);
}

}  // namespace quarry::test
