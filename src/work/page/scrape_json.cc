#include <chrono>

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "model/json/document_json.h"
#include "url/page_address.h"
#include "work/page/scrape.h"

namespace quarry::work {

namespace {

namespace json = boost::json;

// Programs tell failures apart by these; the sentence is for people.
std::string_view code_name(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument: return "invalid_argument";
        case ErrorCode::not_found: return "not_found";
        case ErrorCode::conflict: return "conflict";
        case ErrorCode::refused: return "refused";
        case ErrorCode::unavailable: return "unavailable";
        case ErrorCode::timeout: return "timeout";
        case ErrorCode::too_large: return "too_large";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::corrupt: return "corrupt";
        case ErrorCode::interrupted: return "interrupted";
        case ErrorCode::exhausted: return "exhausted";
    }
    return "unknown";
}

std::string iso_time(std::chrono::system_clock::time_point time) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", std::chrono::floor<std::chrono::seconds>(time));
}

}  // namespace

json::object to_json(const ScrapeRecord& record, const Formats& formats) {
    json::object object;
    object["url"] = url::without_secrets(record.url);
    object["success"] = record.success();
    object["status_code"] = record.status_code;
    object["crawl_timestamp"] = iso_time(record.fetched_at);
    object["error"] = nullptr;
    if (record.error) {
        object["error"] = record.error->message;
        object["code"] = code_name(record.error->code);
    }
    json::object metadata;
    if (record.document) {
        object["title"] = record.document->metadata.title;
        object["description"] = record.document->metadata.description;
        for (auto& [name, value] : quarry::to_json(*record.document, formats)) object[name] = value;
        if (!record.branding.empty()) object["branding"] = record.branding;
        if (const json::value* found = object.if_contains("metadata")) metadata = found->as_object();
    }
    metadata["sourceURL"] = url::without_secrets(record.url);
    if (!record.final_url.empty()) metadata["url"] = record.final_url;
    metadata["statusCode"] = record.status_code;
    if (!record.content_type.empty()) metadata["contentType"] = record.content_type;
    if (record.error) metadata["error"] = record.error->message;
    metadata["fetchedAt"] = iso_time(record.fetched_at);
    object["metadata"] = std::move(metadata);
    return object;
}

}  // namespace quarry::work
