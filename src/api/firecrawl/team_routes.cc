// What clients ask about an account. A server of one's own has no credits to run out of.
#include <boost/json.hpp>

#include "api/firecrawl/routes.h"
#include "api/server/message.h"
#include "model/json/output.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

constexpr std::int64_t plenty = 999'999'999;

// What is left of the owner's quota, in the words of an account.
Result<json::object> usage(Api& api, store::Reader& reader, const Call& call, std::string_view unit) {
    const auto left = TRY(api.pages_left(reader, call.owner));
    const std::string remaining = "remaining" + std::string(unit), plan = "plan" + std::string(unit);
    return json::object{{"success", true},
                        {"data", json::object{{remaining, left.value_or(plenty)},
                                              {plan, left ? api.limits_of(call.owner).pages_per_month : 0},
                                              {"billingPeriodStart", nullptr},
                                              {"billingPeriodEnd", nullptr}}}};
}

struct Month {
    std::chrono::year_month month{};
    std::int64_t pages = 0;
};

Result<std::vector<Month>> months_of(store::Reader& reader, const std::string& owner, Timestamp now) {
    constexpr std::chrono::hours year{24 * 366};
    std::vector<Month> months;
    for (const UsageDay& day : TRY(reader.usage(owner, now - year))) {
        const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(day.day));
        const std::chrono::year_month month = date.year() / date.month();
        if (months.empty() || months.back().month != month) months.push_back({.month = month});
        months.back().pages += day.pages;
    }
    return months;
}

std::string first_moment(std::chrono::year_month month) {
    return iso_time(Timestamp(std::chrono::sys_days(month / 1)));
}

// Each month with what was used in it: `used` is the protocol's word for it.
void show_history(Api& api, store::Reader& reader, const Call& call, std::string_view used) {
    const auto months = months_of(reader, call.owner, api.services().now());
    if (!months) return call.respond(reply(months.error()));
    json::array periods;
    for (const Month& month : *months)
        periods.push_back(json::object{{"startDate", first_moment(month.month)},
                                       {"endDate", first_moment(month.month + std::chrono::months(1))},
                                       {used, month.pages}});
    call.respond(reply(json::object{{"success", true}, {"periods", std::move(periods)}}));
}

void show_usage(Api& api, store::Reader& reader, const Call& call, std::string_view unit) {
    const auto account = usage(api, reader, call, unit);
    call.respond(account ? reply(*account) : reply(account.error()));
}

struct Queue {
    std::int64_t active = 0, waiting = 0;
    std::optional<Timestamp> last_success{};
};

Result<Queue> queue_of(store::Reader& reader, const std::string& owner) {
    constexpr int most = 1'000;
    Queue queue;
    const auto groups = TRY(reader.groups(
        {.owner = owner, .states = {JobState::queued, JobState::running, JobState::paused}, .limit = most}));
    for (const Group& group : groups) {
        queue.active += group.counters.running;
        queue.waiting += group.counters.queued;
    }
    const auto last = TRY(reader.groups({.owner = owner, .states = {JobState::completed}, .limit = 1}));
    if (!last.empty()) queue.last_success = last.front().finished_at;
    return queue;
}

}  // namespace

void show_credit_usage(Api& api, store::Reader& reader, Call call) {
    show_usage(api, reader, call, "Credits");
}
void show_token_usage(Api& api, store::Reader& reader, Call call) {
    show_usage(api, reader, call, "Tokens");
}
void show_credit_history(Api& api, store::Reader& reader, Call call) {
    show_history(api, reader, call, "creditsUsed");
}
void show_token_history(Api& api, store::Reader& reader, Call call) {
    show_history(api, reader, call, "tokensUsed");
}

void show_queue_status(Api& api, store::Reader& reader, Call call) {
    const auto queue = queue_of(reader, call.owner);
    if (!queue) return call.respond(reply(queue.error()));
    call.respond(reply(json::object{
        {"success", true},
        {"jobsInQueue", queue->active + queue->waiting},
        {"activeJobsInQueue", queue->active},
        {"waitingJobsInQueue", queue->waiting},
        {"maxConcurrency", api.services().max_concurrency},
        {"mostRecentSuccess", queue->last_success ? json::value(iso_time(*queue->last_success)) : nullptr}}));
}

void show_concurrency(Api& api, store::Reader& reader, Call call) {
    const auto queue = queue_of(reader, call.owner);
    if (!queue) return call.respond(reply(queue.error()));
    call.respond(reply(json::object{{"success", true},
                                    {"concurrency", queue->active},
                                    {"maxConcurrency", api.services().max_concurrency}}));
}

void refuse_cloud_only(Api&, store::Reader&, Call call) {
    call.respond(
        reply_error(501, "NOT_IMPLEMENTED",
                    call.request().path + " is not available on this server: it needs Firecrawl's cloud"));
}

}  // namespace quarry::api
