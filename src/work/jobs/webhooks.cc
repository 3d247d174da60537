#include "work/jobs/webhooks.h"

#include <boost/json.hpp>

#include "base/ascii.h"
#include "base/sha256.h"
#include "model/ids.h"
#include "model/json/fields.h"
#include "model/json/readable.h"
#include "work/crawl_context.h"

namespace quarry::work {

namespace json = boost::json;

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

std::string body_of(const WebhookMessage& message) {
    json::object body{{"success", message.success},
                      {"type", message.type},
                      {"id", message.id},
                      {"webhookId", message.webhook_id},
                      {"data", message.data}};
    if (!message.error.empty()) body["error"] = message.error;
    if (!message.metadata.empty()) {
        json::object& metadata = body["metadata"].emplace_object();
        for (const auto& [name, value] : message.metadata) metadata[name] = value;
    }
    return readable_json(body);
}

std::string signature_of(std::string_view secret, std::string_view body) {
    return "sha256=" + hex_of(hmac_sha256(secret, body));
}

namespace {

namespace json = boost::json;
using crawl::WebhookEvent;

constexpr std::size_t crawls_remembered = 64;
constexpr std::chrono::seconds patience{10};
constexpr std::uint64_t answer_bytes = 64u << 10;  // of which nothing is read; enough to keep a connection

WebhookEvent event_of(JobState state) {
    switch (state) {
        case JobState::completed: return WebhookEvent::completed;
        case JobState::failed: return WebhookEvent::failed;
        case JobState::cancelled: return WebhookEvent::cancelled;
        case JobState::queued:
        case JobState::running:
        case JobState::paused: break;
    }
    return WebhookEvent::started;
}

json::object failed_document(const FrontierUrl& url) {
    json::object metadata{{"sourceURL", url.url}, {"error", url.note}};
    if (url.status != 0) metadata["statusCode"] = url.status;
    return {{"metadata", std::move(metadata)}};
}

bool has_header(const std::vector<Header>& headers, std::string_view name) {
    return std::ranges::any_of(headers,
                               [&](const Header& header) { return equals_ignore_case(header.name, name); });
}

}  // namespace

Result<std::optional<net::HttpRequest>> WebhookDeliveries::request_for(const store::JobLease& lease) {
    const WebhookJob job = TRY(parse_webhook_job(lease.payload));
    const auto about = TRY(this->about(job.group));
    auto message = TRY(message_for(job, *about));
    if (!message) return std::nullopt;
    const Job row = TRY(reader_.job(lease.lease.id));
    message->id = about->id;
    message->webhook_id = public_id(number(row.id), row.created_at, reader_.salt());
    message->metadata = about->webhook.metadata;
    auto request = TRY(request_with(body_of(*message), *about));
    return std::optional(std::move(request));
}

Result<std::shared_ptr<const WebhookDeliveries::About>> WebhookDeliveries::about(GroupId id) {
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    const Group group = TRY(reader_.group(id));
    const crawl::CrawlOptions options = TRY(crawl::options_of(group));
    if (!options.webhook) return fail(ErrorCode::corrupt, "the crawl has no webhook");
    if (known_.size() >= crawls_remembered) known_.clear();
    const auto about =
        std::make_shared<About>(About{.kind = group.kind,
                                      .id = public_id(number(group.id), group.created_at, reader_.salt()),
                                      .webhook = *options.webhook,
                                      .formats = options.formats,
                                      .policy = widened(tools_.policy, options),
                                      .trace_parent = options.request.trace_parent,
                                      .trace_state = options.request.trace_state});
    known_.emplace(id, about);
    return about;
}

Result<std::optional<WebhookMessage>> WebhookDeliveries::message_for(const WebhookJob& job,
                                                                     const About& about) {
    const WebhookEvent event = job.url ? WebhookEvent::page : event_of(job.state);
    const std::string type = type_of(about.kind, event);
    if (!wants(about.webhook, type)) return std::nullopt;
    auto message = TRY(job.url ? page_message(job, about) : group_message(job, about));
    if (message) message->type = type;
    return message;
}

Result<std::optional<WebhookMessage>> WebhookDeliveries::page_message(const WebhookJob& job,
                                                                      const About& about) {
    const auto urls =
        TRY(reader_.urls({.group = job.group, .after = JobId{number(*job.url) - 1}, .limit = 1}));
    const bool is_there = !urls.empty() && urls[0].id == *job.url;
    if (!is_there) return std::nullopt;
    WebhookMessage message;
    if (urls[0].state == UrlState::failed) {
        message.success = false;
        message.error = urls[0].note;
        message.data.push_back(failed_document(urls[0]));
        return message;
    }
    // Another page turned out to be the same, or it is fetched once more and another job will tell.
    if (urls[0].state != UrlState::completed) return std::nullopt;
    const auto stored =
        TRY(reader_.pages({.group = job.group, .url = job.url, .limit = 1, .with_content = true}));
    for (const StoredPage& page : stored.pages)
        if (tools_.document) message.data.push_back(tools_.document(page, about.formats));
    return message;
}

Result<std::optional<WebhookMessage>> WebhookDeliveries::group_message(const WebhookJob& job, const About&) {
    WebhookMessage message;
    if (job.state == JobState::failed) {
        message.success = false;
        message.error = TRY(reader_.group(job.group)).error;
    }
    if (job.state == JobState::cancelled) {
        message.success = false;
        message.error = "it was cancelled";
    }
    return message;
}

Result<net::HttpRequest> WebhookDeliveries::request_with(std::string body, const About& about) const {
    net::HttpRequest request{.url = TRY(url::Url::parse(about.webhook.url)),
                             .method = net::HttpMethod::post,
                             .headers = about.webhook.headers,
                             .policy = about.policy};
    if (!has_header(request.headers, "content-type"))
        request.headers.push_back({"Content-Type", "application/json"});
    if (!about.trace_parent.empty() && !has_header(request.headers, "traceparent")) {
        request.headers.push_back({"traceparent", about.trace_parent});
        if (!about.trace_state.empty()) request.headers.push_back({"tracestate", about.trace_state});
    }
    if (!tools_.secret.empty())
        request.headers.push_back({"X-Firecrawl-Signature", signature_of(tools_.secret, body)});
    request.body = std::move(body);
    request.limits = {.timeout = patience,
                      .connect_timeout = patience,
                      .body_bytes = answer_bytes,
                      .when_too_large = net::WhenTooLarge::truncate,
                      .header_bytes = answer_bytes};
    return request;
}

}  // namespace quarry::work
