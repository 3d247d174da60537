// Jobs as people and programs see them: `queue list`, `queue show` and `embed-queue list`.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/commands/queue_jobs.h"
#include "store/reader.h"

namespace quarry::cli {

// Prints up to `limit` jobs that the flags mean. Returns the exit code.
int list_jobs(const Session& session, store::Reader& reader, const QueueFlags& flags, int limit);

// Prints one. Returns the exit code.
int show_job(const Session& session, store::Reader& reader, const std::string& id);

}  // namespace quarry::cli
