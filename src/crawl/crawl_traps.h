// Sites that never end: folders inside themselves, calendars without a last month, filters that can be
// combined without limit. Here is what a URL tells by itself; what only shows in their number is in
// shape_counter.h. Both bound what a crawl wastes.
#pragma once

#include <cstddef>

#include "url/url.h"

namespace quarry::crawl {

// More of anything than sane sites have in a URL.
inline constexpr std::size_t max_crawled_url_bytes = 2'000;  // servers and proxies begin to refuse there
inline constexpr int max_path_segments = 32;
inline constexpr int max_query_parameters = 8;

// Whether a URL shows by itself that it leads nowhere: it exceeds one of the limits above, its path repeats
// itself (/a/b/a/b/a/b, or a segment four times in a row), or it names a month from 2101 to 2199. A calendar
// is walked month by month, so that closing one century closes all behind it; years before are left alone,
// because history has pages.
bool is_trap(const url::Url& url);

// Whether the URL names a month, with nothing but numbers behind it, or has a parameter that does: one of
// many views of the same dates.
bool is_calendar(const url::Url& url);

// 0 without a query.
int parameter_count(const url::Url& url);

}  // namespace quarry::crawl
