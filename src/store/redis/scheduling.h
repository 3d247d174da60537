// Adding jobs and groups, by hand or because a schedule says so. Cron expressions are read here; that of many
// processes one adds the job of a schedule is seen to by the scripts.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/redis/link.h"
#include "store/store.h"

namespace quarry::store::redis {

struct Scheduling {
    std::function<Result<ScriptAnswer>(std::string_view script, const Message&)> call;
    std::function<Timestamp()> now;
};

// A schedule whose time has come.
struct DueSchedule {
    std::string name{};
    std::int64_t due_at = 0, next_at = 0;
};

Result<std::vector<Added>> add_jobs(const Scheduling& scheduling, std::span<const NewJob> jobs,
                                    const std::optional<DueSchedule>& schedule);

struct NewCrawl {
    const NewGroup& group;
    std::span<const NewJob> jobs;
    std::span<const FoundUrl> seeds;
};
// Its id; 0 if somebody else has begun it for the schedule.
Result<std::int64_t> add_group(const Scheduling& scheduling, const NewCrawl& crawl,
                               const std::optional<DueSchedule>& schedule);

Result<void> set_schedule(const Scheduling& scheduling, Schedule schedule);
Result<bool> remove_schedule(const Scheduling& scheduling, const std::string& name);
// Adds what is due. True if there was any.
Result<bool> run_schedules(const Scheduling& scheduling);

}  // namespace quarry::store::redis
