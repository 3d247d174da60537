// Working in this process, for `worker`, `serve` and `queue process`: becoming the owner of a data folder
// that a background worker may own, and working until nothing is left.
#pragma once

#include <string>

#include "app/data_folder.h"
#include "app/data_source.h"
#include "base/result.h"
#include "cli/command.h"

namespace quarry::cli {

// Becoming the owner of a data folder that a background worker may own.

// A background worker gives way to a process that somebody wants to see. `conflict` if another such process
// has the folder.
Result<app::FolderLock> take_over(const app::DataSource& place);

// Of a shared store, one of several workers of this host: where the folder has an owner, `place` moves to a
// folder of its own below it.
Result<app::FolderLock> take_place(app::DataSource& place);

// Working until nothing is left: `worker --once` and `queue process`.

// In this process, or waiting for the owner to do it. Ctrl-C finishes what is under way.
int work_off(const CommandContext& session, const app::DataSource& place);

// `queue process`: having pages of the embedding queue embedded now, and saying what came of it.

inline constexpr int most_processed = 1'000;  // in one batch

struct ProcessWish {
    std::string collection{};  // only pages of this one; "" for all
    std::string provider{};    // who embeds collections that have no embedder yet; "" for the standard one
    int batch = 10;            // pages, at most most_processed
    bool all = false;          // batch after batch, while any page succeeds
};

// In this process, or by the owner, which is waited for. Says, or with --json prints, how many pages were
// processed, succeeded and failed: zeros for an empty queue. Returns the exit code: an error if there is no
// embedder that could do it.
int process_queue(const CommandContext& session, const app::DataSource& place, const ProcessWish& wish);

}  // namespace quarry::cli
