// Everything the writer can be asked to do with a ledger: add jobs and groups, lead a group from its start
// to its end, lease work, keep leases alive, do what is due, make outcomes true, change whatever matches a
// filter, write and forget pages, and remove what is too old. Each function runs on the writer's thread,
// inside its transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/rules/filters.h"
#include "store/rules/transitions.h"
#include "store/sqlite/ledger.h"
#include "store/sqlite/tables/page_walk.h"

namespace quarry::store {

// How work enters: jobs, groups with their first jobs and URLs, and URLs that a page led to.

Answer<std::vector<Added>> add_jobs(Ledger& ledger, std::span<const NewJob> jobs);
Answer<GroupId> add_group(Ledger& ledger, const NewGroup& group, std::span<const NewJob> jobs,
                          std::span<const FoundUrl> seeds);

// Adds a job without checking whether there is room: for jobs that the store itself adds, and for outcomes,
// which cannot be refused. A job whose unique key is taken is still not added.
Result<Added> insert_job(Ledger& ledger, const NewJob& job);

// Adds the URLs that the group does not know, up to its limit.
Result<void> admit(Ledger& ledger, OpenGroup& group, std::span<const FoundUrl> urls);

// The life of a group: it is added, waits for its place, runs, may be paused, and is over exactly when
// nothing of it is left to do. Each step happens in the transaction that causes it.

Answer<void> cancel_group(Ledger& ledger, GroupId group);
Answer<void> pause_group(Ledger& ledger, GroupId group);
Answer<void> resume_group(Ledger& ledger, GroupId group);
Answer<void> fail_group(Ledger& ledger, GroupId group, const std::string& reason);
Answer<void> reprioritise_group(Ledger& ledger, GroupId group, int priority);

Answer<void> set_owner_limits(Ledger& ledger, const std::string& owner, const OwnerLimits& limits);

// Opens a group again if it was over: its URLs that never had their turn wait again. nullptr if there is no
// such group.
Result<OpenGroup*> reopen_group(Ledger& ledger, std::int64_t group);

// Completes groups that have nothing left to do, after their closing jobs.
Result<void> settle_groups(Ledger& ledger);
// Lets waiting groups run as far as there is room: the smaller priority first, then the older group.
Result<void> start_waiting_groups(Ledger& ledger);

// The error for a group that is not open; nothing if it is open.
Result<std::optional<Error>> closed_group_error(Ledger& ledger, GroupId group);

// Claims: which jobs and URLs a worker gets.

Answer<Leased> lease(Ledger& ledger, const Demand& demand);

// What keeps leases alive and what ends them. A lease has no clock of its own: it lives as long as its worker
// beats. So nothing needs to sweep: the next worker that asks for work finds what dead workers left.

Answer<WorkerId> register_worker(Ledger& ledger, const std::string& name);
Answer<std::vector<JobId>> beat(Ledger& ledger, WorkerId worker, std::span<const Progress> progress);
Answer<void> release(Ledger& ledger, std::span<const LeaseRef> leases);
Answer<void> retire_worker(Ledger& ledger, WorkerId worker);

// Takes back the leases of workers that have not been heard of for too long.
Result<void> bury_dead_workers(Ledger& ledger);

enum class Cause : std::uint8_t {
    worker_died,  // costs a stall if the handler had begun; too many of them, and the job fails
    released,     // costs nothing
};
// Ends a lease whose job or URL goes back to its line.
Result<void> take_back(Ledger& ledger, JobId id, Cause cause);

// Ends a lease because another caller ends its job or URL. The worker learns of it at its next beat.
Result<void> revoke(Ledger& ledger, JobId id);

// What becomes due with time: delayed work becomes ready, and work that has waited or run too long fails.
// This is done whenever a worker asks for work, so it needs no thread and no timer.

Result<void> do_what_is_due(Ledger& ledger);

// When something becomes due next.
std::optional<Timestamp> next_due(const Ledger& ledger);

// The earlier of two times, either of which may be missing.
std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right);

// Makes outcomes true: the work's end, its pages, links, jobs and counters, in one transaction.

Answer<std::vector<Verdict>> finish(Ledger& ledger, std::span<const Finished> finished);

// How a lease of a change ends: as the outcome of its indexing says, or without an outcome.

// For all of these the caller has already removed the lease.
Result<void> finish_change(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome);
// The worker died while it worked on the change.
Result<void> stall_change(Ledger& ledger, JobId id);
// No handler has begun on the change.
Result<void> give_back_change(Ledger& ledger, JobId id);

// How jobs and URLs end: the row, the counters, and the events.

// Moves an open job to the ended jobs. If it had a lease, the lease is already gone.
Result<void> end_job(Ledger& ledger, const JobRow& row, const JobEnd& end);

// The same for a URL. `was`: queued or running.
Result<void> end_url(Ledger& ledger, const UrlRow& row, const UrlEnd& end, UrlState was);

// Makes one step of a change to everything that matches a filter.

Answer<BulkStep> change_some(Ledger& ledger, const BulkRequest& request);

// Pages outside of crawls.

// Writes some pages of a batch. The other fields of the batch say how. The caller has checked the pages.
Answer<PagesWritten> write_pages(Ledger& ledger, const PageBatch& batch, std::span<const PageWrite> pages);

// How many of these pages may be written in one step without holding up other callers for long. At least one.
std::size_t pages_in_step(std::span<const PageWrite> pages);

// Operations on all pages that match a filter, step by step: they are forgotten, or indexed again.

struct PagesChanged {
    std::int64_t count = 0;
    std::optional<PagePlace> next{};  // where to go on; nothing at the end
};

Answer<PagesChanged> forget_pages(Ledger& ledger, const PageFilter& filter, const PagePlace& place);
Answer<PagesChanged> index_pages_again(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                                       const PagePlace& place);

// From now on the pages of the group are indexed. `not_found` if there is no such group.
Answer<void> let_group_index(Ledger& ledger, GroupId group);

// The table collection: which embedder's vectors each collection has.

Answer<void> set_collection(Ledger& ledger, const Collection& collection);
// Removes a collection whose pages are already gone. False if the collection was not known.
Answer<bool> remove_collection(Ledger& ledger, const std::string& name);

// Pages of crawls whose jobs live in another store. Each such crawl has a row here that is paused for as long
// as the crawl goes on, so that nothing of it is leased. Each of its visits has a row among the ended URLs.

Answer<std::vector<Visited>> keep_visits(Ledger& ledger, const KeptCrawl& crawl,
                                         std::span<const Visit> visits);

Answer<std::vector<std::optional<FormerPage>>> former_pages(Ledger& ledger, const KeptCrawl& crawl,
                                                            std::span<const UrlKey> keys);

// Removes what is older than promised, a few hundred rows at a time. A caller that adds or finishes meanwhile
// waits for one such step at most.

struct SweepStep {
    Swept swept{};
    bool is_last = false;
    bool is_private = false;  // it removed what was not to be kept
};

// Does one small step from where the last one ended.
Answer<SweepStep> sweep_some(Ledger& ledger, const Retention& retention);

// Does one small step of erasing a group that is over; true after the last step. Fails as Store::erase does.
Answer<bool> erase_some(Ledger& ledger, GroupId group);

}  // namespace quarry::store
