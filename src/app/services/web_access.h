// The way to the web, built from the settings: HTTP client, fetcher, and what goes along with every
// request.
// Webhooks go the same way: how they are sent, and where they may be sent to.
#pragma once

#include <memory>
#include <string>

#include "app/settings/settings.h"
#include "base/result.h"
#include "crawl/options/options.h"
#include "fetch/fetcher.h"
#include "fetch/pdf/pdf.h"
#include "fetch/redirect.h"
#include "net/address_policy.h"
#include "net/http_client.h"
#include "work/jobs/webhooks.h"

namespace quarry::app {

// The way to the web, built from the settings: HTTP client, fetcher, and what goes along with every request.

class WebAccess {
public:
    // Fails with `invalid_argument` if a setting cannot work, naming it.
    static Result<std::unique_ptr<WebAccess>> open(const Settings& settings);

    fetch::Fetcher& fetcher() { return fetcher_; }
    net::HttpClient& client() { return *client_; }
    const net::AddressPolicy& policy() const { return policy_; }
    // By origin and owner, from the file that fetch.credentials names. Never nothing.
    const std::shared_ptr<const fetch::Credentials>& credentials() const { return credentials_; }

private:
    WebAccess(std::unique_ptr<net::HttpClient> client, fetch::FetchConfig config)
        : client_(std::move(client)), fetcher_(*client_, std::move(config)) {}

    std::unique_ptr<net::HttpClient> client_;
    fetch::Fetcher fetcher_;
    net::AddressPolicy policy_;
    std::shared_ptr<const fetch::Credentials> credentials_ = std::make_shared<fetch::Credentials>();
};

// What fetch.basic_auth or fetch.bearer_token say, as the value of an Authorization header; "" without
// either. For commands of this machine alone: what a server works on is asked for by others.
Result<std::string> authorization_of_commands(const Settings& settings);

// What a server has to say about these two settings, which it ignores; "" if neither is set.
std::string note_on_ignored_credentials(const Settings& settings);

fetch::PdfLimits pdf_limits(const Settings& settings);

// How webhooks are sent, from the settings.

// `access` outlives it. Fails with `invalid_argument` if a setting cannot work, naming it.
Result<work::WebhookTools> webhook_tools(const Settings& settings, WebAccess& access);

// Where they may be sent: where pages may be fetched from, and more if webhook.allow_private says so.
net::AddressPolicy webhook_policy(const Settings& settings, const WebAccess& access);

// Fails with `invalid_argument` if the webhook's host is an address that may not be connected to. What a name
// leads to is seen when it is sent.
Result<void> check_webhook(const crawl::CrawlOptions& options, const net::AddressPolicy& policy);

}  // namespace quarry::app
