// The API of a data folder. It takes requests from a server, finds the owner and the route of each, and has
// it answered. It only translates and enqueues: workers do the work.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "api/admission.h"
#include "api/answer_cache.h"
#include "api/notifier.h"
#include "api/reader_pool.h"
#include "api/request_log.h"
#include "api/routes.h"
#include "api/server/server.h"
#include "base/guarded.h"
#include "base/result.h"
#include "crawl/options/options.h"
#include "index/chunk_records.h"
#include "model/document.h"
#include "model/metrics.h"
#include "model/page.h"
#include "search/searcher.h"
#include "store/owner_quota.h"
#include "store/store.h"

namespace quarry::chat {
class Model;
}

namespace quarry::api {

struct MapQuestion {
    std::string url{};
    std::string owner{};  // of the request
    std::size_t limit = 5'000;
    std::string search{};
    bool subdomains = true;
    crawl::SitemapUse sitemap = crawl::SitemapUse::include;
};

struct SiteMap {
    struct Page {
        std::string url{}, title{};
    };
    std::vector<Page> pages{};
    std::optional<Error> error{};  // nothing could be found
    std::string warning{};
};

// A document that a client sent, with the crawl options that say how to read it.
struct Upload {
    Page page{};
    crawl::CrawlOptions options{};
    std::chrono::milliseconds timeout{300'000};
};

// A question to a search engine for the web.
struct WebQuestion {
    std::string query{};
    std::size_t limit = 10;
    std::chrono::milliseconds timeout{60'000};
    std::string language{};
};
struct WebHit {
    std::string url{}, title{}, description{};
};

// How long the results of Firecrawl's routes are kept after they are over.
struct Promises {
    Keeping scrapes{std::chrono::hours(1), std::chrono::hours(6)};
    Keeping crawls{std::chrono::hours(24), std::chrono::hours(24)};
    std::chrono::milliseconds others{std::chrono::hours(24 * 30)};  // where nothing was promised
    std::chrono::milliseconds zero_retention{std::chrono::hours(1)};
    std::chrono::milliseconds cache{std::chrono::hours(48)};  // pages that maxAge may be answered from
};

// What the API is built on. All of it outlives the API. The API does not know in which process the store is
// changed or the work is done.
struct Services {
    ReaderPool::OpenReader open_reader{};
    // Observers as the store has them.
    std::function<std::shared_ptr<void>(store::Store::Observer)> observe{};
    std::function<Result<void>(GroupId)> cancel{};
    std::function<Result<void>(GroupId)> erase{};
    RequestLog::Keep keep_requests{};
    std::function<Timestamp()> now{};
    std::function<std::optional<Error>()>
        store_trouble{};  // why work waits for the store; empty: that is not known
    // Why nothing new is taken although what is stored can be read; empty: that is not known.
    std::function<std::optional<Error>()> write_trouble{};
    std::function<Result<search::SearchAnswer>(const search::SearchRequest&)> search{};
    std::function<Result<GroupId>(const crawl::CrawlOptions&)> begin_crawl{};
    // Adds pages to a batch. `conflict` if it is over.
    std::function<Result<void>(GroupId, const std::vector<std::string>& urls)> add_urls{};
    std::function<SiteMap(const MapQuestion&, std::stop_token)> map{};
    std::function<Result<Document>(const Upload&)> read{};  // fails as work::read_document does
    // Asks a search engine for the web; empty if there is none.
    std::function<Result<std::vector<WebHit>>(const WebQuestion&)> search_web{};
    // Answers questions whose answers a page does not give in a form for machines; null if there is no model.
    // Shared, since it keeps its connection alive.
    std::shared_ptr<chat::Model> model{};
    // Performs a method of app/owner/methods.h: one list for the socket, the command line and HTTP.
    std::function<Result<boost::json::value>(const std::string& method, const boost::json::object& params)>
        perform{};
    std::function<Result<boost::json::array>(const std::string& collection, std::span<const ChunkRef>,
                                             index::WithVectors)>
        read_chunks{};                            // index/chunk_records.h
    std::function<void(std::string_view)> log{};  // a line for each request; empty: no log
    std::string version{};
    int max_concurrency = 256;  // pages on the wire at once
    Promises promises{};
    AdmissionRules admission{};
};

// A change of this shows that something happened in a group.
struct GroupSign {
    JobState state{};
    std::int64_t done = 0;
    bool operator==(const GroupSign&) const = default;
};

class Api {
public:
    static Result<std::unique_ptr<Api>> open(Services services);
    // Answers every exchange that it was given. No more may be given to it.
    ~Api();

