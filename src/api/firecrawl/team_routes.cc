// What clients ask about an account. A server of one's own has no credits to run out of.
#include "api/firecrawl/routes.h"
#include "api/reply.h"
#include "model/records_json.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

constexpr std::int64_t plenty = 999'999'999;

json::object usage(std::string_view remaining, std::string_view plan) {
    return {{"success", true},
            {"data", json::object{{remaining, plenty},
                                  {plan, 0},
                                  {"billingPeriodStart", nullptr},
                                  {"billingPeriodEnd", nullptr}}}};
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

void show_credit_usage(Api&, store::Reader&, Call call) {
    call.respond(reply(usage("remainingCredits", "planCredits")));
}

void show_token_usage(Api&, store::Reader&, Call call) {
    call.respond(reply(usage("remainingTokens", "planTokens")));
}

void show_usage_history(Api&, store::Reader&, Call call) {
    call.respond(reply(json::object{{"success", true}, {"periods", json::array()}}));
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
