#include "work/jobs/webhook_message.h"

#include <boost/json.hpp>

#include "base/sha256.h"
#include "model/json/readable.h"

namespace quarry::work {

namespace json = boost::json;

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

}  // namespace quarry::work
