// What is in the store, for lists, status and export. Reads never wait for writers nor hold them up: every
// call is one short snapshot, and long lists are read in pages.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/access.h"
#include "model/collection.h"
#include "model/frontier.h"
#include "model/group.h"
#include "model/job.h"
#include "model/metrics.h"
#include "model/stored_page.h"
#include "store/store.h"

namespace quarry::store {

struct GroupFilter {
    std::string owner{};
    std::string kind{};
    std::vector<JobState> states{};
    std::optional<GroupId> before{};  // the newest come first
    int limit = 10;
};

struct JobQuery {
    JobFilter filter{};
    std::optional<JobId> after{};
    int limit = 100;
    bool with_payload = false;
    // As they are leased: by priority, then by age. Only for changes, and without `after`.
    enum class Order : std::uint8_t { by_id, as_leased } order = Order::by_id;
};

struct UrlQuery {
    GroupId group{};
    std::vector<UrlState> states{};
    std::optional<SkipReason> skipped{};
    std::optional<JobId> after{};  // in order of discovery
    int limit = 100;
};

struct PageQuery {
    std::optional<GroupId> group{};  // the pages of a crawl as it saw them; else all pages of a collection
    std::optional<JobId> url{};      // of a crawl, only the page that this URL of it brought
    std::string collection{};        // "" for all
    std::int64_t after = 0;          // StoredPages::next of the page before
    std::int64_t skip = 0;           // so many after that, of a crawl
    int limit = 100;
    bool with_content = false;
    bool pass_damaged = false;  // what cannot be read any more is named, and does not end the listing
};

struct StoredPages {
    std::vector<StoredPage> pages{};
    std::vector<Error> damaged{};        // pages that were passed over
    std::optional<std::int64_t> next{};  // where to go on; nothing at the end
    std::int64_t last = 0;               // where those that come later go on
};

struct StateCount {
    std::string kind{};
    std::string collection{};
    JobState state{};
    std::int64_t count = 0;
};

struct WorkerInfo {
    WorkerId id{};
    std::string name{};
    Timestamp beat_at{};
    std::int64_t running = 0;
};

// The outbox, in the words of embedding queues.
struct OutboxCounts {
    std::int64_t pending = 0, processing = 0, completed = 0, failed = 0;
    std::optional<Timestamp> next_due{};  // of the pending ones that wait for their time
    std::string last_error{};             // "" once all goes well again
};

struct SessionFilter {
    std::string operation{};
    std::optional<Timestamp> since{};   // started then or later
    std::optional<Timestamp> before{};  // started earlier
    int limit = 100;
};

struct RequestFilter {
    std::optional<Timestamp> since{}, before{};
    std::string owner{};   // "" for all
    int least_status = 0;  // 400: only those that failed
    int limit = 100;
};

struct OperationFilter {
    std::optional<Timestamp> since{}, before{};
    std::string collection{};  // "" for all
    int limit = 100;
};

struct SlowPage {
    std::string url{};
    Timings timings{};
};

class Reader {
public:
    virtual ~Reader() = default;

    virtual Result<Group> group(GroupId id) = 0;  // `not_found`
    virtual Result<std::vector<Group>> groups(const GroupFilter& filter) = 0;
    virtual Result<std::int64_t> position(GroupId id) = 0;  // 1 for the next to begin; 0 if it does not wait
    virtual Result<std::vector<std::string>> current_urls(GroupId id, int limit) = 0;

    virtual Result<Job> job(JobId id) = 0;  // also URLs and outbox rows; `not_found`
    virtual Result<std::vector<Job>> jobs(const JobQuery& page) = 0;  // also URLs and outbox rows
    virtual Result<std::vector<StateCount>> job_counts(const JobFilter& filter) = 0;
    virtual Result<std::vector<FrontierUrl>> urls(const UrlQuery& page) = 0;

    virtual Result<StoredPages> pages(const PageQuery& page) = 0;
    // With its words. Nothing if the collection has no such page.
    virtual Result<std::optional<StoredPage>> page(std::string_view collection, const UrlKey& key) = 0;

    // Versions of pages with their words, but without HTML, in the order asked for. Those that are gone are
    // left out. Facts are those of the page today, and empty but for the words if the page is gone.
    virtual Result<std::vector<StoredPage>> page_versions(std::span<const ContentId> versions) = 0;

    // The pictures of a version of a page, as model/stored_page.h packs them; "" if it has none or is gone.
    virtual Result<std::string> media(ContentId version) = 0;
    // What the pages of these collections take as they are stored: every version that is kept, with its
    // pictures.
    virtual Result<std::int64_t> stored_bytes(const std::vector<std::string>& collections) = 0;

    // Cheap: may be asked ten times a second. "" for all collections.
    virtual Result<OutboxCounts> outbox_counts(const std::string& collection,
                                               std::optional<GroupId> group) = 0;

    // By name, with their pages counted. Also those of which there are only pages.
    virtual Result<std::vector<Collection>> collections() = 0;
    virtual Result<std::optional<Collection>> collection(const std::string& name) = 0;
    // Whose vectors it has, as recorded: without counting pages. Of a collection nobody spoke of: nothing in
    // it.
    virtual Result<EmbedderFacts> embedder(const std::string& collection) = 0;

    // The newest first. A crawl has one too, made from its group.
    virtual Result<std::vector<Session>> sessions(const SessionFilter& filter) = 0;
    // All of them by day, the newest first: also of today, and those that are not kept one by one any more.
    virtual Result<std::vector<SessionDay>> session_days(int limit) = 0;
    // What the index did for pages: the newest first, and all by day.
    virtual Result<std::vector<Operation>> operations(const OperationFilter& filter) = 0;
    virtual Result<std::vector<OperationDay>> operation_days(int limit) = 0;
    // Where the time of a crawl went: the sums, and the pages that took longest, the slowest first.
    virtual Result<Timings> timings(GroupId id) = 0;  // `not_found`
    virtual Result<std::vector<SlowPage>> slowest_pages(GroupId id, int limit) = 0;

    virtual Result<std::vector<ApiKey>> keys() = 0;  // in order of creation, revoked ones too
    // Nothing if the standard ones apply.
    virtual Result<std::optional<OwnerLimits>> limits(const std::string& owner) = 0;
    // What they had fetched, day by day, the oldest first.
    virtual Result<std::vector<UsageDay>> usage(const std::string& owner, Timestamp since) = 0;
    virtual Result<std::vector<RequestRecord>> requests(const RequestFilter& filter) = 0;  // newest first
    virtual Result<std::vector<RequestDay>> request_days(int limit) = 0;                   // of older ones

    virtual Result<std::vector<WorkerInfo>> workers() = 0;
    virtual Result<std::vector<Schedule>> schedules() = 0;
    virtual std::uint64_t salt() const = 0;  // for public_id.h
};

}  // namespace quarry::store
