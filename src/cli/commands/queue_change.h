// Setting jobs right: what `queue retry|clear|cancel|pause|resume` and `embed-queue retry|clean` have in
// common.
#pragma once

#include "app/data_source.h"
#include "cli/command.h"
#include "cli/commands/queue_jobs.h"

namespace quarry::cli {

struct QueueChange {
    const char* name;    // "retry"
    const char* method;  // of owner_methods.h
    const char* done;    // "3 jobs <done>"
    const char* help;
    bool brings_work;  // somebody has to do it then
};

// Asks the owner for it, says how many jobs it was, and starts a worker if there is something to do now.
// Returns the exit code.
int change_jobs(const Session& session, const app::Workplace& place, const QueueFlags& flags,
                const QueueChange& change);

}  // namespace quarry::cli
