// Whom to tell of a crawl, and of what: an address that gets a message for each page, and when the crawl
// begins and ends. It is an option of the crawl, in Firecrawl's names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "model/page.h"

namespace quarry::crawl {

enum class WebhookEvent : std::uint8_t { started, page, completed, failed, cancelled };

struct Webhook {
    std::string url{};
    std::vector<Header> headers{};                  // sent along
    std::map<std::string, std::string> metadata{};  // given back with every message
    // Which messages are wanted: "page", or "crawl.page" for those of crawls only.
    std::vector<std::string> events{"started", "page", "completed", "failed"};
};

// "crawl.page", "batch_scrape.completed"
std::string type_of(std::string_view kind, WebhookEvent event);

bool wants(const Webhook& webhook, std::string_view type);

// An address, or {"url", "headers", "metadata", "events"}. Fails with `invalid_argument` as check() does.
Result<Webhook> parse_webhook(const boost::json::value& json);
boost::json::object to_json(const Webhook& webhook);

// What cannot be sent, in a sentence: no http or https URL, an event that does not exist, a header that has
// line breaks, frames the message or is the signature; and more than is decent of anything.
Result<void> check(const Webhook& webhook);

}  // namespace quarry::crawl
