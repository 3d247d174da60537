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
    // The store keeps these limits; the code that accepts requests and fetches enforces them. 0: no limit.
    std::int64_t requests_per_minute = 0;
    std::int64_t pages_per_month = 0;  // in any 30 days
    std::int64_t stored_bytes = 0;     // of all pages that the owner keeps

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
    int urls_per_host = 64;           // more than run at once: the others wait in the worker
    std::vector<HostId> saturated{};  // hosts of which the worker has enough
    // Crawls of which the worker has enough URLs at a host, while it would take URLs of other crawls there:
    // the URLs of such a crawl wait only for each other.
    std::vector<std::pair<GroupId, HostId>> saturated_lanes{};
    // How many hosts the worker may take that it has no URL of yet. No other worker can have a host that it
    // takes, so it should take no more than it can serve. Only stores that several processes share use this.
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

// A change of a page that the index is to follow. Two changes of one page are never leased at once: if the
// page changes again meanwhile, the newer change waits until this lease ends. This change is then not tried
// again: unless it completes, it is dropped, because the newer change supersedes it. The words may be gone by
// the time they are read; then answer with Snooze.
struct ChangeLease {
    LeaseRef lease{};
    PageId page{};
    std::optional<ContentId> content{};  // nothing: the page was removed
    std::int64_t version = 0;            // grows with every change of the page
    std::string collection{};
    std::string url{};
    std::optional<GroupId> group{};  // the group that brought it
    int priority = priority_normal;
    int attempt = 1;
    int max_attempts = 3;
    int snoozes = 0;  // in a row, so that the caller can wait longer each time
};

struct Leased {
    std::vector<JobLease> jobs{};
    std::vector<UrlLease> urls{};
    std::vector<ChangeLease> changes{};  // by priority, then by age, whatever their crawl
    std::vector<HostRule> hosts{};       // known rules of hosts that this worker leases for the first time
    std::optional<Timestamp>
        next_due{};  // when more becomes due with time; nothing: only a change makes more due
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
    // Crawls with their frontier, unless something else was promised when they began (NewGroup::keeping).
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

// Pages outside of crawls: imports, watched files.
struct PageBatch {
    std::string collection = "default";
    std::string site{};  // what the pages have in common, for PageFilter
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
    bool is_outdated = false;  // a later lease has already brought its own visit: nothing was written
    std::optional<ContentId> content{};
    bool must_fetch_again = false;  // the page was reported unchanged, but nothing is stored
    std::int64_t unchanged = 0, duplicates = 0, bytes = 0, removed = 0;
};

// Which pages an operation is about. Every field narrows.
struct PageFilter {
    std::string collection{};
    std::vector<UrlKey> keys{};
    std::vector<std::string> urls{};  // as asked for, or as they were after redirects
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
    missing,  // only pages whose current version is not in the index
};

// A job that is added again and again, at the times of a cron expression (base/cron.h) in UTC.
struct Schedule {
    std::string name{};
    std::string cron{};
    NewJob job{};
    std::optional<NewGroup> group{};  // if set, each time begins a group with the job as its first
    std::optional<Timestamp> next_at{};
};

// What observers may want to know at once. Sent after the commit.
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
    batched,  // may wait a few milliseconds to share a commit: for many outcomes that no caller waits for
    // For a group with unlimited concurrency: a caller waits for this outcome and for nothing else of the
    // group. The outcome need not survive a power cut, which ends the caller's wait too.
    not_durable,
};

class Store {
public:
    // May be called from the store's own thread: it must only move the result elsewhere.
    using FinishCallback = std::move_only_function<void(Result<std::vector<Verdict>>)>;
    using Observer = std::function<void(std::span<const Event>)>;

    virtual ~Store() = default;

    // Adds all jobs or none. `conflict` with a sentence when a limit on open jobs is reached; `not_found` if
    // a group is unknown; `conflict` if it is over.
    virtual Result<std::vector<Added>> add(std::vector<NewJob> jobs) = 0;

