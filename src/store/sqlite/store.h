// The embedded store: one file, one process that writes. Every change goes through one writer thread. The
// thread gathers waiting changes and commits them together, so that a hundred callers share one fsync.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::store {

enum class Durability : std::uint8_t {
    full,    // what was acknowledged survives a power cut
    normal,  // it survives the death of the process; a power cut may undo the latest changes, in order
};

struct SqliteConfig {
    std::string path{};
    StoreLimits limits{};
    Durability durability = Durability::full;
    const Clock* clock = nullptr;  // outlives the store; nullptr: the wall clock
    std::string vfs{};             // another SQLite VFS, for tests
};

// Opens the file or creates it. The caller holds the data folder's lock and is the only writer of the file.
// Leases of former processes end here; those whose handlers had begun count a stall. Fails with `corrupt` or
// `unsupported` (a newer version) and then leaves the file as it was.
Result<std::unique_ptr<Store>> open_sqlite_store(SqliteConfig config);

// Reads beside the writer, from this process or any other. One thread at a time. `not_found` if there is no
// database yet. `limits` say how often URLs and changes may be tried; the rows do not store that.
Result<std::unique_ptr<Reader>> open_sqlite_reader(const std::string& path, const StoreLimits& limits = {});

}  // namespace quarry::store
