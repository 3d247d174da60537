// Webhooks: the jobs that announce what happens in a crawl, the message each sends, and its signature.
// A job is added in the commit that makes true what it announces, so none is lost. It belongs to no group,
// so a receiver that does not answer holds no crawl open.
// A job carries ids only. What became of the page or the crawl is read from the store when the message is
// sent.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "crawl/options/options.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/page_options.h"
#include "model/stored_page.h"
#include "net/address_policy.h"
#include "net/http_client.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::work {

// The jobs that announce what happens in a crawl (crawl/options/webhook.h). The job of a page is added in the
// commit that stores the page. The jobs of a crawl's begin and end are added in the commits that make it
// begin and end.

inline constexpr std::string_view send_webhook_kind = "send_webhook";
inline constexpr int webhook_attempts = 4;

// The job for a URL of the crawl that has ended. Nothing if the crawl's options do not ask for the event.
std::optional<NewJob> page_webhook(const crawl::CrawlOptions& options, GroupId group, JobId url);

// The notice of the crawl's group: see NewGroup::notice.
std::optional<NewJob> group_webhook(const crawl::CrawlOptions& options);

struct WebhookJob {
    GroupId group{};
    std::optional<JobId> url{};  // nothing: it is about the crawl
    JobState state = JobState::running;
};

Result<WebhookJob> parse_webhook_job(std::string_view payload);  // `corrupt`

// What a webhook sends: one JSON object, in the shape that Firecrawl's receivers know, and its signature.

struct WebhookMessage {
    bool success = true;
    std::string type{};        // "crawl.page"
    std::string id{};          // of the crawl
    std::string webhook_id{};  // of this message: the same whenever it is sent again
    boost::json::array data{};
    std::string error{};
    std::map<std::string, std::string> metadata{};
};

std::string body_of(const WebhookMessage& message);

// The value of X-Firecrawl-Signature: "sha256=" and the HMAC of the body, byte by byte as it is sent.
std::string signature_of(std::string_view secret, std::string_view body);

// Turns a webhook job into the request that is sent. What became of the page or the crawl is read from the
// store when the request is made.

struct WebhookTools {
    net::HttpClient* client = nullptr;  // nullptr: webhooks are left to other workers
    net::AddressPolicy policy{};        // a crawl may be allowed more
    std::string secret{};               // "": messages are not signed
    // The waits before the second, third and fourth try; the last wait also applies to later tries. If empty,
    // there is one try.
    std::vector<std::chrono::milliseconds> waits{std::chrono::minutes(1), std::chrono::minutes(5),
                                                 std::chrono::minutes(15)};
    // Writes a page in the format that the receiver expects. The page has been read with its content.
    std::function<boost::json::object(const StoredPage&, const Formats&)> document{};
};

// Used by one thread. The tools and the reader outlive it.
class WebhookDeliveries {
public:
    WebhookDeliveries(const WebhookTools& tools, store::Reader& reader) : tools_(tools), reader_(reader) {}

    // Nothing if there is nothing to send: the event is not wanted, or the page was not kept after all.
    // `not_found` if the crawl is gone.
    Result<std::optional<net::HttpRequest>> request_for(const store::JobLease& job);

private:
    // What all messages about a crawl have in common. Its options may be long: a batch names all its pages.
    struct About {
        std::string kind{}, id{};
        crawl::Webhook webhook{};
        Formats formats{};
        net::AddressPolicy policy{};
        std::string trace_parent{}, trace_state{};
    };

    Result<std::shared_ptr<const About>> about(GroupId group);
    Result<std::optional<WebhookMessage>> message_for(const WebhookJob& job, const About& about);
    Result<std::optional<WebhookMessage>> page_message(const WebhookJob& job, const About& about);
    Result<std::optional<WebhookMessage>> group_message(const WebhookJob& job, const About& about);
    Result<net::HttpRequest> request_with(std::string body, const About& about) const;

    const WebhookTools& tools_;
    store::Reader& reader_;
    std::map<GroupId, std::shared_ptr<const About>> known_;
};

}  // namespace quarry::work