    // Begins a group with its first jobs and URLs. `conflict` if its owner has a group of that request_key.
    // The group is `queued` while its owner's limit, or another group that runs alone, keeps it waiting. None
    // of its jobs is leased before the group runs.
    virtual Result<GroupId> add_group(NewGroup group, std::vector<NewJob> jobs,
                                      std::vector<FoundUrl> seeds) = 0;

    // A worker is a process (or a test's idea of one). Its leases live as long as it beats.
    virtual Result<WorkerId> register_worker(std::string name) = 0;

    // Claims what is due: by priority, fairly between owners and groups, the oldest first. Now and then it
    // claims the oldest of all, so that nothing starves. The leases of a dead worker count as due. A claim
    // survives the death of this process, but need not survive a power cut: the job then runs again.
    virtual Result<Leased> lease(const Demand& demand) = 0;

    // Says that the handler of this lease begins to work. Never blocks. A lease that expires after this call
    // counts as a stall.
    virtual void begin(LeaseRef lease) = 0;

    // Keeps the worker's leases alive, and saves progress. Returns the leases it has lost.
    virtual Result<std::vector<JobId>> beat(WorkerId worker, std::span<const Progress> progress) = 0;

    // Makes the outcomes true, each one whole or not at all, and calls back when that is durable. Waits while
    // too many outcomes are under way.
    virtual void finish(std::vector<Finished> finished, FinishCallback callback,
                        CommitMode mode = CommitMode::immediate) = 0;
    Result<std::vector<Verdict>> finish(std::vector<Finished> finished);

    // True if the group has certainly admitted this URL; false says nothing. Cheap, from any thread. Useful
    // because most links of a page lead to pages that the crawl knows already.
    virtual bool knows(GroupId group, const UrlKey& key) const = 0;

    // Gives back leases whose handlers have not begun. Costs a snooze.
    virtual Result<void> release(std::vector<LeaseRef> leases) = 0;

    // Ends a worker: its leases go back at once, as if it had died, and its later outcomes for them are
    // conflicts. An unknown worker has already ended.
    virtual Result<void> retire_worker(WorkerId worker) = 0;

    // These change a group with all its jobs and URLs, including running ones: outcomes of running ones
    // become conflicts (cancel) or are still taken (pause). `not_found`; `conflict` if the group is already
    // over.
    virtual Result<void> cancel(GroupId group) = 0;
    virtual Result<void> pause(GroupId group) = 0;
    virtual Result<void> resume(GroupId group) = 0;
    // Ends a group early as failed, with the reason. The remaining URLs become skipped.
    virtual Result<void> fail_group(GroupId group, std::string reason) = 0;
    virtual Result<void> reprioritise(GroupId group, int priority) = 0;

    // These change jobs. Each returns how many it changed.
    virtual Result<std::int64_t> cancel(const JobFilter& filter) = 0;  // queued, running, paused
    virtual Result<std::int64_t> pause(const JobFilter& filter) = 0;   // queued
    virtual Result<std::int64_t> resume(const JobFilter& filter) = 0;  // paused
    virtual Result<std::int64_t> retry(
        const JobFilter& filter) = 0;  // failed, cancelled, waiting after an error: attempts and stalls 0
    // For changes only: makes changes that wait for their time due now. Their attempts and snoozes stay, so a
    // caller that hastens them again and again keeps no change from ending.
    virtual Result<std::int64_t> hasten(const JobFilter& filter) = 0;
    virtual Result<std::int64_t> clear(const JobFilter& filter) = 0;  // not running; removes for good
    virtual Result<std::int64_t> reprioritise(const JobFilter& filter, int priority) = 0;

    // Saves pages. The commit that stores a new or changed page also puts its change into the outbox. A page
    // whose content_hash is the stored one changes nothing. If the call fails, some of the pages may be
    // saved; calling again is harmless. `invalid_argument` if a page has no words and none are stored.
    virtual Result<PagesWritten> write_pages(PageBatch batch) = 0;

