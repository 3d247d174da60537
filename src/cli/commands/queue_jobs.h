// The jobs that `queue` and `embed-queue` are about: the flags that say which, how they are listed for
// people and programs, and the changes that set them right (retry, clear, cancel, pause, resume).
#pragma once

#include <string>
#include <vector>

#include "app/data_source.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/parser.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::cli {

// The flags that say which jobs a `queue` command is about.

struct QueueFlags {
    std::vector<std::string> states{}, ids{};
    std::string kind{}, crawl{}, collection{}, older_than{};
    bool all = false;

    bool narrow() const {
        return !states.empty() || !ids.empty() || !kind.empty() || !crawl.empty() || !collection.empty() ||
               !older_than.empty();
    }
};

// Adds the flags; `flags` must outlive the parser.
void add_queue_flags(Parser& parser, QueueFlags& flags);

// `not_found` for a crawl that is not there, else `invalid_argument`.
Result<store::JobFilter> job_filter(store::Reader& reader, const QueueFlags& flags);

// Jobs as people and programs see them: `queue list`, `queue show` and `embed-queue list`.

// Prints up to `limit` jobs that the flags mean. Returns the exit code.
int list_jobs(const CommandContext& session, store::Reader& reader, const QueueFlags& flags, int limit);

// Prints one. Returns the exit code.
int show_job(const CommandContext& session, store::Reader& reader, const std::string& id);

// Setting jobs right: what `queue retry|clear|cancel|pause|resume` and `embed-queue retry|clean` have in
// common.

struct QueueChange {
    const char* name;    // "retry"
    const char* method;  // of app/owner/methods.h
    const char* done;    // "3 jobs <done>"
    const char* help;
    bool brings_work;  // somebody has to do it then
};

// Asks the owner for it, says how many jobs it was, and starts a worker if there is something to do now.
// Returns the exit code.
int change_jobs(const CommandContext& session, const app::DataSource& place, const QueueFlags& flags,
                const QueueChange& change);

}  // namespace quarry::cli
