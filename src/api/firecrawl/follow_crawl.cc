#include "api/firecrawl/follow_crawl.h"

#include <atomic>

#include <boost/json.hpp>

#include "api/firecrawl/crawl_status.h"
#include "api/firecrawl/firecrawl_document.h"
#include "api/firecrawl/states.h"
#include "crawl/options/options.h"
#include "model/json/readable.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

constexpr int policy_violation = 1008;
constexpr int internal_error = 1011;
constexpr int documents_at_once = 5;
constexpr std::size_t enough_bytes = 1u << 20;  // on their way to one client

// The first protocol that the client offers: its key, in Firecrawl's clients.
std::string offered_protocol(const Request& request) {
    std::string_view offered = request.header("sec-websocket-protocol");
    offered = offered.substr(0, offered.find(','));
    while (offered.ends_with(' ')) offered.remove_suffix(1);
    return std::string(offered);
}

// One client that follows one crawl. Documents are read from the store from where it is, so that none is
// missed and none comes twice, however many events come together.
class CrawlFollower : public std::enable_shared_from_this<CrawlFollower> {
public:
    CrawlFollower(Api& api, std::shared_ptr<Follower> client, const Group& group, Formats formats,
                  std::string origin)
        : api_(api),
          client_(std::move(client)),
          group_(group.id),
          owner_(group.owner),
          formats_(formats),
          links_{.origin = std::move(origin)} {}

    // So many documents were in the first message.
    void begin_after(std::int64_t sent) { skip_ = sent; }

    // Any thread. Sends what is new; one desk does at a time.
    void catch_up() {
        if (news_++ > 0) return;
        const bool is_taken =
            api_.post(owner_, [self = shared_from_this()](store::Reader& reader) { self->run(reader); });
        if (!is_taken) client_->close(internal_error, "the server is busy");
    }
    bool is_open() const { return client_->is_open(); }

private:
    void run(store::Reader& reader) {
        int seen = 0;
        do {
            seen = news_;
            if (const auto sent = send_news(reader); !sent)
                client_->close(internal_error, sent.error().message);
        } while (news_.fetch_sub(seen) > seen);
    }

    Result<void> send_news(store::Reader& reader) {
        // First whether it is over, then what is there: nothing comes after the end.
        const Group group = TRY(reader.group(group_));
        for (bool has_more = true; has_more;) {
            // It goes on when this is on its way.
            if (!client_->is_open() || client_->waiting_bytes() > enough_bytes) return {};
            const auto pages = TRY(reader.pages({.group = group_,
                                                 .after = after_,
                                                 .skip = std::exchange(skip_, 0),
                                                 .limit = documents_at_once,
                                                 .with_content = true}));
            for (const StoredPage& page : pages.pages)
                client_->send(readable_json(json::object{
                    {"type", "document"}, {"data", firecrawl_document(page, formats_, links_)}}));
            if (!pages.pages.empty()) after_ = pages.last;
            has_more = pages.next.has_value();
        }
        // Clients then ask once for the whole, and know by that how it ended.
        if (group.is_over()) client_->close(1000, "");
        return {};
    }

    Api& api_;
    const std::shared_ptr<Follower> client_;
    const GroupId group_;
    const std::string owner_;
    const Formats formats_;
    const MediaLinks links_;
    std::atomic<int> news_ = 0;
    // Of the desk that runs.
    std::int64_t after_ = 0, skip_ = 0;
};

}  // namespace

void follow_crawl(Api& api, store::Reader& reader, Call call, const Result<Group>& group) {
    const auto client = call.exchange->accept_websocket(offered_protocol(call.request()));
    if (!group) {
        client->send(readable_json(json::object{{"type", "error"}, {"error", group.error().message}}));
        client->close(policy_violation, group.error().message);
        return;
    }
    const auto options = crawl::options_of(*group);
    const std::string origin = origin_of(call.request());
    const auto status =
        crawl_status(reader, *group, {.origin = origin, .expires_at = expiry_of(api.services(), *group)}, "");
    if (!options || !status) return client->close(internal_error, "the crawl cannot be read");
    const auto follower = std::make_shared<CrawlFollower>(api, client, *group, options->formats, origin);
    follower->begin_after(std::ssize(status->at("data").as_array()));
    client->set_on_drained([weak = std::weak_ptr(follower)] {
        if (const auto here = weak.lock()) here->catch_up();
    });
    client->send(readable_json(json::object{{"type", "catchup"}, {"data", *status}}));
    api.live().listen(
        group->id,
        [follower](const store::Event&) {
            if (follower->is_open()) follower->catch_up();
            return follower->is_open();
        },
        [follower] { return follower->is_open(); }, Live::Hears::signs);
    // What happened between the first message and the listening.
    follower->catch_up();
}

}  // namespace quarry::api