    // Saves, in one commit, the visits of a crawl whose jobs live in another store. Reader::pages, timings
    // and erase() then know the crawl by its id. Visits are fenced by their leases: the same visit sent again
    // changes nothing and gets the same answer; a visit of a later lease replaces it; a visit of an earlier
    // lease is refused as outdated.
    virtual Result<std::vector<Visited>> keep_visits(KeptCrawl crawl, std::vector<Visit> visits);
    // What is stored of these URLs, for a crawl whose jobs live in another store. Empty if its site has no
    // pages.
    virtual Result<std::vector<std::optional<FormerPage>>> former_pages(const KeptCrawl& crawl,
                                                                        std::span<const UrlKey> keys);

    // Removes pages for good, with all their words, including those that crawls brought, and has the index
    // remove them. Works in small steps: other callers are not held up, and removed pages stay removed if the
    // call fails. Returns how many pages it removed. `invalid_argument` for an empty filter.
    virtual Result<std::int64_t> forget(const PageFilter& filter) = 0;

    // Adds a change for each page unless one waits already. Pages that were kept out of the index
    // (index_pages) stay out, except the pages of a group that the filter names: that group indexes its pages
    // from then on. An empty filter means all pages. Returns how many changes were added.
    virtual Result<std::int64_t> index_again(const PageFilter& filter,
                                             IndexAgain which = IndexAgain::all) = 0;

    // Records which embedder's vectors the collection has. Keeps `created_at` if the collection exists.
    virtual Result<void> set_collection(const Collection& collection) = 0;
    // Forgets the collection with its pages. False if there was none.
    virtual Result<bool> remove_collection(const std::string& name) = 0;

    // For operations other than crawls; crawls have their sessions without this call (Reader::sessions). Need
    // not survive a power cut.
    virtual Result<void> add_session(const Session& session) = 0;

    virtual Result<void> set_limits(const std::string& owner, const OwnerLimits& limits) = 0;

    // Returns its id. `conflict` if there is a key of that hash.
    virtual Result<std::int64_t> add_key(const ApiKey& key) = 0;
    // False if there is no such key or it is already revoked. A revoked key stays in the list.
    virtual Result<bool> revoke_key(std::int64_t id) = 0;
    // Need not survive a power cut.
    virtual Result<void> add_requests(std::span<const RequestRecord> requests) = 0;

    virtual Result<void> set_schedule(Schedule schedule) = 0;  // replaces the one of that name
    virtual Result<bool> remove_schedule(const std::string& name) = 0;

    // Removes a group that is over, with its pages and all that is known of them, and overwrites their place
    // in the files: nothing of the group can be read from the files once every reader that began before has
    // ended. `not_found`; `conflict` if the group is not over.
    virtual Result<void> erase(GroupId group) = 0;

    // Removes what is older than promised. A queued or running job is never removed by age. Works in small
    // steps and returns after about `budget`; call it again while it removes something. Jobs and requests
    // that are kept for a day or longer may be kept until the end of that day (UTC).
    virtual Result<Swept> sweep(const Retention& retention, std::chrono::milliseconds budget) = 0;

    // Writes a complete, consistent copy of the database while work goes on. Fails if the file exists.
    virtual Result<void> backup(const std::string& file) = 0;

    // Returns when something may have become due (added, finished, resumed, a time reached), at `until`, or
    // when asked to stop. Wake-ups may be spurious, but none is missed, because `seen` is compared.
    virtual std::uint64_t wait_for_change(std::uint64_t seen, Timestamp until, std::stop_token stop) = 0;

    // Calls the observer after commits, on the store's thread, for as long as the caller keeps the returned
    // pointer (base/observers.h). The observer must only move the events elsewhere.
    [[nodiscard]] virtual std::shared_ptr<void> observe(Observer observer) = 0;

    // True if the database is a server: a call that fails with `unavailable` or `timeout` may succeed later
    // on the same store.
    virtual bool reconnects() const = 0;
    // Whether there is a connection for changes. `unavailable` while the server is away, or is left alone for
    // a moment because it was away.
    virtual Result<void> reach() = 0;

    virtual Timestamp now() const = 0;
    virtual std::uint64_t salt() const = 0;  // for public_id.h
};

}  // namespace quarry::store
