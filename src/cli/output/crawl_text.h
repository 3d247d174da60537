// A crawl in words, for people: counts, states in their colours, the summary at the end; and as JSON, as
// `status` and `crawl --wait` print it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "cli/output/terminal.h"
#include "model/group.h"
#include "store/reader.h"

namespace quarry::cli {

// A crawl in words, for people: counts, states in their colours, the summary at the end.

// "1,169"
std::string with_commas(std::int64_t number);

// "1 page", "1,169 pages"
std::string counted(std::int64_t number, std::string_view noun);

// "https://a.example/", or "https://a.example/ and 2 more" if the crawl begins at several URLs.
std::string start_of(const Group& group);

// "up to 10,000 pages"; "9 pages" if they are all named.
std::string extent_of(const Group& group);

// Yellow queued, blue running, green completed, red failed, grey cancelled and paused.
Colour colour_of(JobState state);

// "4.1 s", "2 min 5 s", "1 h 2 min"
std::string in_words(std::chrono::milliseconds duration);

// Now, for durations that people see.
Timestamp wall_clock();

// How long it ran, or runs by now.
std::chrono::milliseconds running_time(const Group& group, Timestamp now);

// "1,169 pages (12 unchanged), 6,204 chunks, 3 failed, 2 skipped by robots.txt, 1 without text, 4.1 s"
std::string summary_of(const Group& group, store::Reader& reader);

// "2 skipped by robots.txt, 1 without text"; "" if nothing was left out that its user may miss.
std::string skipped_in_words(const Group& group, store::Reader& reader);

// "2 URLs wait to be tried again, the first in 9 s: HTTP 429 Too Many Requests"; "" if none of those that
// come next does.
std::string retries_in_words(const Group& group, store::Reader& reader, Timestamp now);

// URLs that failed, and those that gave no page for a reason that their user should know. At most `limit` of
// each kind.
Result<std::vector<FrontierUrl>> urls_without_page(store::Reader& reader, GroupId group, int limit);

// Why it gave no page, in one sentence.
std::string reason_of(const FrontierUrl& url);

// "Crawl queued at position 2": it begins when one that runs has ended.
std::string queued_at(std::int64_t position);

// "Progress: 3/12 pages (running)"; "(embedding)" while pages of a crawl that is over wait for the index.
std::string progress_line(const Group& group, std::int64_t waiting = 0);

// A crawl as JSON, as `status` and `crawl --wait` print it.

// model/json/output.h, and what only the store knows: queue_position, current_url and current_urls.
boost::json::object crawl_record(const Group& group, store::Reader& reader);

}  // namespace quarry::cli
