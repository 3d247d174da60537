// Jobs that belong together, counted together and stopped together. A crawl is one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/metrics.h"

namespace quarry {

// How many groups of its owner may run beside this one.
enum class Concurrency : std::uint8_t {
    shared,     // as many as the owner's limit allows
    exclusive,  // it waits until no other group runs, and no other group begins while it runs
    // It neither waits for others nor counts as one: a page that somebody waits for. That it was begun need
    // not survive a power cut.
    unlimited,
};

// How long the pages stay that a group has brought, if they are not indexed: what is indexed stays until it
// is forgotten by name. Of a page that several groups have met, the smaller counts.
enum class PageKeeping : std::uint8_t {
    for_good,
    cached,      // until they are old (store::Retention::cache) and no group has them
    with_group,  // as long as a group has them
};

// As it is stored; what no program wrote keeps the page.
constexpr PageKeeping page_keeping_of(std::int64_t number) {
    const bool is_known = number > 0 && number <= static_cast<std::int64_t>(PageKeeping::with_group);
    return is_known ? static_cast<PageKeeping>(number) : PageKeeping::for_good;
}

// How long a group is kept when it is over, with what is known of its URLs.
struct Keeping {
    std::chrono::milliseconds completed{};  // if it brought a page
    std::chrono::milliseconds failed{};

    friend bool operator==(const Keeping&, const Keeping&) = default;
};

struct NewGroup {
    std::string kind = "crawl";
    std::string name{};     // what a list shows: the first URL
    std::string options{};  // JSON; everything it was asked with
    std::string collection = "default";
    std::string owner = "local";
    int priority = priority_normal;
    Concurrency concurrency = Concurrency::shared;
    std::int64_t page_limit = 10'000;  // pages that may complete; no URL beyond it is leased
    std::int64_t url_limit = 200'000;  // URLs that may be admitted; what is found beyond is only counted
    bool index_pages = true;           // false: its pages get no outbox row until asked for (--no-embed)
    bool zero_retention = false;
    std::optional<Keeping> keeping{};  // nothing: as store::Retention says when it is swept
    PageKeeping page_keeping = PageKeeping::for_good;
    std::string request_id{};  // of the request that began it; "" for none
    std::string site{};  // what two crawls of the same site have in common: pages found by one and missed by
                         // the next are known by it; "": known pages stay with the site they have

    std::string request_key{};  // its client's name for it: an owner begins no two of the same; "" for none

    // Added when everything else of the group has ended; the group completes when these have.
    std::vector<NewJob> closing_jobs{};

    // Tells others of the group: added when it begins to run and when it is over, however it ends, each time
    // in the commit that makes it so. It belongs to no group, so that none waits for it. Its payload, a JSON
    // object, gets "group", a number, and "state".
    std::optional<NewJob> notice{};
};

// Kept in the same commit as what they count.
struct GroupCounters {
    std::int64_t jobs_open = 0;     // jobs of the group other than URLs, queued or running
    std::int64_t discovered = 0;    // URLs ever admitted
    std::int64_t queued = 0;        // URLs that wait, for their time too
    std::int64_t running = 0;       // URLs leased
    std::int64_t completed = 0;     // URLs that gave a page
    std::int64_t failed = 0;        // URLs given up
    std::int64_t skipped = 0;       // URLs left out, each with its reason
    std::int64_t unchanged = 0;     // of the completed, those stored already in the same words
    std::int64_t duplicates = 0;    // of the completed, those nearly the same as another page
    std::int64_t gone = 0;          // of the failed, those answered 404 or 410
    std::int64_t not_admitted = 0;  // found beyond url_limit
    std::int64_t removed = 0;       // pages removed from the store because the site has them no more
    std::int64_t bytes = 0;         // of bodies fetched
    std::int64_t indexed = 0;       // its pages that are in the search index
    std::int64_t index_failed = 0;  // changes of its pages that the index was given up on
    std::int64_t chunks = 0;        // that its pages were split into
};

struct Group {
    GroupId id{};
    std::string kind{}, name{}, options{}, collection{}, owner{};
    JobState state = JobState::queued;
    int priority = priority_normal;
    Concurrency concurrency = Concurrency::shared;
    std::int64_t page_limit = 0;
    bool index_pages = true;
    // When it is over, if that was promised when it began; else store::Retention says.
    std::optional<std::chrono::milliseconds> kept_for{};
    GroupCounters counters{};
    Timings timings{};                 // sums over its pages
    std::vector<std::string> roots{};  // URLs that its scope was widened to while it ran
    std::string error{};               // why it failed, or what its user should know
    Timestamp created_at{};
    std::optional<Timestamp> started_at{}, finished_at{};

    bool is_over() const {
        return state == JobState::completed || state == JobState::failed || state == JobState::cancelled;
    }
};

}  // namespace quarry
