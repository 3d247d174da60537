// Where jobs, crawls, frontier and pages live. One implementation per database; all keep the promises in
// store/promises. Reading is apart, in reader.h.
//
// Every call is safe from any thread and is durable when it returns, unless it says otherwise. Errors are
// `unavailable` (disk full, database unreachable: nothing was written), `corrupt`, and those a call names.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "model/access.h"
#include "model/collection.h"
#include "model/frontier.h"
#include "model/group.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/metrics.h"
#include "model/stored_page.h"
#include "store/outcome.h"

namespace quarry::store {

struct StoreLimits {
    std::chrono::milliseconds lease_duration{60'000};  // after the worker's last beat
    int max_stalls = 9;
    int max_snoozes = 1'000;       // of a job or a URL, in a row; given back before it began counts as one
    int change_snoozes = 100'000;  // of a change: a service that is away for weeks is waited for
    int url_attempts = 3;          // tries of a URL before it is given up
    int change_attempts = 3;       // tries of a change of the outbox
    std::int64_t max_open_jobs = 5'000'000;  // in all; beyond it adding is refused
    std::int64_t max_open_jobs_per_owner = 1'000'000;
    int running_jobs_per_owner = 1'000;  // beyond it jobs wait in the backlog
    int running_groups_per_owner = 3;
    int max_running_groups = 1'000;
    std::uint64_t low_disk_bytes = 256ull << 20;  // below it the store says so and takes no new work
};

struct OwnerLimits {
    int running_jobs = 1'000;
    int running_groups = 3;
    std::int64_t open_jobs = 1'000'000;
    // Kept here, but looked after by whoever takes requests and fetches. 0: as many as they like.
    std::int64_t requests_per_minute = 0;
    std::int64_t pages_per_month = 0;  // in any 30 days
    std::int64_t stored_bytes = 0;     // of all pages they keep

    friend bool operator==(const OwnerLimits&, const OwnerLimits&) = default;
};

// What a worker has room for.
struct Demand {
    WorkerId worker{};
    struct Kind {
        std::string kind{};
        int slots = 0;
    };
    std::vector<Kind> kinds{};
    int urls = 0;                     // of the frontier, in all
    int urls_per_host = 64;           // more than run at once: they wait in the worker, near the wire
    std::vector<HostId> saturated{};  // hosts of which the worker has enough
    // Crawls of whose URLs at a host it has enough, while it would take others' there: they wait for
    // themselves.
    std::vector<std::pair<GroupId, HostId>> saturated_lanes{};
    // Hosts that it has no URL of yet. What it takes no other worker can have, so it should take no more than
    // it can serve; only stores that are shared by several processes look at it.
    int new_hosts = std::numeric_limits<int>::max();
    int changes = 0;                  // of the outbox
    std::string change_collection{};  // of that collection only; "" for all
};

struct JobLease {
    LeaseRef lease{};
    std::string kind{};
    std::string payload{};
    int attempt = 1;  // 1 for the first
    int max_attempts = 3;
    int stalls = 0;
    std::string owner{};
    std::optional<GroupId> group{};
    std::optional<Timestamp> deadline{};
};

struct UrlLease {
    LeaseRef lease{};
    GroupId group{};
    HostId host{};
    std::string host_name{};
    std::string url{};
    UrlKey key{};
    int depth = 0;
    int redirects = 0;
    UrlSource source = UrlSource::link;
    int attempt = 1;
    int max_attempts = 3;
    std::optional<FormerPage> former{};
};

// A change of a page that the index is to follow. Of one page never two are leased at once: if it changes
// again meanwhile, the newer change waits for the end of this one, which then need not be tried again: unless
// it completes, it is dropped. The words may be gone by the time they are read; then Snooze.
struct ChangeLease {
    LeaseRef lease{};
    PageId page{};
    std::optional<ContentId> content{};  // nothing: the page was removed
    std::int64_t version = 0;            // grows with every change of the page
    std::string collection{};
    std::string url{};
    std::optional<GroupId> group{};  // that brought it
    int priority = priority_normal;
    int attempt = 1;
    int max_attempts = 3;
    int snoozes = 0;  // in a row, so that the caller can wait longer each time
};

struct Leased {
    std::vector<JobLease> jobs{};
    std::vector<UrlLease> urls{};
    std::vector<ChangeLease> changes{};  // by priority, then by age, whatever crawl they are of
    std::vector<HostRule> hosts{};       // of hosts leased for the first time by this worker, if any is known
    std::optional<Timestamp>
        next_due{};  // when more becomes due by itself; nothing: only a change brings more
};

struct Progress {
    LeaseRef lease{};
    int percent = 0;
};

// Which jobs an operation is about. Every field narrows; an empty filter means all.
struct JobFilter {
    std::vector<JobId> ids{};
    std::optional<GroupId> group{};
    std::string kind{};  // "fetch_page": URLs of the frontier; "embed_page": the outbox
    std::vector<JobState> states{};
    std::string owner{};
    std::string collection{};
    std::optional<std::chrono::milliseconds> older_than{};  // since it ended, or was added if it has not
};

struct Retention {
    std::chrono::milliseconds completed_jobs{std::chrono::hours(1)};
    std::chrono::milliseconds failed_jobs{std::chrono::hours(6)};
    // Crawls, with their frontier, of which nothing else was promised when they began (NewGroup::keeping).
    std::chrono::milliseconds groups{std::chrono::hours(24 * 30)};
    std::chrono::milliseconds cache{
        std::chrono::hours(48)};  // pages that are only cached, since they were fetched
    std::chrono::milliseconds zero_retention{std::chrono::hours(1)};
    std::chrono::milliseconds outbox{std::chrono::hours(24)};        // completed changes; failed ones stay
    std::chrono::milliseconds metrics{std::chrono::hours(24 * 30)};  // then they are summed up by day
};

struct Swept {
    std::int64_t jobs = 0, groups = 0, contents = 0, changes = 0, sessions = 0, requests = 0;
    std::int64_t pages = 0;  // that were only cached
    std::int64_t operations = 0;
    std::int64_t rows = 0;  // of groups, which go in steps

