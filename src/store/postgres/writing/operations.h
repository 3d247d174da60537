// Everything a transaction can do with a ledger: add jobs and groups, lead a group from its start to its
// end, keep leases alive, do what is due, make outcomes true, change whatever matches a filter, write and
// forget pages, and remove what is too old. Each function may be run again from the start when PostgreSQL
// asks for it, so it changes nothing outside of its ledger.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/postgres/ledger.h"
#include "store/postgres/tables/outbox.h"
#include "store/postgres/tables/urls.h"
#include "store/rules/filters.h"

namespace quarry::store::postgres {

// How jobs and groups come into the store.

// What add_jobs needs to know of plain jobs, asked beforehand.
void ask_before_adding(db::PgBatch& batch, Process& process, std::span<const NewJob> jobs);
Answer<std::vector<Added>> add_jobs(Ledger& ledger, std::span<const NewJob> jobs);
Answer<GroupId> add_group(Ledger& ledger, const NewGroup& group, std::span<const NewJob> jobs,
                          std::span<const FoundUrl> seeds);

// Adds them whatever the limits are. A job whose unique key is taken is not added.
Result<std::vector<Added>> insert_jobs(Ledger& ledger, std::vector<NewJob> jobs);

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

// What keeps leases alive, and what becomes of them otherwise. A lease has no clock of its own: it lives as
// long as its worker is heard of; whoever asks for work next finds what the dead left.

Answer<WorkerId> register_worker(Ledger& ledger, const std::string& name);
Answer<std::vector<JobId>> beat(Ledger& ledger, WorkerId worker, std::span<const Progress> progress);
Answer<void> release(Ledger& ledger, std::span<const LeaseRef> leases);

// Writes down that the worker is alive, with the next statement.
void hear_of(Ledger& ledger, WorkerId worker);
// Takes back what workers held who were not heard of for too long.
Result<void> bury_dead_workers(Ledger& ledger);
// This worker ends: what it held goes back.
Answer<void> retire_worker(Ledger& ledger, WorkerId worker);

// Writes down which handlers have begun so long ago, as far as nobody has yet.
Result<void> save_begun(Ledger& ledger, std::chrono::milliseconds age);

// Ends a lease because what is leased is ended by somebody else. Its worker learns of it at its next beat.
Result<std::optional<JobRow>> revoke_job(Ledger& ledger, std::int64_t id);
Result<bool> revoke_url(Ledger& ledger, std::int64_t id);
Result<bool> revoke_change(Ledger& ledger, std::int64_t id);

// What becomes due by itself: delays that are over, jobs that waited or ran for too long, workers that died,
// schedules. Who leads does it (leadership.h); so does whoever asks for work, if it is not done in time.

struct Due {
    bool now = false;                      // something is due
    std::optional<Timestamp> next{};       // when something will be
    bool has_backlog = false;              // jobs wait because their owners had no place
    std::optional<Timestamp> since{};      // what is due has been so
    std::optional<std::int64_t> leader{};  // the process that leads, if any does
};
// Cheap: looks at the heads of a few indexes.
void look_what_is_due(db::PgBatch& batch);
Due what_is_due(const db::PgRows& rows, const StoreLimits& limits, Timestamp now);

// Whoever asks for work is alive: what `worker` holds stays with it.
Answer<void> do_what_is_due(Ledger& ledger, WorkerId worker);
// The same for nobody in particular. Groups that may begin and were passed over do so.
Result<void> maintain(Ledger& ledger);

std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right);

// Jobs that are added again and again.

Answer<void> set_schedule(Ledger& ledger, const Schedule& schedule);
Answer<bool> remove_schedule(Ledger& ledger, const std::string& name);

// Adds the jobs of those whose time has come.
Result<void> run_schedules(Ledger& ledger);

// Makes outcomes true.

Answer<std::vector<Verdict>> finish(Ledger& ledger, std::span<const Finished> finished);

// Whether an outcome does nothing but complete its job: many of those are one statement.
bool is_plain(const Outcome& outcome);
// Completes jobs, in one round trip and one transaction. Those it returns are done; of the others nothing is
// known: they may be of a group, or no jobs. `settings` is a statement to be done first.
struct PlainEnd {
    std::vector<std::int64_t> ids{};
    bool has_backlog = false;  // a place that was freed may be wanted
};
// Behind what is in the batch already.
Result<PlainEnd> finish_plain_jobs(db::PgBatch& batch, std::span<const Finished> finished);

// Makes one step of a change to whatever matches a filter.

Answer<BulkStep> change_some(Ledger& ledger, const BulkRequest& request);

// What is done to pages that no crawl brings: they are written, and all that a filter means are forgotten or
// indexed again, step by step.

struct PagesChanged {
    std::int64_t count = 0;
    std::optional<std::int64_t> next{};  // where to go on; nothing at the end
};

Answer<PagesChanged> forget_pages(Ledger& ledger, const PageFilter& filter, std::int64_t after);
Answer<PagesChanged> index_pages_again(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                                       std::int64_t after);

// The pages of the group are indexed from now on. `not_found` if there is no such group.
Answer<void> let_group_index(Ledger& ledger, GroupId group);

Answer<PagesWritten> write_pages(Ledger& ledger, const PageBatch& batch, std::span<const PageWrite> pages);
// How many of them make one transaction.
std::size_t pages_in_step(std::span<const PageWrite> pages);

Answer<void> set_collection(Ledger& ledger, const Collection& collection);
Answer<bool> remove_collection(Ledger& ledger, const std::string& name);

// Pages of crawls whose jobs and URLs live in another store (redis/), which may be that of many hosts. Such a
// crawl has a row here, paused as long as it goes on, so that its pages can be listed and erased.

Answer<std::vector<Visited>> keep_visits(Ledger& ledger, const KeptCrawl& crawl,
                                         std::span<const Visit> visits);
Answer<std::vector<std::optional<FormerPage>>> former_pages(Ledger& ledger, const KeptCrawl& crawl,
                                                            std::span<const UrlKey> keys);

// Removes what is older than promised, some rows at a time: what goes before its whole day does
// (partitions.h), and what is not kept by days.

struct SweepStep {
    Swept swept{};
    bool is_last = false;
};
Answer<SweepStep> sweep_some(Ledger& ledger, const Retention& retention);

// True when nothing of the group is left. `not_found`; `conflict` if it is not over.
Answer<bool> erase_some(Ledger& ledger, GroupId group);

}  // namespace quarry::store::postgres
