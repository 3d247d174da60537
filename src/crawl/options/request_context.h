// Where a crawl was asked for, kept with it, so that records, metrics, logs and webhooks can tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace quarry::crawl {

struct RequestContext {
    std::string origin{};  // "api", "cli", or as its client names itself: "js-sdk@4.42.0"; "" on this machine
    std::optional<std::int64_t> api_key{};
    std::string request_id{};
    std::string trace_parent{}, trace_state{};  // W3C Trace Context; "" if there is none
    bool is_v1 = false;                         // of Firecrawl's API

    friend bool operator==(const RequestContext&, const RequestContext&) = default;
};

// A `traceparent` of W3C Trace Context: version, trace, parent and flags, in lower case hexadecimal digits,
// none of the ids all zeros.
bool is_trace_parent(std::string_view header);
// Its trace's 32 digits.
std::string_view trace_id_of(std::string_view trace_parent);

// {"origin", "apiKeyId", "requestId", "traceparent", "tracestate", "v1"}; what is not known is left out.
boost::json::object to_json(const RequestContext& context);
Result<RequestContext> parse_request_context(const boost::json::value& json);

}  // namespace quarry::crawl
