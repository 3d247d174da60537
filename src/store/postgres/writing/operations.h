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

// Adds the jobs whatever the limits are. A job whose unique key is taken is not added.
Result<std::vector<Added>> insert_jobs(Ledger& ledger, std::vector<NewJob> jobs);

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

// What keeps leases alive and what ends them. A lease has no clock of its own: it lives as long as its worker
// beats. The next worker that asks for work finds what dead workers left.

Answer<WorkerId> register_worker(Ledger& ledger, const std::string& name);
Answer<std::vector<JobId>> beat(Ledger& ledger, WorkerId worker, std::span<const Progress> progress);
Answer<void> release(Ledger& ledger, std::span<const LeaseRef> leases);

// Records, with the next statement, that the worker is alive.
void hear_of(Ledger& ledger, WorkerId worker);
// Takes back the leases of workers that have not been heard of for too long.
Result<void> bury_dead_workers(Ledger& ledger);
// Ends this worker. Its leases go back.
Answer<void> retire_worker(Ledger& ledger, WorkerId worker);

// Records which handlers began at least `age` ago, unless that is recorded already.
Result<void> save_begun(Ledger& ledger, std::chrono::milliseconds age);

// Ends a lease because another caller ends what is leased. The worker learns of it at its next beat.
Result<std::optional<JobRow>> revoke_job(Ledger& ledger, std::int64_t id);
Result<bool> revoke_url(Ledger& ledger, std::int64_t id);
Result<bool> revoke_change(Ledger& ledger, std::int64_t id);

// What becomes due with time: delays that are over, jobs that waited or ran for too long, workers that died,
// schedules. The leading process does it (upkeep.h). A worker that asks for work does it if the leader is
// late.

struct Due {
    bool now = false;                      // something is due
    std::optional<Timestamp> next{};       // when something will be
    bool has_backlog = false;              // jobs wait because their owners had no free place
    std::optional<Timestamp> since{};      // when it became due
    std::optional<std::int64_t> leader{};  // the process that leads, if any does
};
// Cheap: reads the heads of a few indexes.
void look_what_is_due(db::PgBatch& batch);
Due what_is_due(const db::PgRows& rows, const StoreLimits& limits, Timestamp now);

// Does what is due for a worker that asks for work. That worker is alive, so it keeps its leases.
Answer<void> do_what_is_due(Ledger& ledger, WorkerId worker);
// The same without a worker. Also begins groups that may begin and were passed over.
Result<void> maintain(Ledger& ledger);

std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right);

// Schedules: jobs that are added again and again.

Answer<void> set_schedule(Ledger& ledger, const Schedule& schedule);
Answer<bool> remove_schedule(Ledger& ledger, const std::string& name);

// Adds the jobs of schedules whose time has come.
Result<void> run_schedules(Ledger& ledger);

// Makes outcomes true.

Answer<std::vector<Verdict>> finish(Ledger& ledger, std::span<const Finished> finished);

// Whether an outcome does nothing but complete its job: many of those are one statement.
bool is_plain(const Outcome& outcome);
// Completes jobs in one round trip and one transaction. The jobs it returns are done. It says nothing about
// the others: they may belong to a group, or may not be jobs. `settings` is a statement to run first.
struct PlainEnd {
    std::vector<std::int64_t> ids{};
    bool has_backlog = false;  // a job may wait for a place that was freed
};
// Adds its statements behind those that are in the batch already.
Result<PlainEnd> finish_plain_jobs(db::PgBatch& batch, std::span<const Finished> finished);

// Makes one step of a change to everything that matches a filter.

Answer<BulkStep> change_some(Ledger& ledger, const BulkRequest& request);

// Operations on pages outside of crawls: pages are written, and all pages that match a filter are forgotten
// or indexed again, step by step.

struct PagesChanged {
    std::int64_t count = 0;
    std::optional<std::int64_t> next{};  // where to go on; nothing at the end
};

Answer<PagesChanged> forget_pages(Ledger& ledger, const PageFilter& filter, std::int64_t after);
Answer<PagesChanged> index_pages_again(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                                       std::int64_t after);

// From now on the pages of the group are indexed. `not_found` if there is no such group.
Answer<void> let_group_index(Ledger& ledger, GroupId group);

Answer<PagesWritten> write_pages(Ledger& ledger, const PageBatch& batch, std::span<const PageWrite> pages);
// How many of these pages make one transaction.
std::size_t pages_in_step(std::span<const PageWrite> pages);

Answer<void> set_collection(Ledger& ledger, const Collection& collection);
Answer<bool> remove_collection(Ledger& ledger, const std::string& name);

// Pages of crawls whose jobs and URLs live in another store (redis/), which many hosts may share. Such a
// crawl has a row here, paused as long as the crawl goes on, so that its pages can be listed and erased.

Answer<std::vector<Visited>> keep_visits(Ledger& ledger, const KeptCrawl& crawl,
                                         std::span<const Visit> visits);
Answer<std::vector<std::optional<FormerPage>>> former_pages(Ledger& ledger, const KeptCrawl& crawl,
                                                            std::span<const UrlKey> keys);

// Removes what is older than promised, some rows at a time: rows that go before their whole day does
// (partitions.h), and rows that are not kept by days.

struct SweepStep {
    Swept swept{};
    bool is_last = false;
};
Answer<SweepStep> sweep_some(Ledger& ledger, const Retention& retention);

// True when nothing of the group is left. `not_found`; `conflict` if it is not over.
Answer<bool> erase_some(Ledger& ledger, GroupId group);

}  // namespace quarry::store::postgres
