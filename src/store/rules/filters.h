// What filters mean in every store: which URLs the fields of a PageFilter match, and which states a change
// to everything that matches a JobFilter applies to.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/job.h"
#include "store/reader.h"

namespace quarry::store {

// What the fields of a PageFilter mean for a URL, in every store.

// Whether a URL is of this host or one of its subdomains. A host without a port means any.
bool is_of_host(std::string_view url, std::string_view host);
// Whether the path of a URL begins so.
bool has_path_prefix(std::string_view url, std::string_view prefix);

// Changes that a person makes to whatever matches a filter: jobs, URLs and changes of pages alike.

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
