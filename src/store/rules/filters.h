// Changes that a person makes to whatever matches a filter: jobs, URLs and changes of pages alike.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/job.h"
#include "store/reader.h"

namespace quarry::store {

enum class BulkChange : std::uint8_t {
    cancel,
    pause,
    resume,
    retry,
    hasten,  // only changes of pages: those that wait for their time are due
    clear,
    reprioritise,
};

struct BulkRequest {
    BulkChange change{};
    JobFilter filter{};
    int priority = 0;              // to reprioritise
    std::optional<JobId> after{};  // where the step before ended
};

// In steps, so that a change of a million rows holds nobody up.
struct BulkStep {
    std::int64_t changed = 0;
    std::optional<JobId> last{};  // where to go on; nothing at the end
};

// The states that both the change and the filter speak of.
std::vector<JobState> states_of(const BulkRequest& request);

}  // namespace quarry::store
