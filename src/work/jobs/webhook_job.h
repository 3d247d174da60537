// The jobs that tell somebody of a crawl (crawl/options/webhook.h). A page's is added in the commit that stores the
// page, those of the crawl's begin and end in the commits that make it begin and end: none is lost. They
// belong to no group, so that a receiver that does not answer holds no crawl open, and carry ids only: what
// is sent is read when it is sent.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "crawl/options/options.h"
#include "model/model_ids.h"
#include "model/job.h"

namespace quarry::work {

inline constexpr std::string_view send_webhook_kind = "send_webhook";
inline constexpr int webhook_attempts = 4;

// Of a URL of the crawl that has ended. Nothing if nobody wants to know.
std::optional<NewJob> page_webhook(const crawl::CrawlOptions& options, GroupId group, JobId url);

// The notice of the crawl's group: see NewGroup::notice.
std::optional<NewJob> group_webhook(const crawl::CrawlOptions& options);

struct WebhookJob {
    GroupId group{};
    std::optional<JobId> url{};  // nothing: it is about the crawl
    JobState state = JobState::running;
};

Result<WebhookJob> parse_webhook_job(std::string_view payload);  // `corrupt`

}  // namespace quarry::work
