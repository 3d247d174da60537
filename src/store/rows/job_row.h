// Jobs and URLs of a crawl from rows.
#pragma once

#include <utility>
#include <vector>

#include "store/rows/columns.h"
#include "store/reader.h"
#include "store/rows/row.h"
#include "store/store.h"

namespace quarry::store {

// kind, collection, state; id, priority, attempts, max_attempts, stalls, progress, owner, grp, unique_key,
// last_error, worker, created_at, run_at, started_at, finished_at, start_by, deadline, url; payload, result
Job job_of(const Row auto& row) {
    Job job{
        .id = JobId{row.integer(3)},
        .kind = std::string(row.text(0)),
        .state = static_cast<JobState>(row.integer(2)),
        .priority = static_cast<int>(row.integer(4)),
        .attempts = static_cast<int>(row.integer(5)),
        .max_attempts = static_cast<int>(row.integer(6)),
        .stalls = static_cast<int>(row.integer(7)),
        .progress = static_cast<int>(row.integer(8)),
        .owner = std::string(row.text(9)),
        .unique_key = std::string(row.text(11)),
        .last_error = std::string(row.text(12)),
        .created_at = time_of(row.integer(14)),
        .run_at = time_of(row.optional_integer(15)),
        .started_at = time_of(row.optional_integer(16)),
        .finished_at = time_of(row.optional_integer(17)),
        .start_by = time_of(row.optional_integer(18)),
        .deadline = time_of(row.optional_integer(19)),
        .payload = std::string(row.text(21)),
        .result = std::string(row.text(22)),
        .url = std::string(row.text(20)),
    };
    // A change of the outbox notes when its last attempt ended, also while it waits for the next.
    if (!is_over(job.state)) job.tried_at = std::exchange(job.finished_at, std::nullopt);
    if (const auto group = row.optional_integer(10)) job.group = GroupId{*group};
    if (const auto worker = row.optional_integer(13)) job.worker = WorkerId{*worker};
    return job;
}

// How often URLs and changes of pages are tried is a setting, the same for all of them.
inline void say_attempts(std::vector<Job>& jobs, const StoreLimits& limits) {
    for (Job& job : jobs) {
        if (job.kind == "fetch_page") job.max_attempts = limits.url_attempts;
        if (job.kind == "embed_page") job.max_attempts = limits.change_attempts;
    }
}

// id, url, final_url, depth, source, state, skipped, status, attempts, stalls, note, run_at, finished_at,
// content, error
FrontierUrl url_of(const Row auto& row, GroupId group) {
    FrontierUrl url{
        .id = JobId{row.integer(0)},
        .group = group,
        .url = std::string(row.text(1)),
        .final_url = std::string(row.text(2)),
        .depth = static_cast<int>(row.integer(3)),
        .source = static_cast<UrlSource>(row.integer(4)),
        .state = static_cast<UrlState>(row.integer(5)),
        .skipped = static_cast<SkipReason>(row.integer(6)),
        .status = static_cast<int>(row.integer(7)),
        .attempts = static_cast<int>(row.integer(8)),
        .stalls = static_cast<int>(row.integer(9)),
        .note = std::string(row.text(10)),
        .run_at = time_of(row.optional_integer(11)),
        .finished_at = time_of(row.optional_integer(12)),
    };
    if (const auto content = row.optional_integer(13)) url.content = ContentId{*content};
    if (const auto error = row.optional_integer(14)) url.error = static_cast<ErrorCode>(*error);
    return url;
}

}  // namespace quarry::store
