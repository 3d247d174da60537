#include "store/sqlite/writing/filtered.h"

#include "store/sqlite/writing/change_jobs.h"
#include "store/sqlite/writing/change_outbox.h"
#include "store/sqlite/writing/change_urls.h"
#include "store/sqlite/reading/sqlite_reader_jobs.h"

namespace quarry::store {

namespace {

constexpr int rows_per_step = 500;

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