    // For the server; does not wait.
    void handle(std::shared_ptr<Exchange> exchange);

    Services& services() { return services_; }
    const RequestLog& request_log() const { return request_log_; }

    // Begins what the call asks for, as its owner and within the owner's quota. `exhausted` if the quota is
    // used up.
    Result<GroupId> begin_crawl(store::Reader& reader, const Call& call, crawl::CrawlOptions options);
    // Makes the caller the owner of the crawl. No request is allowed private addresses: only the settings of
    // the server can allow them.
    static void claim(const Call& call, crawl::CrawlOptions& options);
    // How many pages the owner may still have fetched; nothing if the owner's pages are not limited.
    Result<std::optional<std::int64_t>> pages_left(store::Reader& reader, const std::string& owner) const;
    // The same; `exhausted` if no page is left, or if the owner stores as much as it may.
    Result<std::optional<std::int64_t>> check_quota(store::Reader& reader, const std::string& owner);
    // `exhausted` if the owner stores as much as it may.
    Result<void> check_storage(store::Reader& reader, const std::string& owner);
    store::OwnerLimits limits_of(const std::string& owner) const {
        return admission_.keyring().limits(owner);
    }

    // Keeps a record of the call for the metrics. The call does not fail if the record cannot be kept.
    void note(const Call& call, Session session) const;

    Live& live() { return live_; }
    // Returns a function that cancels the group soon after it is called, from any thread: for a client that
    // has left.
    std::function<void()> cancelling(const Call& call, GroupId group);
    // False if too much work waits already.
    bool post(const std::string& owner, ReaderPool::Work work) {
        return readers_->post(owner, std::move(work));
    }
    // The call is refused if too much work waits already.
    void post(const Call& call, ReaderPool::Work work);
    // For work that may take long: it does not delay quick requests.
    void post_slow(const Call& call, ReaderPool::Work work);
    // For work that waits for other servers: it does not delay work that this process does itself.
    void post_outside(const Call& call, ReaderPool::Work work);
    // Whether the call came with a key, or from this machine where none is needed. Works for open routes too.
    bool knows(const Call& call) const { return admission_.identify(call.request()).has_value(); }
    std::stop_token stopping() const { return stop_.get_token(); }

private:
    explicit Api(Services services);
    void dispatch(Call call, const std::shared_ptr<ObservedExchange>& exchange);
    void admit(Call call, const std::shared_ptr<ObservedExchange>& exchange);
    void run(const Route& route, Call call);
    void answer(const Route& route, Call call);
    void post_to(ReaderPool& readers, const Call& call, ReaderPool::Work work);
    void look_again(const std::vector<GroupId>& groups);
    void look_at(store::Reader& reader, const std::vector<GroupId>& groups);
    void end_streams_of_strangers();
    crawl::RequestContext context_of(const Call& call) const;

    Services services_;
    RequestLog request_log_;
    Admission admission_;
    std::shared_ptr<AnswerCache> answers_;
    std::stop_source stop_;
    std::unique_ptr<ReaderPool> readers_, slow_readers_, outside_readers_;
    struct Stream {
        Request request{};  // tells whose stream it is
        std::weak_ptr<Follower> follower{};
    };
    Guarded<std::vector<Stream>> streams_;
    store::StorageLooks storage_;
    Guarded<std::map<GroupId, GroupSign>> seen_;  // at the last look
    std::atomic<bool> is_looking_ = false;
    // How often the keys had been read when the streams were last checked. Belongs to look_at().
    std::uint64_t checked_reads_ = 0;
    Live live_;  // its callbacks may post to the readers
    std::shared_ptr<void> observer_;
};

}  // namespace quarry::api
