// `queue process`: working off the queue on demand, and saying what came of it.
#pragma once

#include <cstdint>
#include <string>

#include "app/workplace.h"
#include "cli/command.h"

namespace quarry::cli {

struct ProcessWish {
    std::string collection{};  // only embed the pages of this one; "" for everything there is to do
    std::int64_t at_most = 0;  // only embed, about so many pages; 0: all

    bool only_embeds() const { return !collection.empty() || at_most > 0; }
};

// In this process, or waiting for the owner to do it. With --json prints how many pages were processed,
// succeeded and failed: zeros for an empty queue. Returns the exit code.
int process_queue(const Session& session, const app::Workplace& place, const ProcessWish& wish);

}  // namespace quarry::cli
