// Firecrawl's words for what quarry has: crawls and batches by the ids that clients have, their states, and
// why a page could not be had.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "api/api.h"
#include "api/routes.h"
#include "base/result.h"
#include "model/frontier.h"
#include "model/group.h"
#include "store/reader.h"

namespace quarry::api {

// Crawls and batches by the ids that clients have, and their state in Firecrawl's words.

// The group that the path names, if it is of that kind and the caller's own. `invalid_argument` ("Invalid job
// ID") or `not_found`: another's is not told from one that never was.
Result<Group> find_group(store::Reader& reader, const Call& call, std::string_view kind);

std::string id_of(const Group& group, const store::Reader& reader);

// "scraping", "completed", "failed", "cancelled"
std::string_view firecrawl_state(JobState state);

// When its results are removed, or would be if it ended now; what is in the search index stays.
Timestamp expiry_of(const Services& services, const Group& group);

// The address of one's own API as the client reached it: "http://127.0.0.1:3002".
std::string origin_of(const Request& request);

// Why a page could not be had, as Firecrawl names it.

struct ScrapeError {
    int status = 500;  // of the answer to who waits for the page
    std::string_view code{};
};

// Of a URL that failed, was skipped or cancelled.
ScrapeError scrape_error_of(const FrontierUrl& url);

}  // namespace quarry::api
