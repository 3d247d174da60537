// The way to the web, built from the settings: HTTP client, fetcher, and what goes along with every request.
#pragma once

#include <memory>
#include <string>

#include "app/settings/settings.h"
#include "base/result.h"
#include "fetch/redirect.h"
#include "fetch/fetcher.h"
#include "fetch/pdf/pdf.h"
#include "net/address_policy.h"
#include "net/http_client.h"

namespace quarry::app {

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

}  // namespace quarry::app
