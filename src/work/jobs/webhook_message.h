// What a webhook sends: one JSON object, in the shape that Firecrawl's receivers know, and its signature.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace quarry::work {

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

}  // namespace quarry::work
