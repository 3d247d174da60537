#include "app/owner/process.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include "app/owner/methods.h"
#include "app/services/index_report.h"
#include "app/services/models.h"
#include "app/services/web_access.h"
#include "base/descriptors.h"
#include "crawl/options/options.h"
#include "model/ids.h"
#include "model/json/fields.h"
#include "search/json.h"
#include "store/change_batch.h"
#include "work/indexing/process_changes.h"

namespace quarry::app {
namespace {

namespace json = boost::json;

store::Retention retention_of(const Settings& settings) {
    return {.completed_jobs = settings.duration("retention.completed_jobs"),
            .failed_jobs = settings.duration("retention.failed_jobs"),
            .groups = settings.duration("retention.crawls"),
            .cache = settings.duration("retention.cache"),
            .zero_retention = settings.duration("retention.zero"),
            .outbox = settings.duration("retention.outbox"),
            .metrics = settings.duration("retention.metrics")};
}

std::string host_name() {
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

work::EngineConfig engine_config(const DataSource& place) {
    const Settings& settings = place.settings;
    return {.name = fmt::format("{}:{}", host_name(), getpid()),
            .open_reader = [&place] { return open_reader(place); },
            .max_fetches =
                std::min(static_cast<int>(settings.number("worker.fetches")), descriptor_plan().fetches / 2),
            .cpu_threads = place.threads.value_or(static_cast<int>(settings.number("worker.threads"))),
            .heartbeat = settings.duration("worker.heartbeat"),
            .sweep_every = settings.duration("retention.check"),
            .retention = retention_of(settings),
            .pdf = pdf_limits(settings)};
}

constexpr std::chrono::seconds rests_after{1};
constexpr int most_renewals = 3;  // of a damaged index, in a run
// The events that may wait to be written to the log.
constexpr std::size_t most_waiting = 10'000;

// The name of a group that is not to be kept is not written to the log either.
std::string shown_name(const Group& group) {
    const auto options = crawl::options_of(group);
    return options && options->zero_retention ? "-" : group.name;
}

std::string line_about(const Group& group, std::uint64_t salt) {
    const GroupCounters& counters = group.counters;
    std::string line = fmt::format("work: crawl {} id={} url={} pages={} failed={} skipped={}",
                                   name_of(group.state), public_id(number(group.id), group.created_at, salt),
                                   shown_name(group), counters.completed, counters.failed, counters.skipped);
    if (!group.error.empty()) line += fmt::format(" reason=\"{}\"", group.error);
    if (const auto options = crawl::options_of(group); options && !options->request.trace_parent.empty())
        line += fmt::format(" trace={}", crawl::trace_id_of(options->request.trace_parent));
    return line;
}

// Many threads take turns in this process, and few run at once. With an arena for each, and a threshold that
// climbs with the largest page seen, a third of the memory would be gaps that malloc_trim cannot return.
void keep_memory_together() {
    constexpr int arenas = 2, largest_from_an_arena = 128 << 10;
    mallopt(M_ARENA_MAX, arenas);
    mallopt(M_MMAP_THRESHOLD, largest_from_an_arena);
}

}  // namespace

OwnerProcess::OwnerProcess(const DataSource& place, FolderLock lock, OwnerRole role, Log log)
    : place_(place), lock_(std::move(lock)), role_(role), log_(std::move(log)) {}

Result<std::unique_ptr<OwnerProcess>> OwnerProcess::open(const DataSource& place, FolderLock lock,
                                                         OwnerRole role, Log log) {
    keep_memory_together();
    std::unique_ptr<OwnerProcess> owner(new OwnerProcess(place, std::move(lock), role, std::move(log)));
    owner->access_ = TRY(WebAccess::open(place.settings));
    owner->store_ = TRY(open_store(place, owner->log_));
    owner->model_ = TRY(shared_model(place.settings));
    owner->library_ = TRY(Library::open(place, *owner->store_, owner->log_));
    owner->library_->on_damage([raw = owner.get()](const Error& damage) {
        raw->damage_.with([&](std::optional<Error>& known) { known = damage; });
        raw->stop_.with([](std::stop_source& run) { run.request_stop(); });
    });
    owner->observer_ = owner->store_->observe([raw = owner.get()](std::span<const store::Event> events) {
        raw->server_.with([&](auto& server) {
            if (server) server->publish(events);
        });
        raw->note_events(events);
    });
    owner->event_thread_ =
        std::jthread([raw = owner.get()](std::stop_token stop) { raw->watch_events(stop); });
    TRY(owner->listen());
    return owner;
}

// The socket closes before the store, so that no command asks a store that is gone. The store ends before the
// members that listen to it.
OwnerProcess::~OwnerProcess() {
    server_.with([](auto& server) { return std::exchange(server, nullptr); }).reset();
    event_thread_ = {};
    library_.reset();
    store_.reset();
}

Result<void> OwnerProcess::listen() {
    Greeting greeting{.version = place_.version, .role = role_, .process = getpid()};
    auto server = TRY(OwnerServer::start(
        place_.folder.socket(), std::move(greeting),
        [this](const std::string& method, const json::object& params) { return handle(method, params); },
        place_.folder.group));
    server_.with([&](auto& current) { current = std::move(server); });
    return {};
}

// If the index turns out to be damaged, work stops until a new index is begun.
Result<void> OwnerProcess::work_until(const work::RunUntil& until, std::stop_token stop) {
    for (int renewals = 0;; ++renewals) {
        const auto worked = work(until, stop);
        const auto damage = damage_.with([](auto& known) { return std::exchange(known, std::nullopt); });
        if (!damage || !worked) return worked;
        // A disk that damages one index after another must not be kept busy with new ones.
        if (renewals == most_renewals) return std::unexpected(*damage);
        TRY(library_->renew(place_, *store_, *damage, log_));
        if (asked_to_stop_ || stop.stop_requested()) return {};
    }
}

Result<void> OwnerProcess::work(const work::RunUntil& until, std::stop_token stop) {
    std::stop_source source;
    stop_.with([&](std::stop_source& current) { current = source; });
    if (asked_to_stop_) return {};
    const std::stop_callback on_stop(stop, [&source] { source.request_stop(); });
    work::EngineConfig config = engine_config(place_);
    config.crawls = {.policy = access_->policy(), .credentials = access_->credentials()};
    config.rendering = browser_.tools(place_.settings, [this](const std::string& sentence) {
        if (log_) return log_("browser: warning: " + sentence);
        if (place_.warn) place_.warn("warning: " + sentence);
    });
    config.answering.model = model_;
    config.indexing = library_->tools();
    config.indexing.ask_again_every = place_.settings.duration("embedding.poll");
    config.indexing.log = [this](std::string line) { post(std::move(line)); };
    config.webhooks = TRY(webhook_tools(place_.settings, *access_));
    config.store_changed = [this](const std::optional<Error>& trouble) {
        ++waiting_;
        events_.post(StoreNews{trouble});
    };
    work::Engine engine(*store_, access_->fetcher(), std::move(config));
    engine_.with([&](work::Engine*& current) { current = &engine; });
    auto result = engine.run(until, source.get_token());
    engine_.with([](work::Engine*& current) { current = nullptr; });
    return result;
}

Result<void> OwnerProcess::work_until_idle(std::chrono::milliseconds idle, std::stop_token stop) {
    while (true) {
        TRY(work_until({.idle_for = idle}, stop));
        // The socket is removed before the store is checked for work. The check sees the work of every
        // command that was answered; a command that comes later finds no socket and waits for the lock.
        const auto work_is_left = leave();
        if (asked_to_stop_ || stop.stop_requested()) return {};
        // A store that does not answer now may have work when it is back.
        if (!work_is_left && !work::may_pass(*store_, work_is_left.error()))
            return std::unexpected(work_is_left.error());
        if (work_is_left && !*work_is_left && !stays_) return {};
        TRY(listen());
    }
}

Result<bool> OwnerProcess::leave(Stalled stalled) {
    const auto server = server_.with([](auto& current) { return std::exchange(current, nullptr); });
    if (server) server->leave();
    const auto reader = TRY(open_reader(place_));
    return has_work(*reader, stalled);
}

Result<json::value> OwnerProcess::handle(const std::string& method, const json::object& params) {
    if (method == "ping") return json::object();
    if (method == "status") return status();
    if (method == "stop" || method == "handover") return stop_for_command();
    if (method == "stay") {
        stays_ = true;
        return json::object();
    }
    if (method == "search") return search(params);
    if (method == "indexing") return json::object{{"is_busy", is_indexing()}};
    if (method == "index_facts") {
        const auto kept = library_->hold();
        return index_facts(library_->index());
    }
    if (method == "drop_vectors") return drop_vectors(params);
    // The command says that the service is there.
    if (method == "embed") library_->embedders().ask_at_once();
    if (method == "process_changes") return process_changes(params);
    auto answer = perform(*store_, method, params);
    // The collection may have another embedder now.
    if (method == "set_collection" || method == "remove_collection") library_->embedders().forget_all();
    return answer;
}

Result<json::value> OwnerProcess::search(const json::object& params) {
    const auto request = TRY(search::parse_request(params));
    quarry::Session session{
        .operation = "search", .base_url = request.collection, .started_at = store_->now()};
    const auto answer = library_->search(request);
    session.completed_at = store_->now();
    session.counts.duration = *session.completed_at - session.started_at;
    session.success = answer.has_value();
    if (!answer) session.error = answer.error().message;
    post(std::move(session));
    if (!answer) return std::unexpected(answer.error());
    return search::to_json(*answer, request);
}

// Nothing fails because a metric cannot be kept.
void OwnerProcess::handle_event(const quarry::Session& session) {
    if (!store_->add_session(session) && log_) log_("store: session not kept operation=" + session.operation);
}

// Until the collection's pages are indexed again, search finds them by their words. A builtin space is then
// fitted anew.
Result<json::value> OwnerProcess::drop_vectors(const json::object& params) {
    const json::value* collection = params.if_contains("collection");
    if (!collection || !collection->is_string())
        return fail(ErrorCode::invalid_argument, "drop_vectors wants a collection");
    const auto kept = library_->hold();
    TRY(library_->index().set_embedder(std::string(collection->get_string()), {.provider = "none"}));
    library_->embedders().forget_all();
    return json::object();
}

// Chooses what is to be embedded now. This process works on it as on everything else, and the caller follows
// the progress (store/change_batch.h).
Result<json::value> OwnerProcess::process_changes(const json::object& params) {
    const work::ProcessWish wish{.collection = text_in(params, "collection"),
                                 .owner = text_in(params, "owner"),
                                 .provider = text_in(params, "provider"),
                                 .batch = static_cast<int>(TRY(answered_number(params, "batch")))};
    const auto reader = TRY(open_reader(place_));
    return store::to_json(TRY(work::begin_processing(*store_, *reader, library_->embedders(), wish, {})));
}

// What happened to pages on their way into the index.
void OwnerProcess::handle_event(const std::string& line) {
    if (log_) log_("embed: " + line);
}

void OwnerProcess::handle_event(const StoreNews& news) {
    using std::chrono::duration_cast, std::chrono::milliseconds;
    if (news.trouble) away_since_ = news.at;
    if (!log_) return;
    log_(news.trouble ? fmt::format("store: store lost error=\"{}\". Work goes on when it is back",
                                    news.trouble->message)
                      : fmt::format("store: store back away_ms={}",
                                    duration_cast<milliseconds>(news.at - away_since_).count()));
}

std::optional<Error> OwnerProcess::store_trouble() {
    const auto of_work = engine_.with([](const work::Engine* engine) -> std::optional<Error> {
        return engine ? engine->store_trouble() : std::nullopt;
    });
    if (of_work) return of_work;
    // An engine with nothing to do may not have noticed that the store is away.
    const auto reached = store_->reach();
    return reached ? std::nullopt : std::optional(reached.error());
}

bool OwnerProcess::is_indexing() {
    return engine_.with([](const work::Engine* engine) { return engine && engine->is_indexing(); });
}

Result<json::value> OwnerProcess::stop_for_command() {
    if (role_ != OwnerRole::background)
        return fail(
            ErrorCode::conflict,
            fmt::format("process {} works in the foreground. Stop it there with Ctrl-C, or with: kill {}",
                        getpid(), getpid()));
    asked_to_stop_ = true;
    stop_.with([](std::stop_source& current) { current.request_stop(); });
    return json::object();
}

json::object OwnerProcess::status() {
    const auto uptime = std::chrono::steady_clock::now() - started_at_;
    json::array urls;
    engine_.with([&](const work::Engine* engine) {
        if (!engine) return;
        for (const std::string& url : engine->current_urls(10)) urls.push_back(json::value(url));
    });
    const auto trouble = store_trouble();
    return {{"pid", getpid()},
            {"version", place_.version},
            {"role", name_of(role_)},
            {"data", place_.folder.path},
            {"uptime_seconds", std::chrono::duration_cast<std::chrono::seconds>(uptime).count()},
            {"stays", stays_.load()},
            {"store_error", trouble ? json::value(trouble->message) : json::value(nullptr)},
            {"current_urls", std::move(urls)}};
}

// Runs on the store's thread, which must not wait: events that come faster than they can be written to the
// log are left out.
void OwnerProcess::note_events(std::span<const store::Event> events) {
    using What = store::Event::What;
    if (!log_) return;
    for (const store::Event& event : events) {
        if (event.what == What::url_failed || event.what == What::worker_died ||
            event.what == What::index_failed)
            post(event);
        if (event.what != What::group_changed || !event.group) continue;
        const bool is_new = changed_groups_.with(
            [&](std::set<GroupId>& groups) { return groups.insert(*event.group).second; });
        if (!is_new) continue;
        ++waiting_;
        events_.post(event);
    }
}

void OwnerProcess::post(News news) {
    if (waiting_ >= most_waiting) {
        ++left_out_;
        return;
    }
    ++waiting_;
    events_.post(std::move(news));
}

// Reads with a reader that is kept while events come. A reader whose connection is gone is opened again.
Result<Group> OwnerProcess::group_of(GroupId id) {
    if (news_reader_)
        if (auto group = news_reader_->group(id); group || group.error().code == ErrorCode::not_found)
            return group;
    news_reader_ = TRY(open_reader(place_));
    return news_reader_->group(id);
}

// Why a URL failed. A URL that is not to be kept has no name in the event, and gets no reason here.
std::string OwnerProcess::reason_of(const store::Event& event) {
    if (event.url.empty() || !event.group || !group_of(*event.group)) return {};
    const auto urls =
        news_reader_->urls({.group = *event.group, .after = JobId{number(event.id) - 1}, .limit = 1});
    return urls && !urls->empty() && urls->front().id == event.id ? urls->front().note : std::string();
}

std::string OwnerProcess::reason_of_change(const store::Event& event) {
    if (!news_reader_) {
        auto reader = open_reader(place_);
        if (!reader) return {};
        news_reader_ = *std::move(reader);
    }
    const auto job = news_reader_->job(event.id);
    return job ? job->last_error : std::string();
}

void OwnerProcess::watch_events(std::stop_token stop) {
    using std::chrono::steady_clock;
    std::vector<News> events;
    bool has_rested = true;
    do {
        const auto rest_at = steady_clock::now() + rests_after;
        events_.take(events, has_rested ? std::nullopt : std::optional(rest_at), stop);
        waiting_ -= events.size();
        for (const News& news : events) std::visit([&](const auto& event) { handle_event(event); }, news);
        if (const std::size_t lost = left_out_.exchange(0); lost > 0 && log_)
            log_(fmt::format("log: {} lines left out: more happened than could be written down", lost));
        has_rested = events.empty();
        if (!has_rested) continue;
        // Work has paused: its memory is returned to the system.
        events = {};
        news_reader_.reset();
        malloc_trim(0);
    } while (!stop.stop_requested());
}

void OwnerProcess::handle_event(const store::Event& event) {
    using What = store::Event::What;
    if (!log_) return;
    if (event.what == What::url_failed)
        log_(fmt::format("fetch: url failed url={} status={} reason=\"{}\"", event.url, event.status,
                         reason_of(event)));
    if (event.what == What::index_failed)
        log_(fmt::format("embed: page given up url={} reason=\"{}\"", event.url, reason_of_change(event)));
    if (event.what == What::worker_died) log_("work: " + line_about_dead_worker(event.url, event.status));
    if (event.what != What::group_changed || !event.group) return;
    // A change of the group from here on is a new event.
    changed_groups_.with([&](std::set<GroupId>& groups) { groups.erase(*event.group); });
    const auto group = group_of(*event.group);
    if (!group) return;
    std::string line = line_about(*group, store_->salt());
    if (line == last_line_) return;
    last_line_ = std::move(line);
    log_(last_line_);
}

}  // namespace quarry::app
