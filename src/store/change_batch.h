// Changes of the outbox that somebody asked to have done now, and how far that is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "model/ids.h"
#include "store/reader.h"

namespace quarry::store {

struct ChangeBatch {
    std::vector<JobId> ids{};
    Timestamp asked_at{};  // attempts that ended earlier do not count
};

struct BatchProgress {
    std::int64_t succeeded = 0, failed = 0;  // one attempt of each
    std::int64_t left = 0;
    std::string last_error{};  // of one that failed
};

// The first of those that wait: by priority, then by age, also such whose time has not come.
Result<std::vector<JobId>> next_changes(Reader& reader, const std::string& collection,
                                        const std::string& owner, int limit);

// A change that is not there any more needs no more work.
Result<BatchProgress> progress_of(Reader& reader, const ChangeBatch& batch);

// {"processed", "succeeded", "failed", "left", "last_error"}
boost::json::object record_of(const BatchProgress& progress);
Result<BatchProgress> parse_batch_progress(const boost::json::value& record);

boost::json::object to_json(const ChangeBatch& batch);
Result<ChangeBatch> parse_change_batch(const boost::json::value& json);

}  // namespace quarry::store
