#include "api/firecrawl/scrape_error.h"

#include <string>

namespace quarry::api {
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
