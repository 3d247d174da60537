// The rows of segments: which there are, and which slots' postings they have.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/embedded_postings.h"
#include "index/embedded/collection.h"

namespace quarry::index {

enum class SegmentState : std::uint8_t { being_written = 0, used = 1, dropped = 2 };

// Those in use.
Result<std::vector<Segment>> segments_of(db::Connection& connection, std::int64_t collection);
Result<std::vector<Slot>> segment_slots(db::Connection& connection, std::int64_t segment);

// Within the writer's transaction.
Result<std::int64_t> begin_segment(db::Connection& connection, std::int64_t collection);
Result<void> use_segment(db::Connection& connection, std::int64_t segment, const std::vector<Slot>& slots);
Result<void> drop_segment(db::Connection& connection, std::int64_t segment);

}  // namespace quarry::index
