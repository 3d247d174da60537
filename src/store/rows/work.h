// Groups, jobs, URLs, workers and schedules from rows. The lists of columns and the functions that read
// them stand side by side.
#pragma once

#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "store/job_json.h"
#include "store/reader.h"
#include "store/rows/columns.h"
#include "store/store.h"

namespace quarry::store {

// Jobs and URLs of a crawl from rows.

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

// Groups, workers and schedules from rows.

// The columns of a group, from `grp` and its `owner`.
#define GROUP_COLUMNS                                                                                      \
    "grp.id, grp.kind, grp.name, grp.options, grp.collection, owner.name, grp.state, grp.priority, "       \
    "grp.company, grp.page_limit, grp.index_pages, grp.roots, grp.error, grp.created_at, grp.started_at, " \
    "grp.finished_at, grp.jobs_open, grp.discovered, grp.queued, grp.running, grp.completed, grp.failed, " \
    "grp.skipped, grp.unchanged, grp.duplicates, grp.gone, grp.not_admitted, grp.removed, grp.bytes, "     \
    "grp.indexed"
// Then comes the number of its changes that failed, and then these.
#define GROUP_TIMES                                                                                      \
    "grp.chunks, grp.fetch_us, grp.extract_us, grp.chunk_us, grp.embed_us, grp.index_us, grp.words_us, " \
    "case when grp.completed > 0 then grp.keep_ms else grp.keep_failed_ms end"

inline std::vector<std::string> roots_of(std::string_view text) {
    std::vector<std::string> roots;
    boost::json::error_code error;
    const boost::json::value value = boost::json::parse(text, error);
    if (error || !value.is_array()) return roots;
    for (const auto& root : value.get_array()) {
        if (root.is_string()) roots.emplace_back(root.get_string());
    }
    return roots;
}

GroupCounters group_counters_of(const Row auto& row, int column) {
    return {
        .jobs_open = row.integer(column),
        .discovered = row.integer(column + 1),
        .queued = row.integer(column + 2),
        .running = row.integer(column + 3),
        .completed = row.integer(column + 4),
        .failed = row.integer(column + 5),
        .skipped = row.integer(column + 6),
        .unchanged = row.integer(column + 7),
        .duplicates = row.integer(column + 8),
        .gone = row.integer(column + 9),
        .not_admitted = row.integer(column + 10),
        .removed = row.integer(column + 11),
        .bytes = row.integer(column + 12),
        .indexed = row.integer(column + 13),
        .index_failed = row.integer(column + 14),
        .chunks = row.integer(column + 15),
    };
}

Timings group_timings_of(const Row auto& row, int column) {
    using std::chrono::microseconds;
    return {.fetch = microseconds(row.integer(column)),
            .extract = microseconds(row.integer(column + 1)),
            .chunk = microseconds(row.integer(column + 2)),
            .embed = microseconds(row.integer(column + 3)),
            .index = microseconds(row.integer(column + 4)),
            .words = microseconds(row.integer(column + 5)),
            .chunks = row.integer(column - 1)};
}

Group group_of(const Row auto& row) {
    Group group{
        .id = GroupId{row.integer(0)},
        .kind = std::string(row.text(1)),
        .name = std::string(row.text(2)),
        .options = std::string(row.text(3)),
        .collection = std::string(row.text(4)),
        .owner = std::string(row.text(5)),
        .state = static_cast<JobState>(row.integer(6)),
        .priority = static_cast<int>(row.integer(7)),
        .concurrency = static_cast<Concurrency>(row.integer(8)),
        .page_limit = row.integer(9),
        .index_pages = row.integer(10) != 0,
        .counters = group_counters_of(row, 16),
        .timings = group_timings_of(row, 32),
        .roots = roots_of(row.text(11)),
        .error = std::string(row.text(12)),
        .created_at = time_of(row.integer(13)),
        .started_at = time_of(row.optional_integer(14)),
        .finished_at = time_of(row.optional_integer(15)),
    };
    if (const auto kept = row.optional_integer(38)) group.kept_for = std::chrono::milliseconds(*kept);
    return group;
}

// id, name, beat_at, and how many leases it has
WorkerInfo worker_of(const Row auto& row) {
    return {.id = WorkerId{row.integer(0)},
            .name = std::string(row.text(1)),
            .beat_at = time_of(row.integer(2)),
            .running = row.integer(3)};
}

// A schedule as it is stored: name, cron, job, grp, next_at.
struct ScheduleRow {
    std::string name{}, cron{}, jobs{}, group{};
    Timestamp next_at{};
};

ScheduleRow schedule_row_of(const Row auto& row) {
    return {.name = std::string(row.text(0)),
            .cron = std::string(row.text(1)),
            .jobs = std::string(row.text(2)),
            .group = std::string(row.text(3)),
            .next_at = time_of(row.integer(4))};
}

inline Result<std::vector<Schedule>> schedules_of(const std::vector<ScheduleRow>& rows) {
    std::vector<Schedule> schedules;
    for (const ScheduleRow& row : rows) {
        Schedule schedule{.name = row.name, .cron = row.cron, .next_at = row.next_at};
        std::vector<NewJob> jobs = TRY(jobs_from_json(row.jobs));
        if (!jobs.empty()) schedule.job = std::move(jobs.front());
        if (!row.group.empty()) schedule.group = TRY(group_from_json(row.group));
        schedules.push_back(std::move(schedule));
    }
    return schedules;
}

}  // namespace quarry::store
