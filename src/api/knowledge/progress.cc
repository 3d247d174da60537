#include "api/knowledge/progress.h"

#include <atomic>

#include <boost/json.hpp>

#include "api/firecrawl/states.h"
#include "crawl/options/options.h"
#include "model/json/readable.h"
#include "store/index_progress.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

// In the words of those who know such queues.
std::string_view state_name(JobState state) {
    switch (state) {
        case JobState::queued: return "pending";
        case JobState::running: return "processing";
        case JobState::completed: return "completed";
        case JobState::failed: return "failed";
        case JobState::cancelled: return "cancelled";
        case JobState::paused: return "paused";
    }
    return "pending";
}

store::OutboxCounts outbox_of(store::Reader& reader, const Group& group) {
    return reader.outbox_counts("", group.id).value_or(store::OutboxCounts{});
}

// One who follows. News that come together are told once.
class ProgressFollower : public std::enable_shared_from_this<ProgressFollower> {
public:
    ProgressFollower(Api& api, std::shared_ptr<Follower> client, const Group& group)
        : api_(api), client_(std::move(client)), group_(group.id), owner_(group.owner) {}

    bool is_open() const { return client_->is_open(); }
    void tell() {
        if (is_told_.exchange(true)) return;
        const bool is_taken =
            api_.post(owner_, [self = shared_from_this()](store::Reader& reader) { self->run(reader); });
        if (!is_taken) client_->close(1000, "");
    }

private:
    void run(store::Reader& reader) {
        is_told_ = false;
        const auto group = reader.group(group_);
        if (!group) return client_->close(1000, "");
        client_->send(readable_json(progress_of(reader, *group)));
        if (is_over(store::shown_state(*group, outbox_of(reader, *group)))) client_->close(1000, "");
    }

    Api& api_;
    const std::shared_ptr<Follower> client_;
    const GroupId group_;
    const std::string owner_;
    std::atomic<bool> is_told_ = false;
};

}  // namespace

json::object about_of(const Group& group) {
    auto options = crawl::options_of(group);
    return options ? std::move(options->about) : json::object();
}

void add_source(json::object& answer, const json::object& about) {
    for (const std::string_view name : {"source_id", "user_id", "payload"}) {
        const json::value* value = about.if_contains(name);
        answer[name] = value ? *value : json::value(nullptr);
    }
}

json::object progress_of(store::Reader& reader, const Group& group) {
    const GroupCounters& counters = group.counters;
    const store::OutboxCounts outbox = outbox_of(reader, group);
    json::value current, waiting;
    if (store::waits_for_embedder(outbox)) waiting = outbox.last_error;
    if (const auto urls = reader.current_urls(group.id, 1); urls && !urls->empty()) current = urls->front();
    json::object progress{
        {"success", true},
        {"progressId", id_of(group, reader)},
        {"status", state_name(store::shown_state(group, outbox))},
        {"progress", store::shown_percent(group, outbox)},
        {"currentUrl", std::move(current)},
        {"totalPages", counters.completed + counters.failed + counters.running + counters.queued},
        {"processedPages", counters.completed},
        {"failedPages", counters.failed},
        {"waitingPages", outbox.pending + outbox.processing},
        {"waitingReason", std::move(waiting)},
        {"error", group.error.empty() ? json::value() : json::value(group.error)}};
    add_source(progress, about_of(group));
    return progress;
}

void follow_progress(Api& api, const Group& group, const Call& call) {
    const auto follower = std::make_shared<ProgressFollower>(api, call.exchange->begin_events({}), group);
    api.live().listen(
        group.id,
        [follower](const store::Event&) {
            follower->tell();
            return follower->is_open();
        },
        [follower] { return follower->is_open(); }, Live::Hears::signs);
    follower->tell();
}

}  // namespace quarry::api
