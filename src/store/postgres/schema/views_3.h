// The third version of the views: the index that lists a crawl's pages by how and when they ended. The one
// before held for any URL with a time of its end, which nothing that is asked for says, so that it was never
// used.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* views_3 = R"sql(
drop index quarry.frontier_listing;
create index frontier_listing on quarry.frontier(grp, state, (quarry.time_of(finished_at))) where state in (2, 3, 5);
)sql";

}  // namespace quarry::store::postgres
