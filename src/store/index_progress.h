// How a crawl looks to those who ask how it is: it is not over for them while its pages are not in the index.
#pragma once

#include <boost/json/fwd.hpp>

#include "model/group.h"
#include "store/reader.h"

namespace quarry::store {

// Running instead of completed, and at most 99 %, while pages of the crawl wait to be indexed.
JobState shown_state(const Group& group, const OutboxCounts& counts);
int shown_percent(const Group& group, const OutboxCounts& counts);

// Pages that wait for something that did not work, rather than for their turn.
bool waits_for_embedder(const OutboxCounts& counts);

// Puts "status", "progress", "pages_waiting" and "waiting_reason" into the record of a crawl, and as "state"
// how far its fetching is, whatever waits after that.
void add_index_progress(boost::json::object& record, const Group& group, Reader& reader);

}  // namespace quarry::store
