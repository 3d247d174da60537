// A machine with one simulated disk, for tests of the store. The database lives on it; only the small file
// that says which handlers have begun is on the real one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock.h"
#include "faults/simulated_vfs.h"
#include "servers/temporary_folder.h"
#include "store/sqlite/store.h"

namespace quarry::test {

struct Machine {
    SimulatedDisk disk;
    SimulatedVfs vfs{disk};
    TemporaryFolder folder;
    std::string path = folder.file("quarry.db");
    ManualClock clock;

    Result<std::unique_ptr<store::Store>> open(store::Durability durability = store::Durability::full) {
        return store::open_sqlite_store({.path = path,
                                         .limits = {.low_disk_bytes = 0},
                                         .durability = durability,
                                         .clock = &clock,
                                         .vfs = vfs.name()});
    }
    db::Connection look() { return db::Connection::open(path, db::Access::create, vfs.name()).value(); }
};

inline std::string joined(const std::vector<std::string>& sentences) {
    return fmt::format("{}", fmt::join(sentences, "\n"));
}

}  // namespace quarry::test
