// How many pages an owner may still have fetched: asked before work is taken, and again by who fetches, since
// work can be added in many ways and at many times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "store/reader.h"

namespace quarry::store {

// Nothing if nobody counts.
Result<std::optional<std::int64_t>> pages_left(Reader& reader, const std::string& owner, Timestamp now);

// "the 100 pages that team may have fetched in 30 days are used up"
std::string quota_sentence(std::int64_t pages_per_month, const std::string& owner);

}  // namespace quarry::store
