#include "store/sqlite/filtered.h"

#include <algorithm>

#include "store/sqlite/change_jobs.h"
#include "store/sqlite/change_outbox.h"
#include "store/sqlite/change_urls.h"
#include "store/sqlite/sqlite_reader_jobs.h"

namespace quarry::store {

namespace {

constexpr int rows_per_step = 500;

std::vector<JobState> states_for(BulkChange change) {
    using enum JobState;
    switch (change) {
        case BulkChange::cancel: return {queued, running, paused};
        case BulkChange::pause: return {queued};
        case BulkChange::resume: return {paused};
        case BulkChange::retry: return {failed, cancelled};
        case BulkChange::clear: return {queued, completed, failed, cancelled, paused};
        case BulkChange::reprioritise: return {queued, paused};
    }
    return {};
}

// The states that both the change and the filter speak of.
std::vector<JobState> states_of(const BulkRequest& request) {
    std::vector<JobState> states = states_for(request.change);
    // Pages that wait because a service was away need not wait when somebody says that it is back.
    if (request.change == BulkChange::retry && request.filter.kind == "embed_page")
        states.push_back(JobState::queued);
    const std::vector<JobState>& wanted = request.filter.states;
    if (!wanted.empty()) {
        std::erase_if(states, [&](JobState state) { return std::ranges::count(wanted, state) == 0; });
    }
    return states;
}

Result<bool> change_one(Ledger& ledger, const BulkRequest& request, const Job& job) {
    if (job.kind == "fetch_page") return change_url(ledger, request.change, job);
    if (job.kind == "embed_page") return change_outbox(ledger, request, job);
    return change_job(ledger, request, job);
}

}  // namespace

Answer<BulkStep> change_some(Ledger& ledger, const BulkRequest& request) {
    JobPage page{.filter = request.filter, .after = request.after, .limit = rows_per_step};
    page.filter.states = states_of(request);
    if (page.filter.states.empty()) return BulkStep{};
    BulkStep step;
    const std::vector<Job> jobs = TRY(read_jobs(ledger.connection(), page, ledger.now()));
    for (const Job& job : jobs) step.changed += TRY(change_one(ledger, request, job)) ? 1 : 0;
    if (std::ssize(jobs) == rows_per_step) step.last = jobs.back().id;
    return step;
}

}  // namespace quarry::store
