#include "api/firecrawl/states.h"

#include <string>

#include <fmt/format.h>

#include "model/ids.h"

namespace quarry::api {

namespace {

std::unexpected<Error> not_found() {
    return fail(ErrorCode::not_found, "Job not found");
}

}  // namespace

Result<Group> find_group(store::Reader& reader, const Call& call, std::string_view kind) {
    if (!is_uuid(call.values.at(0))) return fail(ErrorCode::invalid_argument, "Invalid job ID");
    const auto id = parse_public_id(call.values.at(0), reader.salt());
    if (!id) return not_found();
    auto group = reader.group(GroupId{id->number});
    if (!group && group.error().code == ErrorCode::not_found) return not_found();
    if (!group) return group;
    const bool is_meant =
        group->created_at == id->created_at && group->kind == kind && group->owner == call.owner;
    if (!is_meant) return not_found();
    return group;
}

std::string id_of(const Group& group, const store::Reader& reader) {
    return public_id(number(group.id), group.created_at, reader.salt());
}

std::string_view firecrawl_state(JobState state) {
    switch (state) {
        case JobState::completed: return "completed";
        case JobState::failed: return "failed";
        case JobState::cancelled: return "cancelled";
        case JobState::queued:
        case JobState::running:
        case JobState::paused: break;
    }
    return "scraping";
}

Timestamp expiry_of(const Services& services, const Group& group) {
    const auto options = crawl::options_of(group);
    const bool is_private = options && options->zero_retention;
    const auto otherwise = is_private ? services.promises.zero_retention : services.promises.others;
    return group.finished_at.value_or(services.now()) + group.kept_for.value_or(otherwise);
}

std::string origin_of(const Request& request) {
    const std::string_view forwarded = request.header("x-forwarded-proto");
    const std::string_view scheme = forwarded == "https" || request.is_encrypted ? "https" : "http";
    const std::string_view forwarded_host = request.header("x-forwarded-host");
    const std::string_view host = forwarded_host.empty() ? request.header("host") : forwarded_host;
    return fmt::format("{}://{}", scheme, host);
}

namespace {

// A certificate that is not trusted is refused like an address that is not allowed; only the words tell.
bool is_of_tls(const FrontierUrl& url) {
    return url.note.find("certificate of") != std::string::npos ||
           url.note.find("TLS handshake") != std::string::npos;
}

}  // namespace

ScrapeError scrape_error_of(const FrontierUrl& url) {
    if (url.skipped == SkipReason::not_a_page) return {500, "SCRAPE_UNSUPPORTED_FILE_ERROR"};
    // Of a page that was named, this is what the request's own selectors leave.
    if (url.skipped == SkipReason::empty) return {422, "SCRAPE_SITE_ERROR"};
    if (is_of_tls(url)) return {500, "SCRAPE_SSL_ERROR"};
    switch (url.error.value_or(ErrorCode::unavailable)) {
        // Nothing answered, so it is the name that was not found. Clients expect this one with status 200.
        case ErrorCode::not_found:
            if (url.status == 0) return {200, "SCRAPE_DNS_RESOLUTION_ERROR"};
            return {500, "SCRAPE_SITE_ERROR"};
        case ErrorCode::timeout: return {408, "SCRAPE_TIMEOUT"};
        case ErrorCode::refused: return {403, "FORBIDDEN"};
        case ErrorCode::invalid_argument: return {400, "BAD_REQUEST"};
        case ErrorCode::unsupported: return {500, "SCRAPE_UNSUPPORTED_FILE_ERROR"};
        case ErrorCode::too_large:
        case ErrorCode::corrupt: return {500, "SCRAPE_SITE_ERROR"};
        case ErrorCode::conflict:
        case ErrorCode::exhausted:
        case ErrorCode::unavailable:
        case ErrorCode::interrupted: break;
    }
    return {500, "SCRAPE_ALL_ENGINES_FAILED"};
}

}  // namespace quarry::api
