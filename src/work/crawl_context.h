// What is known in memory of a crawl that runs: its options in the form in which every page needs them.
// The threads that fetch and read its pages share it. It also counts how long each page may wait for a
// server that says "too many requests".
// Each reading thread keeps an Admissions beside it: the links that the thread has judged already, crawl by
// crawl.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "crawl/admission.h"
#include "crawl/crawl_health.h"
#include "crawl/near_duplicates.h"
#include "crawl/options/options.h"
#include "crawl/scope.h"
#include "crawl/traps.h"
#include "extract/extract.h"
#include "fetch/redirect.h"
#include "model/group.h"
#include "model/ids.h"
#include "model/page.h"
#include "net/address_policy.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::work {

// How long the pages of a crawl may wait for a server that says "too many requests".

// Each page may be sent away for five minutes without losing an attempt. Known to this process alone: another
// that goes on with the crawl begins to count anew. Any thread.
class Patience {
public:
    bool has_left(JobId url, Timestamp now) {
        return since_.with(
            [&](auto& since) { return now - since.try_emplace(url, now).first->second < longest; });
    }
    void forget(JobId url) {
        since_.with([&](auto& since) { since.erase(url); });
    }

private:
    static constexpr std::chrono::minutes longest{5};

    Guarded<std::map<JobId, Timestamp>> since_;  // when it was first sent away
};

// What is known in memory of a crawl that runs: its options in the form in which they are needed for every
// page. Shared by the threads that fetch and read its pages.

// What the settings say for every crawl.
struct CrawlDefaults {
    net::AddressPolicy policy{};                              // a crawl may be allowed more, never less
    std::shared_ptr<const fetch::Credentials> credentials{};  // by origin and owner; nothing: there are none
};

// How its pages are read.
extract::ExtractOptions extract_options(const crawl::CrawlOptions& options);

// With what the crawl's own options allow besides.
net::AddressPolicy widened(net::AddressPolicy policy, const crawl::CrawlOptions& options);

class CrawlContext {
public:
    // Reads the crawl's options from the store.
    static Result<std::shared_ptr<CrawlContext>> load(GroupId id, store::Reader& reader,
                                                      const CrawlDefaults& defaults);

    const GroupId id;
    const crawl::CrawlOptions options;
    const std::string collection;
    const std::string owner;
    const extract::ExtractOptions extract;
    const net::AddressPolicy policy;

    // Which URLs belong to it; replaced when a redirect of a start page widens it.
    std::shared_ptr<const crawl::Scope> scope();
    void widen(const std::vector<std::string>& roots);

    // Reads some of what the crawl has met before it was interrupted, so that near duplicates are still
    // found: there may be a million pages. True if there is more; else the crawl knows them now.
    struct Recalled {
        std::int64_t after = 0;
        crawl::NearDuplicates seen{};
    };
    Result<bool> recall_some(store::Reader& reader, Recalled& recalled);

    // Headers for a URL: those that say who asks go to the origins of the start URLs, and nowhere else: also
    // not to where these redirect. To an origin that has credentials for the crawl's owner, these go along.
    std::vector<Header> headers_for(const url::Url& url) const;

    // Whether it has fewer pages under way than it may have. The dispatcher's.
    bool may_start_another() const;

    Guarded<crawl::NearDuplicates> near_duplicates{crawl::NearDuplicates()};
    Guarded<crawl::ShapeCounter> shapes;
    Guarded<crawl::CrawlHealth> health;
    Patience patience;
    int running = 0;                      // pages on the wire; the dispatcher's
    std::atomic<int> in_slow_stages = 0;  // and pages with the browser or a model, or in line for them

private:
    // What depends on where the crawl may go.
    struct Place {
        std::vector<std::string> roots{};
        std::shared_ptr<const crawl::Scope> scope{};
    };

    CrawlContext(const Group& group, crawl::CrawlOptions wanted, const CrawlDefaults& defaults);
    Result<void> set_roots(std::vector<std::string> roots);

    Guarded<Place> place_;
    const std::shared_ptr<const fetch::Credentials> credentials_;
    const std::vector<std::string> named_origins_;  // of the start URLs
    std::map<std::string, Header> logins_{};        // by origin: what the start pages' own URLs say
};

// What a thread that reads pages remembers of the links it has judged, crawl by crawl.

// One per thread.
class Admissions {
public:
    explicit Admissions(const store::Store& store) : store_(store) {}

    // Good until the next call.
    crawl::Admission& of(const std::shared_ptr<CrawlContext>& of_crawl);

private:
    struct Entry {
        std::weak_ptr<CrawlContext> crawl;          // gone when it is over
        std::shared_ptr<const crawl::Scope> scope;  // a widened scope is a new one, with new judgements
        std::unique_ptr<crawl::LinkJudge> judge;
        std::unique_ptr<crawl::Admission> admission;
    };

    const store::Store& store_;
    std::unordered_map<GroupId, Entry> entries_;
};

}  // namespace quarry::work
