// Changes to whatever matches a filter: jobs, URLs and page changes alike. In steps, so that a change of a
// million rows holds nobody up.
#pragma once

#include <cstdint>
#include <optional>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

enum class BulkChange : std::uint8_t { cancel, pause, resume, retry, clear, reprioritise };

struct BulkRequest {
    BulkChange change{};
    JobFilter filter{};
    int priority = 0;              // to reprioritise
    std::optional<JobId> after{};  // where the step before ended
};

struct BulkStep {
    std::int64_t changed = 0;
    std::optional<JobId> last{};  // where to go on; nothing at the end
};

Answer<BulkStep> change_some(Ledger& ledger, const BulkRequest& request);

}  // namespace quarry::store::postgres