    std::int64_t total() const {
        return jobs + groups + contents + changes + sessions + requests + pages + operations + rows;
    }
    void add(const Swept& more) {
        jobs += more.jobs;
        groups += more.groups;
        contents += more.contents;
        changes += more.changes;
        sessions += more.sessions;
        requests += more.requests;
        pages += more.pages;
        operations += more.operations;
        rows += more.rows;
    }
};

// Pages that no crawl brought: imports, watched files.
struct PageBatch {
    std::string collection = "default";
    std::string site{};  // what they have in common, for PageFilter
    int priority = priority_normal;
    bool index_pages = true;
    std::vector<PageWrite> pages{};
};

struct PagesWritten {
    std::int64_t added = 0, changed = 0, unchanged = 0;
};

// A crawl whose jobs and URLs live in another store (redis/), as far as its pages need it.
struct KeptCrawl {
    GroupId id{};
    std::string kind = "crawl";
    std::string name{};
    std::string collection = "default";
    std::string owner = "local";
    std::string site{};
    int priority = priority_normal;
    bool index_pages = true;
    bool zero_retention = false;
    std::optional<Keeping> keeping{};
    PageKeeping page_keeping = PageKeeping::for_good;
    std::string request_id{};
    Timestamp created_at{};
    std::optional<Group>
        ended{};  // once it is over: its last state, counters and times. It can be erased then.
};

// What a URL, or another job, of such a crawl has brought.
struct Visit {
    LeaseRef lease{};
    std::string url{}, final_url{};
    UrlKey key{};  // of the URL; any that no other visit of the crawl has, for a job
    int status = 0;
    Timings timings{};
    std::vector<PageWrite> pages{};
    std::vector<UrlKey> gone{};
    std::optional<SettlePages> settle{};
};

struct Visited {
    bool is_outdated = false;  // a later lease has brought its own already: nothing was written
    std::optional<ContentId> content{};
    bool must_fetch_again = false;  // said to be unchanged, but nothing is stored
    std::int64_t unchanged = 0, duplicates = 0, bytes = 0, removed = 0;
};

// Which pages an operation is about. Every field narrows.
struct PageFilter {
    std::string collection{};
    std::vector<UrlKey> keys{};
    std::vector<std::string> urls{};  // as asked for, or as they were at last
    std::string host{};               // with its subdomains; with a port only that one
    std::string path_prefix{};
    std::string site{};
    std::optional<GroupId> group{};  // the pages that a crawl brought

