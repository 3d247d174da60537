// The flags that say which jobs a `queue` command is about.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parser.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::cli {

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

}  // namespace quarry::cli
