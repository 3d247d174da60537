// From a job that tells somebody of a crawl to the request that is sent: what became of the page or the crawl
// is read from the store when its time has come.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "crawl/options/options.h"
#include "model/formats.h"
#include "model/stored_page.h"
#include "net/address_policy.h"
#include "net/http_client.h"
#include "store/reader.h"
#include "store/store.h"
#include "work/jobs/webhook_job.h"
#include "work/jobs/webhook_message.h"

namespace quarry::work {

struct WebhookTools {
    net::HttpClient* client = nullptr;  // nothing: webhooks are left to other workers
    net::AddressPolicy policy{};        // a crawl may be allowed more
    std::string secret{};               // "": messages are not signed
    // Before the second, third and fourth try; the last also for those after it. None: there is one try.
    std::vector<std::chrono::milliseconds> waits{std::chrono::minutes(1), std::chrono::minutes(5),
                                                 std::chrono::minutes(15)};
    // A page in the words of whoever receives it. The page has been read with its content.
    std::function<boost::json::object(const StoredPage&, const Formats&)> document{};
};

// Used by one thread. Both outlive it.
class WebhookDeliveries {
public:
    WebhookDeliveries(const WebhookTools& tools, store::Reader& reader) : tools_(tools), reader_(reader) {}

    // Nothing if there is nothing to tell: the event is not wanted, or the page was not kept after all.
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