    bool is_empty() const {
        return collection.empty() && keys.empty() && urls.empty() && host.empty() && path_prefix.empty() &&
               site.empty() && !group;
    }
};

enum class IndexAgain : std::uint8_t {
    all,
    missing,  // only pages that are not in the index as they are now
};

// A job that is added again and again: at the times of a cron expression (base/cron.h), in UTC.
struct Schedule {
    std::string name{};
    std::string cron{};
    NewJob job{};
    std::optional<NewGroup> group{};  // if set, each time a group is begun with the job as its first
    std::optional<Timestamp> next_at{};
};

// What others may want to know at once. Told after the commit.
struct Event {
    enum class What : std::uint8_t {
        page,
        url_failed,
        group_changed,
        job_ended,
        page_indexed,  // a change completed; `status` is the number of its chunks
        index_failed,  // a change was given up
        worker_died,   // its leases, if it held any, were taken back: `url` is its name, `status` how many
    } what{};
    std::optional<GroupId> group{};
    JobId id{};
    std::string url{};
    int status = 0;
    JobState state = JobState::queued;  // of the group or job
};

enum class CommitMode : std::uint8_t {
    immediate,
    batched,  // may wait a few milliseconds for others to share a commit with: many outcomes, nobody waiting
    // Of a group with unlimited concurrency: somebody waits for it, and for nothing else of it. It need not
    // survive a power cut, which ends their waiting too.
    not_durable,
};

class Store {
public:
    // May be called from the store's own thread: it must only move the result elsewhere.
    using FinishCallback = std::move_only_function<void(Result<std::vector<Verdict>>)>;
    using Observer = std::function<void(std::span<const Event>)>;

    virtual ~Store() = default;

    // Adds all or none. `conflict` with a sentence when a limit on open jobs is reached; `not_found` if a
    // group is unknown, `conflict` if it is over.
    virtual Result<std::vector<Added>> add(std::vector<NewJob> jobs) = 0;

    // Begins a group with its first jobs and URLs. `conflict` if its owner has a group of that request_key.
    // It is `queued` while its owner's limit, or another group that runs alone, keeps it waiting; none
    // of its jobs is leased before it runs.
    virtual Result<GroupId> add_group(NewGroup group, std::vector<NewJob> jobs,
                                      std::vector<FoundUrl> seeds) = 0;

    // A worker is a process (or a test's idea of one). Its leases live as long as it beats.
    virtual Result<WorkerId> register_worker(std::string name) = 0;

    // Claims what is due: by priority, fair between owners and groups, the oldest first; now and then the
    // oldest of all, so that nothing starves. What a dead worker held counts as due. Survives the death of
    // this process, but need not survive a power cut: the job then runs again.
    virtual Result<Leased> lease(const Demand& demand) = 0;

    // Says that the handler of this lease begins to work. Never blocks. A lease that runs out after this
    // counts as a stall.
    virtual void begin(LeaseRef lease) = 0;

    // Keeps the worker's leases alive, and saves progress. Returns the leases it has lost.
    virtual Result<std::vector<JobId>> beat(WorkerId worker, std::span<const Progress> progress) = 0;

    // Makes the outcomes true, each by itself whole or not at all, and calls back when that is durable.
    // Waits while too many outcomes are on their way already.
    virtual void finish(std::vector<Finished> finished, FinishCallback callback,
                        CommitMode mode = CommitMode::immediate) = 0;
    Result<std::vector<Verdict>> finish(std::vector<Finished> finished);

    // True if the group has certainly admitted this URL; false says nothing. Cheap, from any thread: most
    // links of a page lead to pages the crawl knows already.
    virtual bool knows(GroupId group, const UrlKey& key) const = 0;

    // Gives back leases whose handlers have not begun. Costs a snooze.
    virtual Result<void> release(std::vector<LeaseRef> leases) = 0;

    // Ends a worker: what it holds goes back at once, as if it had died, and what it still has to say of it
    // is a conflict. One that is unknown has ended already.
    virtual Result<void> retire_worker(WorkerId worker) = 0;

    // Of a group, with all its jobs and URLs, also those that run: their outcomes become conflicts (cancel)
    // or are still taken (pause). `not_found`; `conflict` if it is over already.
    virtual Result<void> cancel(GroupId group) = 0;
    virtual Result<void> pause(GroupId group) = 0;
    virtual Result<void> resume(GroupId group) = 0;
    // Ends a group before its time as failed, with the reason; URLs left become skipped.
    virtual Result<void> fail_group(GroupId group, std::string reason) = 0;
    virtual Result<void> reprioritise(GroupId group, int priority) = 0;

    // Of jobs. Each returns how many it changed.
    virtual Result<std::int64_t> cancel(const JobFilter& filter) = 0;  // queued, running, paused
    virtual Result<std::int64_t> pause(const JobFilter& filter) = 0;   // queued
    virtual Result<std::int64_t> resume(const JobFilter& filter) = 0;  // paused
    virtual Result<std::int64_t> retry(
        const JobFilter& filter) = 0;  // failed, cancelled, waiting after an error: attempts and stalls 0
    // Only of changes: those that wait for their time are due now. Their attempts stay, and how often they
    // were put off: who hastens whatever waits, again and again, keeps nothing from ending.
    virtual Result<std::int64_t> hasten(const JobFilter& filter) = 0;
    virtual Result<std::int64_t> clear(const JobFilter& filter) = 0;  // not running; removes for good
    virtual Result<std::int64_t> reprioritise(const JobFilter& filter, int priority) = 0;

