#include "store/redis/scheduling.h"

#include <boost/json.hpp>

#include "base/cron.h"
#include "store/records.h"
#include "store/redis/encoding.h"

namespace quarry::store::redis {

namespace {

// An expression that names no more times stays, and never comes.
constexpr std::int64_t never = 9'000'000'000'000'000;

std::int64_t milliseconds_of(Timestamp time) {
    return time.time_since_epoch().count();
}

std::int64_t next_time(const CronExpression& cron, Timestamp now) {
    const auto next = cron.next_after(now);
    return next ? milliseconds_of(*next) : never;
}

void add_schedule(Message& message, const std::optional<DueSchedule>& schedule) {
    if (!schedule) {
        message.nothing();
        return;
    }
    message.list(3).add(schedule->name).add(schedule->due_at).add(schedule->next_at);
}

Result<void> run(const Scheduling& scheduling, const Schedule& schedule, const DueSchedule& due) {
    if (!schedule.group) {
        TRY(add_jobs(scheduling, {&schedule.job, 1}, due));
        return {};
    }
    // What is refused is tried again at the next time.
    const auto added = add_group(scheduling, {*schedule.group, {&schedule.job, 1}, {}}, due);
    if (!added && added.error().code == ErrorCode::unavailable) return std::unexpected(added.error());
    return {};
}

}  // namespace

Result<std::vector<Added>> add_jobs(const Scheduling& scheduling, std::span<const NewJob> jobs,
                                    const std::optional<DueSchedule>& schedule) {
    Message message;
    message.list(2);
    add_schedule(message, schedule);
    add_jobs(message, jobs);
    const ScriptAnswer answer = TRY(scheduling.call("add", message));
    std::vector<Added> added;
    for (std::size_t index = 0; index + 1 < answer.result().size(); index += 2) {
        added.push_back(
            {.id = JobId(answer.result()[index].integer()), .existed = answer.result()[index + 1].is_true()});
    }
    return added;
}

Result<std::int64_t> add_group(const Scheduling& scheduling, const NewCrawl& crawl,
                               const std::optional<DueSchedule>& schedule) {
    Message message;
    message.list(4);
    add_group(message, crawl.group);
    add_jobs(message, crawl.jobs);
    add_urls(message, crawl.seeds);
    add_schedule(message, schedule);
    return TRY(scheduling.call("add_group", message)).result().integer();
}

Result<void> set_schedule(const Scheduling& scheduling, Schedule schedule) {
    const CronExpression cron = TRY(CronExpression::parse(schedule.cron));
    const std::int64_t next =
        schedule.next_at ? milliseconds_of(*schedule.next_at) : next_time(cron, scheduling.now());
    schedule.next_at.reset();
    Message message;
    message.list(4).add("set").add(schedule.name).add(boost::json::serialize(record_of(schedule))).add(next);
    TRY(scheduling.call("schedule", message));
    return {};
}

Result<bool> remove_schedule(const Scheduling& scheduling, const std::string& name) {
    return TRY(scheduling.call("schedule", Message().list(2).add("remove").add(name))).result().is_true();
}

Result<bool> run_schedules(const Scheduling& scheduling) {
    const ScriptAnswer answer = TRY(scheduling.call("read_schedules", Message().list(0)));
    const Timestamp now = scheduling.now();
    bool ran = false;
    for (std::size_t index = 0; index < answer.result().size(); ++index) {
        const db::RedisValue entry = answer.result()[index];
        if (entry[2].integer() > milliseconds_of(now)) continue;
        boost::system::error_code error;
        const boost::json::value json = boost::json::parse(entry[1].text(), error);
        const auto schedule =
            error ? Result<Schedule>(fail(ErrorCode::corrupt, "no schedule")) : parse_schedule(json);
        const auto cron = CronExpression::parse(schedule ? schedule->cron : std::string());
        if (!schedule || !cron) continue;
        ran = true;
        TRY(run(scheduling, *schedule,
                {.name = entry[0].string(), .due_at = entry[2].integer(), .next_at = next_time(*cron, now)}));
    }
    return ran;
}

}  // namespace quarry::store::redis
