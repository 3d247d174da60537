#include "work/jobs/webhook_job.h"

#include <boost/json.hpp>

#include "model/json/json_in.h"

namespace quarry::work {

namespace {

namespace json = boost::json;

NewJob job_with(const crawl::CrawlOptions& options, std::string payload) {
    return {.kind = std::string(send_webhook_kind),
            .payload = std::move(payload),
            .priority = options.priority,
            .max_attempts = webhook_attempts,
            .owner = options.owner,
            .zero_retention = options.zero_retention};
}

}  // namespace

std::optional<NewJob> page_webhook(const crawl::CrawlOptions& options, GroupId group, JobId url) {
    const auto& webhook = options.webhook;
    if (!webhook || !wants(*webhook, type_of(options.kind, crawl::WebhookEvent::page))) return std::nullopt;
    return job_with(options, json::serialize(json::object{{"group", number(group)}, {"url", number(url)}}));
}

std::optional<NewJob> group_webhook(const crawl::CrawlOptions& options) {
    if (!options.webhook) return std::nullopt;
    return job_with(options, "{}");
}

Result<WebhookJob> parse_webhook_job(std::string_view payload) {
    boost::system::error_code error;
    const json::value value = json::parse(payload, error);
    const json::object* object = error ? nullptr : value.if_object();
    const auto group = object ? number_in(*object, "group") : std::nullopt;
    if (!group) return fail(ErrorCode::corrupt, "the job does not say which crawl it is about");
    WebhookJob job{.group = GroupId{*group}};
    if (const auto url = number_in(*object, "url")) job.url = JobId{*url};
    if (const json::value* state = object->if_contains("state"); state && state->is_string())
        job.state = TRY(parse_job_state(state->get_string()));
    return job;
}

}  // namespace quarry::work
