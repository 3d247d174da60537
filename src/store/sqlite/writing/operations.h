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

// Without asking whether there is room: for what the store itself adds, and for outcomes, which cannot be
// refused. A unique key that is taken is still respected.
Result<Added> insert_job(Ledger& ledger, const NewJob& job);

// Adds the URLs that the group does not know, up to its limit.
Result<void> admit(Ledger& ledger, OpenGroup& group, std::span<const FoundUrl> urls);

// From the moment a group is added to its end: it waits for its place, runs, may be paused, and is over
// exactly when nothing of it is left to do. All in the transaction that makes it so.

Answer<void> cancel_group(Ledger& ledger, GroupId group);
Answer<void> pause_group(Ledger& ledger, GroupId group);
Answer<void> resume_group(Ledger& ledger, GroupId group);
Answer<void> fail_group(Ledger& ledger, GroupId group, const std::string& reason);
Answer<void> reprioritise_group(Ledger& ledger, GroupId group, int priority);

Answer<void> set_owner_limits(Ledger& ledger, const std::string& owner, const OwnerLimits& limits);

// The group, open again if it was over: what never had its turn waits again. nullptr if there is none.
Result<OpenGroup*> reopen_group(Ledger& ledger, std::int64_t group);

// Completes the groups that have nothing left to do, after their closing jobs.
Result<void> settle_groups(Ledger& ledger);
// Lets waiting groups run, as far as there is room: the smaller priority first, then the older.
Result<void> start_waiting_groups(Ledger& ledger);

// Why nothing can be done with a group that is not open, as an error; nothing if it is open.
Result<std::optional<Error>> closed_group_error(Ledger& ledger, GroupId group);

// Claims: which jobs and URLs a worker gets.

Answer<Leased> lease(Ledger& ledger, const Demand& demand);

// What keeps leases alive, and what becomes of them otherwise. A lease has no clock of its own: it lives as
// long as its worker is heard of, so nothing needs to sweep; whoever asks for work next finds what the dead
// left.

Answer<WorkerId> register_worker(Ledger& ledger, const std::string& name);
Answer<std::vector<JobId>> beat(Ledger& ledger, WorkerId worker, std::span<const Progress> progress);
Answer<void> release(Ledger& ledger, std::span<const LeaseRef> leases);
Answer<void> retire_worker(Ledger& ledger, WorkerId worker);

// Takes back what workers held who were not heard of for too long.
Result<void> bury_dead_workers(Ledger& ledger);

enum class Cause : std::uint8_t {
    worker_died,  // costs a stall if the handler had begun; too many of them, and the job fails
    released,     // costs nothing
};
// Ends a lease whose job or URL goes back to its line.
Result<void> take_back(Ledger& ledger, JobId id, Cause cause);

// Ends a lease because its job or URL is ended by somebody else. Its worker learns of it at its next beat.
Result<void> revoke(Ledger& ledger, JobId id);

// What time brings about: delayed work becomes ready, what has waited or run too long fails. Done whenever
// somebody asks for work, so that it needs no thread and no timer.

Result<void> do_what_is_due(Ledger& ledger);

// When there is something to do again.
std::optional<Timestamp> next_due(const Ledger& ledger);

// The earlier of two times, either of which may be missing.
std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right);

// Makes outcomes true: the work's end, its pages, links, jobs and counters, in one transaction.

Answer<std::vector<Verdict>> finish(Ledger& ledger, std::span<const Finished> finished);

// How a lease of a change ends: as the outcome of indexing it says, or without one.

// In all of these the lease has been removed already.
Result<void> finish_change(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome);
// Its worker died while it was at work on it.
Result<void> stall_change(Ledger& ledger, JobId id);
// Nobody has begun with it.
Result<void> give_back_change(Ledger& ledger, JobId id);

// How jobs and URLs end: the row, the counters, and who is told.

// Moves an open job to those that have ended. Its lease, if it had one, is gone already.
Result<void> end_job(Ledger& ledger, const JobRow& row, const JobEnd& end);

// The same for a URL. `was`: queued or running.
Result<void> end_url(Ledger& ledger, const UrlRow& row, const UrlEnd& end, UrlState was);

// Makes one step of a change to whatever matches a filter.

Answer<BulkStep> change_some(Ledger& ledger, const BulkRequest& request);

// Pages that no crawl brought.

// Writes some pages of a batch; the others of the batch's fields say how. The caller has checked them.
Answer<PagesWritten> write_pages(Ledger& ledger, const PageBatch& batch, std::span<const PageWrite> pages);

// How many of these may be written in one step without holding others up for long. At least one.
std::size_t pages_in_step(std::span<const PageWrite> pages);

// What is done to all pages that a filter means, step by step: they are forgotten, or indexed again.

struct PagesChanged {
    std::int64_t count = 0;
    std::optional<PagePlace> next{};  // where to go on; nothing at the end
};

Answer<PagesChanged> forget_pages(Ledger& ledger, const PageFilter& filter, const PagePlace& place);
Answer<PagesChanged> index_pages_again(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                                       const PagePlace& place);

// The pages of the group are indexed from now on. `not_found` if there is no such group.
Answer<void> let_group_index(Ledger& ledger, GroupId group);

// The table collection: whose vectors each collection has.

Answer<void> set_collection(Ledger& ledger, const Collection& collection);
// Its pages are gone already. False if nothing was known of it.
Answer<bool> remove_collection(Ledger& ledger, const std::string& name);

// Pages of crawls whose jobs live in another store. Each such crawl has a row here that is paused for as long
// as it goes on, so that nothing of it is leased, and each of its visits a row among the URLs that have
// ended.

Answer<std::vector<Visited>> keep_visits(Ledger& ledger, const KeptCrawl& crawl,
                                         std::span<const Visit> visits);

Answer<std::vector<std::optional<FormerPage>>> former_pages(Ledger& ledger, const KeptCrawl& crawl,
                                                            std::span<const UrlKey> keys);

// Removes what is older than promised, a few hundred rows at a time: whoever adds or finishes meanwhile waits
// for one such step at most.

struct SweepStep {
    Swept swept{};
    bool is_last = false;
    bool is_private = false;  // it removed what was not to be kept
};

// One small step from where the last one ended.
Answer<SweepStep> sweep_some(Ledger& ledger, const Retention& retention);

// One small step towards nothing being left of a group that is over; true at the last. Fails as Store::erase.
Answer<bool> erase_some(Ledger& ledger, GroupId group);

}  // namespace quarry::store
