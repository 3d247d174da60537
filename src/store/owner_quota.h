// What an owner may still have fetched and kept: asked before work is taken, and again by who fetches, since
// work can be added in many ways and at many times.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "store/reader.h"

namespace quarry::store {

// Pages in 30 days. Nothing if nobody counts.
Result<std::optional<std::int64_t>> pages_left(Reader& reader, const std::string& owner, Timestamp now);

// Bytes of stored pages; less than 0 if there is more already. Nothing if nobody counts. It looks at each
// page of the owner.
Result<std::optional<std::int64_t>> storage_left(Reader& reader, const std::string& owner);

// Whether owners keep as much as they may, looked at now and then: what comes in between is kept. Any thread.
class StorageLooks {
public:
    // A look that fails leaves the answer of the one before.
    bool is_used_up(Reader& reader, const std::string& owner, Timestamp now);

private:
    struct Look {
        Timestamp fresh_until{};
        bool is_used_up = false;
    };
    Guarded<std::map<std::string, Look>> looks_;  // by owner
};

// "the 100 pages that team may have fetched in 30 days are used up"
std::string pages_sentence(std::int64_t pages_per_month, const std::string& owner);
// "the 2GB of pages that team may keep are used up: forget some, or raise the limit"
std::string storage_sentence(std::int64_t stored_bytes, const std::string& owner);

}  // namespace quarry::store
