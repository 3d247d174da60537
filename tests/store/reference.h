// A reference model of the queue: it keeps the promises of store.h in the simplest data structures, without
// regard for speed, disks or threads. A store is right if it behaves like this model.
//
// A store may choose which of the due jobs it leases first. The reference only says whether a lease was
// allowed, and whether one more lease would have been allowed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/reader.h"
#include "store/store.h"

namespace quarry::test {

class Reference {
public:
    // How workers share what an owner may still have under way: the first worker may take all of it, or each
    // worker gets at least an equal part.
    enum class Room : std::uint8_t { first, shared };

    explicit Reference(store::StoreLimits limits, Room room = Room::first) : limits_(limits), room_(room) {}

    Timestamp now{};

    // A job is identified by its payload, which is unique; a URL by its group and URL.
    struct Lease {
        WorkerId worker{};
        Token token{};
        bool has_begun = false;
    };
    struct Item {             // a job, a URL, or a change of the outbox
        std::int64_t id = 0;  // 0 until it is known
        std::string kind{}, owner{}, unique_key{}, host{};
        std::optional<GroupId> group{};
        bool is_url = false;
        std::string page{};  // of a change: in pages_, if it is still there
        std::string collection{};
        bool is_removal = false;
        int version = 0, snoozes = 0;
        int priority = 0, attempts = 0, stalls = 0, max_attempts = 3, status = 0;
        std::optional<Timestamp> run_at{}, start_by{}, deadline{};
        JobState state = JobState::queued;  // never running: a running item has a lease instead
        bool is_skipped = false;            // for a completed URL
        std::optional<Lease> lease{};
        std::optional<Token> ended_by{};

        bool is_open() const { return state == JobState::queued || state == JobState::paused; }
        bool is_change() const { return !page.empty(); }
    };
    // A page that was written. A page that is written again after it was forgotten is a new page.
    struct Page {
        std::string collection{};
        std::uint64_t key = 0;
        int words = 0, version = 1;
        std::string latest{};  // its last change
    };
    struct Crawl {
        NewGroup what{};
        JobState state = JobState::queued;
        int priority = 0;
        bool has_closing_jobs = false;
        std::set<std::string> known{};  // keys of items
        std::int64_t not_admitted = 0, gone = 0;
        bool is_over() const {
            return state == JobState::completed || state == JobState::failed || state == JobState::cancelled;
        }
    };

    // Each does what the function of that name in store.h does.
    ErrorCode add_code(const std::vector<NewJob>& jobs) const;  // what add would fail with
    bool add_is_refused(const std::vector<NewJob>& jobs) const;
    bool add(const NewJob& job, JobId id);  // true if it existed
    void add_group(GroupId id, const NewGroup& group, const std::vector<NewJob>& jobs,
                   const std::vector<FoundUrl>& seeds);
    void register_worker(WorkerId id) { workers_[id] = {.beat_at = now}; }
    void do_what_is_due(WorkerId asking);
    std::set<JobId> beat(WorkerId id);
    void begin(const store::LeaseRef& lease);
    store::Verdict finish(const store::LeaseRef& lease, const store::Outcome& outcome);
    void release(const store::LeaseRef& lease);
    bool cancel(GroupId id);
    bool fail_group(GroupId id);
    bool pause(GroupId id);
    bool resume(GroupId id);
    bool reprioritise(GroupId id, int priority);
    enum class Change : std::uint8_t { cancel, pause, resume, retry, clear };
    std::int64_t change(Change change, const std::vector<JobId>& jobs);
    std::int64_t change_urls(Change change, GroupId group);  // cancel or retry
    void restart();

    // Pages. A number stands for their words.
    void write_page(const std::string& collection, std::uint64_t key, int words, int priority);
    std::int64_t forget_page(std::uint64_t key);  // in every collection
    std::int64_t index_again();
    // Gives the new changes, in order, these ids.
    std::string learn_ids(const std::vector<Job>& changes);

    // Says in a sentence what is wrong with these leases; "" if nothing is wrong.
    std::string take(const store::Demand& demand, const store::Leased& leased);
    // Says what differs from the stored data; "" if nothing differs.
    std::string difference(store::Reader& reader) const;

    bool is_over(GroupId id) const { return crawls_.at(id).is_over(); }
    const std::map<std::string, Item>& items() const { return items_; }

private:
    struct Worker {
        Timestamp beat_at{};
        bool is_dead = false;
        std::set<JobId> lost{};
    };

    static std::string url_label(GroupId group, const std::string& url);
    Item* find(std::int64_t id);
    Item* holder_of(const std::string& unique_key);
    const Item* holder_of(const std::string& unique_key) const;
    void insert(const NewJob& job, std::int64_t id);
    void admit(GroupId group, const std::vector<FoundUrl>& urls);
    void end(Item& item, JobState state);
    void take_back(Item& item, bool worker_died);
    void revoke(Item& item);
    void again(Item& item, Timestamp when);
    void bury();
    bool stop(GroupId id, JobState state);
    void reopen(GroupId id);
    void settle();
    bool has_work_left(GroupId id, const Crawl& crawl) const;
    void start_waiting();
    bool is_leasable(const Item& item, WorkerId worker) const;
    std::string take_one(Item* item, WorkerId worker, const store::LeaseRef& lease, int attempt);
    void add_change(const std::string& page, Item change);
    bool is_outdated(const std::string& label, const Item& item) const;
    Item* next_change(const std::string& collection);
    std::string take_changes(const store::Demand& demand, const store::Leased& leased);
    bool drop_outdated(Item& item);
    std::int64_t count(const std::function<bool(const Item&)>& matches) const;
    bool has_enough(GroupId id, const Crawl& crawl) const;
    GroupCounters counters_of(GroupId id, const Crawl& crawl) const;
    UrlState url_state_of(const Item& item) const;
    std::string difference_of_jobs(store::Reader& reader) const;
    std::string difference_of_changes(store::Reader& reader) const;
    std::string difference_of_groups(store::Reader& reader) const;
    std::string difference_of_urls(store::Reader& reader, GroupId id) const;

    std::map<std::string, std::int64_t> url_shares() const;

    store::StoreLimits limits_;
    Room room_;
    std::map<std::string, Item> items_;
    std::map<GroupId, Crawl> crawls_;
    std::map<std::string, Page> pages_;
    int changes_ = 0;  // ever made
    std::map<WorkerId, Worker> workers_;
    std::set<Token> tokens_;
};

}  // namespace quarry::test
