// What scripts answer. The order of the fields is theirs.
#include "store/redis/encoding.h"

namespace quarry::store::redis {

namespace {

int small(db::RedisValue value) {
    return static_cast<int>(value.integer());
}

std::optional<GroupId> group_id_of(db::RedisValue value) {
    if (value.integer() == 0) return std::nullopt;
    return GroupId(value.integer());
}

GroupCounters counters_of(db::RedisValue value, std::size_t first) {
    const auto at = [&](std::size_t index) { return value[first + index].integer(); };
    return {.jobs_open = at(0),
            .discovered = at(1),
            .queued = at(2),
            .running = at(3),
            .completed = at(4),
            .failed = at(5),
            .skipped = at(6),
            .unchanged = at(7),
            .duplicates = at(8),
            .gone = at(9),
            .not_admitted = at(10),
            .removed = at(11),
            .bytes = at(12)};
}

}  // namespace

std::optional<Timestamp> time_of(db::RedisValue value) {
    if (value.integer() == 0) return std::nullopt;
    return Timestamp(std::chrono::milliseconds(value.integer()));
}

Event event_of(db::RedisValue value) {
    return {.what = static_cast<Event::What>(value[0].integer()),
            .group = group_id_of(value[1]),
            .id = JobId(value[2].integer()),
            .url = value[4].string(),
            .status = small(value[5]),
            .state = static_cast<JobState>(value[3].integer())};
}

JobLease job_lease_of(db::RedisValue value) {
    return {.lease = {JobId(value[0].integer()), Token(value[1].integer())},
            .kind = value[2].string(),
            .payload = value[3].string(),
            .attempt = small(value[4]),
            .max_attempts = small(value[5]),
            .stalls = small(value[6]),
            .owner = value[7].string(),
            .group = group_id_of(value[8]),
            .deadline = time_of(value[9])};
}

UrlLease url_lease_of(db::RedisValue value, int max_attempts) {
    return {.lease = {JobId(value[0].integer()), Token(value[1].integer())},
            .group = GroupId(value[2].integer()),
            .host = HostId(value[3].integer()),
            .host_name = value[4].string(),
            .url = value[5].string(),
            .key = key_of_bytes(value[6].text()),
            .depth = small(value[7]),
            .redirects = small(value[8]),
            .source = static_cast<UrlSource>(value[9].integer()),
            .attempt = small(value[10]),
            .max_attempts = max_attempts};
}

HostRule host_rule_of(db::RedisValue value) {
    return {.host = value[0].string(),
            .connections = small(value[1]),
            .delay = std::chrono::milliseconds(value[2].integer()),
            .not_before = time_of(value[3])};
}

Job job_of(db::RedisValue value) {
    Job job{.id = JobId(value[0].integer()),
            .kind = value[1].string(),
            .state = static_cast<JobState>(value[2].integer()),
            .priority = small(value[3]),
            .attempts = small(value[4]),
            .max_attempts = small(value[5]),
            .stalls = small(value[6]),
            .progress = small(value[7]),
            .owner = value[8].string(),
            .group = group_id_of(value[9]),
            .unique_key = value[10].string(),
            .last_error = value[11].string(),
            .created_at = time_of(value[13]).value_or(Timestamp{}),
            .run_at = time_of(value[14]),
            .started_at = time_of(value[15]),
            .finished_at = time_of(value[16]),
            .start_by = time_of(value[17]),
            .deadline = time_of(value[18]),
            .payload = value[19].string(),
            .result = value[20].string(),
            .url = value[21].string()};
    if (value[12].integer() != 0) job.worker = WorkerId(value[12].integer());
    return job;
}

std::optional<Keeping> keeping_of(db::RedisValue completed, db::RedisValue failed) {
    if (completed.integer() < 0) return std::nullopt;
    return Keeping{std::chrono::milliseconds(completed.integer()),
                   std::chrono::milliseconds(failed.integer())};
}

Group group_of(db::RedisValue value) {
    Group group{.id = GroupId(value[0].integer()),
                .kind = value[1].string(),
                .name = value[2].string(),
                .options = value[3].string(),
                .collection = value[4].string(),
                .owner = value[5].string(),
                .state = static_cast<JobState>(value[6].integer()),
                .priority = small(value[7]),
                .company = static_cast<Company>(value[8].integer()),
                .page_limit = value[9].integer(),
                .index_pages = value[10].is_true(),
                .counters = counters_of(value, 16),
                .error = value[12].string(),
                .created_at = time_of(value[13]).value_or(Timestamp{}),
                .started_at = time_of(value[14]),
                .finished_at = time_of(value[15])};
    group.timings.fetch = std::chrono::microseconds(value[29].integer());
    group.timings.extract = std::chrono::microseconds(value[30].integer());
    const std::int64_t kept = value[group.counters.completed > 0 ? 33 : 34].integer();
    if (kept >= 0) group.kept_for = std::chrono::milliseconds(kept);
    for (std::size_t index = 0; index < value[11].size(); ++index)
        group.roots.push_back(value[11][index].string());
    return group;
}

FrontierUrl frontier_url_of(db::RedisValue value, GroupId group) {
    FrontierUrl url{.id = JobId(value[0].integer()),
                    .group = group,
                    .url = value[1].string(),
                    .final_url = value[2].string(),
                    .depth = small(value[3]),
                    .source = static_cast<UrlSource>(value[4].integer()),
                    .state = static_cast<UrlState>(value[5].integer()),
                    .skipped = static_cast<SkipReason>(value[6].integer()),
                    .status = small(value[7]),
                    .attempts = small(value[8]),
                    .stalls = small(value[9]),
                    .note = value[10].string(),
                    .run_at = time_of(value[11]),
                    .finished_at = time_of(value[12])};
    if (value[13].integer() != 0) url.content = ContentId(value[13].integer());
    if (value[14].integer() >= 0) url.error = static_cast<ErrorCode>(value[14].integer());
    return url;
}

}  // namespace quarry::store::redis
