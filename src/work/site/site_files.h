// How one site is asked: who asks, by which rules, and until when.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "fetch/redirect.h"
#include "fetch/fetcher.h"
#include "model/collection.h"
#include "model/page.h"
#include "net/address_policy.h"
#include "url/url.h"

namespace quarry::work {

// A value; copies share the fetcher, which must outlive them. Safe to use from many threads at once.
struct SiteAccess {
    fetch::Fetcher& fetcher;
    net::AddressPolicy policy{};
    std::vector<Header> headers{};
    std::string agent = "quarry";  // whom robots.txt is asked about
    net::HttpLimits limits{};      // of files that are no pages, which have bounds of their own on size
    std::stop_token stop{};

    // Credentials by origin, and whose request this is. Nothing: there are none.
    std::shared_ptr<const fetch::Credentials> credentials{};
    std::string owner{local_owner};

    // The origin that `headers` are meant for. They may hold credentials, and a site can name files anywhere:
    // other origins get only those that say nothing about who asks. Empty means that everybody gets them.
    std::string headers_origin{};

    fetch::FetchRequest request(const url::Url& url,
                                std::optional<net::HttpLimits> special_limits = {}) const;

    // Waits for the page. An answer of status 400 and above is an error here, worded "HTTP 404 Not Found".
    Result<Page> get(const url::Url& url, std::optional<net::HttpLimits> special_limits = {}) const;
};

}  // namespace quarry::work
