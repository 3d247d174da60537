// The way to the web, built from the settings: HTTP client, fetcher, and what goes along with every request.
#pragma once

#include <memory>
#include <vector>

#include "app/settings.h"
#include "base/result.h"
#include "fetch/fetcher.h"
#include "fetch/pdf.h"
#include "model/page.h"
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
    // Authorization, from fetch.basic_auth or fetch.bearer_token; empty without either.
    const std::vector<Header>& credentials() const { return credentials_; }

private:
    WebAccess(std::unique_ptr<net::HttpClient> client, fetch::FetchConfig config)
        : client_(std::move(client)), fetcher_(*client_, std::move(config)) {}

    std::unique_ptr<net::HttpClient> client_;
    fetch::Fetcher fetcher_;
    net::AddressPolicy policy_;
    std::vector<Header> credentials_;
};

fetch::PdfLimits pdf_limits(const Settings& settings);

}  // namespace quarry::app
