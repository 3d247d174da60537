#include "crawl/options/request_context.h"

#include <algorithm>

#include <boost/json.hpp>

#include "crawl/options/json.h"

namespace quarry::crawl {

namespace {

namespace json = boost::json;

// "00-" + 32 digits + "-" + 16 + "-" + 2. A later version may have more behind it.
constexpr std::size_t trace_begin = 3, trace_digits = 32, parent_begin = 36, parent_digits = 16,
                      flags_begin = 53, least_size = 55;

bool is_hex(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_zero(std::string_view digits) {
    return digits.find_first_not_of('0') == std::string_view::npos;
}

Result<void> read(const json::object& in, std::string_view name, std::string& into) {
    const json::value* value = in.if_contains(name);
    if (!value || value->is_null()) return {};
    if (!value->is_string()) return wrong_kind(*value, name, "a text");
    into = value->get_string();
    return {};
}

}  // namespace

bool is_trace_parent(std::string_view header) {
    if (header.size() < least_size || header[2] != '-' || header[35] != '-' || header[52] != '-')
        return false;
    const std::string_view version = header.substr(0, 2), trace = header.substr(trace_begin, trace_digits);
    const std::string_view parent = header.substr(parent_begin, parent_digits);
    if (!is_hex(version) || version == "ff" || !is_hex(trace) || !is_hex(parent)) return false;
    if (is_zero(trace) || is_zero(parent) || !is_hex(header.substr(flags_begin, 2))) return false;
    const bool has_more = header.size() > least_size;
    return !has_more || (version != "00" && header[least_size] == '-');
}

std::string_view trace_id_of(std::string_view trace_parent) {
    return is_trace_parent(trace_parent) ? trace_parent.substr(trace_begin, trace_digits)
                                         : std::string_view();
}

json::object to_json(const RequestContext& context) {
    json::object out;
    if (!context.origin.empty()) out["origin"] = context.origin;
    if (context.api_key) out["apiKeyId"] = *context.api_key;
    if (!context.request_id.empty()) out["requestId"] = context.request_id;
    if (!context.trace_parent.empty()) out["traceparent"] = context.trace_parent;
    if (!context.trace_state.empty()) out["tracestate"] = context.trace_state;
    if (context.is_v1) out["v1"] = true;
    return out;
}

Result<RequestContext> parse_request_context(const json::value& value) {
    if (!value.is_object()) return wrong_kind(value, "request", "an object");
    const json::object& in = value.get_object();
    RequestContext context;
    TRY(read(in, "origin", context.origin));
    TRY(read(in, "requestId", context.request_id));
    TRY(read(in, "traceparent", context.trace_parent));
    TRY(read(in, "tracestate", context.trace_state));
    if (const json::value* key = in.if_contains("apiKeyId"); key && key->is_int64())
        context.api_key = key->get_int64();
    if (const json::value* v1 = in.if_contains("v1")) context.is_v1 = v1->is_bool() && v1->get_bool();
    return context;
}

}  // namespace quarry::crawl
