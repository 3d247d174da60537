#include "store/rules/filters.h"

#include <algorithm>

namespace quarry::store {

namespace {

std::vector<JobState> states_for(BulkChange change) {
    using enum JobState;
    switch (change) {
        case BulkChange::cancel: return {queued, running, paused};
        case BulkChange::pause: return {queued};
        case BulkChange::resume: return {paused};
        case BulkChange::retry: return {failed, cancelled};
        case BulkChange::hasten: return {queued};
        case BulkChange::clear: return {queued, completed, failed, cancelled, paused};
        case BulkChange::reprioritise: return {queued, paused};
    }
    return {};
}

}  // namespace

std::vector<JobState> states_of(const BulkRequest& request) {
    std::vector<JobState> states = states_for(request.change);
    // Pages that wait because a service was away need not wait when somebody says that it is back.
    if (request.change == BulkChange::retry && request.filter.kind == "embed_page")
        states.push_back(JobState::queued);
    const std::vector<JobState>& wanted = request.filter.states;
    if (!wanted.empty())
        std::erase_if(states, [&](JobState state) { return std::ranges::count(wanted, state) == 0; });
    return states;
}

}  // namespace quarry::store