    // Saves pages. Each new or changed one has its change in the outbox in the same commit; one whose
    // content_hash is the stored one changes nothing. Of many, some may be saved when it fails: doing it
    // again is harmless. `invalid_argument` if a page has no words and none are stored.
    virtual Result<PagesWritten> write_pages(PageBatch batch) = 0;

    // Saves what a crawl has brought whose jobs live in another store, in one commit. Reader::pages, timings
    // and erase() then know the crawl by its id. Fenced by the leases: the same visit sent again changes
    // nothing and is answered as before; one of a later lease takes its place; one of an earlier lease is
    // refused as outdated.
    virtual Result<std::vector<Visited>> keep_visits(KeptCrawl crawl, std::vector<Visit> visits);
    // What is stored of these URLs, for a crawl whose jobs live in another store. Empty if its site has no
    // pages.
    virtual Result<std::vector<std::optional<FormerPage>>> former_pages(const KeptCrawl& crawl,
                                                                        std::span<const UrlKey> keys);

    // Removes pages for good, with all their words, also those that crawls brought, and has the index remove
    // them. In small steps: others are not held up, and what was removed stays removed if it fails. Returns
    // how many. `invalid_argument` for an empty filter.
    virtual Result<std::int64_t> forget(const PageFilter& filter) = 0;

    // Adds a change for each page, unless one waits already. Pages that were kept out of the index
    // (index_pages) stay out, except those of a group that is asked for: it indexes its pages from then on.
    // An empty filter means all pages. Returns how many were added.
    virtual Result<std::int64_t> index_again(const PageFilter& filter,
                                             IndexAgain which = IndexAgain::all) = 0;

    // Says whose vectors the collection has. `created_at` is kept if it is there already.
    virtual Result<void> set_collection(const Collection& collection) = 0;
    // Forgets it with its pages. False if there was none.
    virtual Result<bool> remove_collection(const std::string& name) = 0;

    // For operations other than crawls, which have theirs by themselves (Reader::sessions). Need not survive
    // a power cut.
    virtual Result<void> add_session(const Session& session) = 0;

    virtual Result<void> set_limits(const std::string& owner, const OwnerLimits& limits) = 0;

    // Returns its id. `conflict` if there is a key of that hash.
    virtual Result<std::int64_t> add_key(const ApiKey& key) = 0;
    // False if there is no such key, or it has been revoked already. It stays in the list.
    virtual Result<bool> revoke_key(std::int64_t id) = 0;
    // Need not survive a power cut.
    virtual Result<void> add_requests(std::span<const RequestRecord> requests) = 0;

    virtual Result<void> set_schedule(Schedule schedule) = 0;  // replaces the one of that name
    virtual Result<bool> remove_schedule(const std::string& name) = 0;

    // Removes a group that is over, with its pages and all that is known of them, and overwrites where they
    // were: nothing of it can be read from the files once no reader is left that began before. `not_found`;
    // `conflict` if it is not over.
    virtual Result<void> erase(GroupId group) = 0;

    // Removes what is older than promised. A queued or running job is never removed by age. Small steps:
    // returns after about `budget`, call again while it removed something. Jobs and requests that are kept
    // for a day or longer may be kept until the end of that day (UTC).
    virtual Result<Swept> sweep(const Retention& retention, std::chrono::milliseconds budget) = 0;

    // A complete copy of the database, consistent, while work goes on. Fails if the file exists.
    virtual Result<void> backup(const std::string& file) = 0;

    // Returns when something may have become due (added, finished, resumed, a time reached), at `until`, or
    // when asked to stop. Wake-ups may be spurious but none is missed: it compares with what `seen` says.
    virtual std::uint64_t wait_for_change(std::uint64_t seen, Timestamp until, std::stop_token stop) = 0;

    // Calls the observer after commits, on the store's thread, for as long as what is returned is kept
    // (base/observers.h): it must only move the events elsewhere.
    [[nodiscard]] virtual std::shared_ptr<void> observe(Observer observer) = 0;

    // True if the database is a server: what fails with `unavailable` or `timeout` may succeed later, on the
    // same store.
    virtual bool reconnects() const = 0;
    // Whether changes have a connection to go over: `unavailable` while its server is away, or is left alone
    // for a moment because it was.
    virtual Result<void> reach() = 0;

    virtual Timestamp now() const = 0;
    virtual std::uint64_t salt() const = 0;  // for public_id.h
};

}  // namespace quarry::store
