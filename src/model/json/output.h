// Crawls, jobs, URLs and stored pages as JSON, the same from every command. Times are ISO 8601 in UTC with
// milliseconds; what is not known is null, so that every record of a kind has the same fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/json/fwd.hpp>

#include "base/base_clock.h"
#include "model/frontier.h"
#include "model/group.h"
#include "model/json/iso_time.h"
#include "model/job.h"
#include "model/stored_page.h"

namespace quarry {

// 0 to 100. 100 only when the crawl is completed; URLs that are found later can take it back.
int percent_done(const Group& group);

// {"fetch_ms", "extract_ms", "chunk_ms", "embed_ms", "index_ms", "bm25_ms"}
boost::json::object to_json(const Timings& timings);

// Of a crawl: crawl_id, status, url, progress, urls_total, urls_completed, …, error. `salt` is the
// database's.
boost::json::object to_json(const Group& group, std::uint64_t salt);

// Of a job: the fields that clients of an embedding queue know (id, jobId, url, status, retries, maxRetries,
// lastError, createdAt, updatedAt), then quarry's own. Only embedding jobs use those clients' words for the
// status. `group_created_at` is the time of the job's crawl, of which jobId is made; jobId is null without.
boost::json::object to_json(const Job& job, std::uint64_t salt, std::optional<Timestamp> group_created_at);

// Of a URL: url, status, reason in words, and how often it was tried.
boost::json::object to_json(const FrontierUrl& url);

// Of a stored page, in the names of scraped documents. Its content, if it was read along, adds markdown,
// html, links and metadata.
boost::json::object to_json(const StoredPage& page);

}  // namespace quarry
