// The nouns as JSON as commands print them: crawls, jobs, URLs, stored pages, and documents. Documents have
// the field names of Firecrawl's v2 protocol, which clients know. Every record of a kind has the same
// fields; what is not known is null. records.h keeps everything, output.h what people want to see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/json/fwd.hpp>

#include "base/clock.h"
#include "model/document.h"
#include "model/frontier.h"
#include "model/group.h"
#include "model/job.h"
#include "model/json/values.h"
#include "model/page_options.h"
#include "model/stored_page.h"

namespace quarry {

// Documents as JSON, in the field names of Firecrawl's v2 protocol, which clients already know. The command
// line prints the same, so that what was learnt from one can be used with the other.

// The fields that were asked for, `warning` if there is one, and `metadata` last. Images and links are plain
// URLs.
boost::json::object to_json(const Document& document, const Formats& formats);

// The metadata alone: title, description, language, ogTitle, dcCreator, publishedTime, favicon, … and every
// other named meta tag under its own name. Nothing a page says can replace a field that quarry states itself.
boost::json::object to_json(const Metadata& metadata);

// Crawls, jobs, URLs and stored pages as JSON, the same from every command. Times are ISO 8601 in UTC with
// milliseconds; what is not known is null, so that every record of a kind has the same fields.

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
