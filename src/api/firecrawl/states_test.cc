#include "api/firecrawl/states.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::api;

TEST_CASE("clients are told why a page could not be had in the codes they know") {
    struct Row {
        FrontierUrl url;
        int status;
        const char* code;
    };
    const Row rows[] = {
        {{.note = "could not resolve host a.example", .error = ErrorCode::not_found},
         200,
         "SCRAPE_DNS_RESOLUTION_ERROR"},
        {{.note = "timed out after 10 s", .error = ErrorCode::timeout}, 408, "SCRAPE_TIMEOUT"},
        {{.note = "refused: 10.0.0.1 is private", .error = ErrorCode::refused}, 403, "FORBIDDEN"},
        {{.note = "certificate of a.example is not trusted", .error = ErrorCode::refused},
         500,
         "SCRAPE_SSL_ERROR"},
        {{.note = "TLS handshake with a.example failed", .error = ErrorCode::unavailable},
         500,
         "SCRAPE_SSL_ERROR"},
        {{.note = "cannot read the selector", .error = ErrorCode::invalid_argument}, 400, "BAD_REQUEST"},
        {{.skipped = SkipReason::not_a_page, .note = "a PNG image"}, 500, "SCRAPE_UNSUPPORTED_FILE_ERROR"},
        {{.skipped = SkipReason::empty, .note = "the page has no text in what the selectors leave of it"},
         422,
         "SCRAPE_SITE_ERROR"},
        {{.note = "connection refused", .error = ErrorCode::unavailable}, 500, "SCRAPE_ALL_ENGINES_FAILED"},
        {{.note = "the page mentions timed out and resolve"}, 500, "SCRAPE_ALL_ENGINES_FAILED"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.url.note);
        CHECK(scrape_error_of(row.url).status == row.status);
        CHECK(scrape_error_of(row.url).code == row.code);
    }
}
