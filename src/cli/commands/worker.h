// `queue process`: having pages of the embedding queue embedded now, and saying what came of it.
#pragma once

#include <string>

#include "app/data_source.h"
#include "cli/command.h"

namespace quarry::cli {

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
int process_queue(const Session& session, const app::Workplace& place, const ProcessWish& wish);

}  // namespace quarry::cli
