#include "engine/engine.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "base/threads.h"
#include "engine/page_pool.h"
#include "engine/store_threads.h"
#include "engine/url_dispatcher.h"
#include "engine/webhook_pool.h"
#include "work/engine_messages.h"
#include "work/indexing/indexer.h"
#include "work/jobs/job_pool.h"

namespace quarry::work {

namespace {

int threads_for(int wanted) {
    return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Jobs other than pages mostly wait for the network.
constexpr int job_threads = 2;

}  // namespace

// One run of the engine: everything that lives from its first lease to its last outcome.
class Engine::Run {
public:
    static Result<std::unique_ptr<Run>> open(Engine& engine);

    Result<void> until(const RunUntil& until, std::stop_token stop);

private:
    Run(Engine& engine, std::unique_ptr<store::Reader> reader)
        : store_(engine.store_),
          config_(engine.config_),
          is_indexing_(engine.is_indexing_),
          outage_(engine.outage_),
          reader_(std::move(reader)) {}

    void handle(LeasesArrived& arrived);
    void handle(NothingDue& nothing) {
        outage_.over();
        nothing_due_ = nothing;
    }
    void handle(FetchEnded& ended) { urls_->fetch_ended(ended); }
    void handle(RobotsArrived& arrived) { urls_->robots_arrived(std::move(arrived.answer)); }
    void handle(GroupChanged& changed) { urls_->group_changed(changed.group); }
    void handle(GroupSeen& seen) { urls_->group_seen(seen); }
    void handle(CrawlLoaded& loaded) { urls_->crawl_loaded(std::move(loaded)); }
    void handle(QuotaRead& read) { urls_->quota_read(read); }
    void handle(JobEnded&) {}
    void handle(StoreTaskDone&) {}
    void handle(PagesDone&) {}
    void handle(SlowStageEnded&) { urls_->slow_stage_ended(); }
    void handle(ChangesDone&) {}
    void handle(CrawlUnhealthy& crawl);
    void handle(StoreFailed& failed);
    void handle(StopAsked&) {}

    store::Demand demand() const;
    void give_back_surplus(std::vector<store::ChangeLease>& changes);
    void ask_for_work();
    bool is_off_the_wire() const;
    bool is_quiet() const;
    bool is_drained();
    bool is_indexed(const RunUntil::Indexed& wanted);
    bool is_written(const RunUntil::Indexed& wanted);
    bool has_idled(std::chrono::milliseconds idle_for);
    std::optional<EngineMailbox::TimePoint> wake_time(const RunUntil& until) const;
    void wind_down();
    void beat(std::stop_token stop);
    void sweep(std::stop_token stop);

    store::Store& store_;
    const EngineConfig& config_;
    std::atomic<bool>& is_indexing_;
    Outage& outage_;
    std::unique_ptr<store::Reader> reader_;
    std::shared_ptr<EngineMailbox> mailbox_ = std::make_shared<EngineMailbox>();
    std::shared_ptr<void> observer_;
    WorkerId worker_{};
    std::stop_source abort_;
    std::optional<Error> error_;
    std::optional<NothingDue> nothing_due_;  // the store's last answer, until something happens
    std::optional<std::uint64_t> last_question_;
    std::optional<std::uint64_t> question_about_rest_;  // about what waits once all else is indexed
    std::optional<std::uint64_t> last_look_;            // into a shared index, once all was written
    std::optional<Timestamp> idle_since_;
    std::optional<RunUntil::Changes> changes_left_;  // nullopt: no limit
    // Members end in reverse order, so the last one ends first.
    std::unique_ptr<Indexer> indexer_;
    std::unique_ptr<PagePool> pages_;
    std::unique_ptr<StoreTasks> store_tasks_;
    std::unique_ptr<UrlDispatcher> urls_;
    std::unique_ptr<JobPool> jobs_;
    std::unique_ptr<WebhookPool> webhooks_;  // nullptr: webhooks are left to other workers
    std::unique_ptr<Leaser> leaser_;
    std::jthread heartbeat_, sweeper_;
};

Result<std::unique_ptr<Engine::Run>> Engine::Run::open(Engine& engine) {
    const EngineConfig& config = engine.config_;
    std::unique_ptr<Run> run(new Run(engine, TRY(config.open_reader())));
    run->worker_ = TRY(engine.store_.register_worker(config.name));
    engine.former_workers_.push_back(run->worker_);
    run->pages_ = TRY(PagePool::open(engine.store_, run->mailbox_,
                                     {.threads = threads_for(config.cpu_threads),
                                      .body_budget = config.body_budget,
                                      .pdf = config.pdf,
                                      .open_reader = config.open_reader,
                                      .rendering = config.rendering,
                                      .answering = config.answering,
                                      .abort = run->abort_.get_token()}));
    run->indexer_ = TRY(Indexer::open(engine.store_, run->mailbox_,
                                      {.tools = config.indexing,
                                       .threads = threads_for(config.cpu_threads),
                                       .collection = config.index_collection,
                                       .open_reader = config.open_reader}));
    run->store_tasks_ = std::make_unique<StoreTasks>(
        TRY(config.open_reader()), [mailbox = run->mailbox_] { mailbox->post(StoreTaskDone{}); });
    run->urls_ = std::make_unique<UrlDispatcher>(
        DispatcherParts{.store = engine.store_,
                        .fetcher = engine.fetcher_,
                        .pages = *run->pages_,
                        .under_way = *engine.under_way_,
                        .store_tasks = *run->store_tasks_,
                        .mailbox = run->mailbox_,
                        .defaults = config.crawls,
                        .max_fetches = static_cast<std::size_t>(config.max_fetches),
                        .abort = run->abort_.get_token()});
    run->jobs_ = TRY(JobPool::open(engine.store_, engine.fetcher_, run->mailbox_,
                                   {.threads = job_threads,
                                    .defaults = config.crawls,
                                    .open_reader = config.open_reader,
                                    .abort = run->abort_.get_token()}));
    if (config.webhooks.client) {
        run->webhooks_ = TRY(WebhookPool::open(
            engine.store_, run->mailbox_,
            {.tools = config.webhooks, .open_reader = config.open_reader, .abort = run->abort_.get_token()}));
    }
    run->observer_ = engine.store_.observe([mailbox = run->mailbox_](std::span<const store::Event> events) {
        for (const store::Event& event : events) {
            if (event.what == store::Event::What::group_changed) mailbox->post(GroupChanged{*event.group});
        }
    });
    return run;
}

Result<void> Engine::Run::until(const RunUntil& until, std::stop_token stop) {
    const std::stop_callback wake(stop, [&] { mailbox_->post(StopAsked{}); });
    leaser_ = std::make_unique<Leaser>(store_, mailbox_);
    heartbeat_ = std::jthread([this](std::stop_token token) { beat(token); });
    sweeper_ = std::jthread([this](std::stop_token token) { sweep(token); });
    changes_left_ = until.changes;
    std::vector<Message> messages;
    while (!stop.stop_requested() && !error_) {
        ask_for_work();
        mailbox_->take(messages, wake_time(until));
        for (Message& message : messages) std::visit([&](auto& news) { handle(news); }, message);
        urls_->start_due();
        indexer_->expect_more(!is_off_the_wire());
        is_indexing_ = !indexer_->is_idle();
        if (until.enough && until.enough()) break;
        if (until.drained && is_drained()) break;
        if (until.indexed && is_indexed(*until.indexed)) break;
        if (until.idle_for.count() > 0 && has_idled(until.idle_for)) break;
        if (changes_left_ && changes_left_->at_most <= 0 && indexer_->is_idle()) break;
    }
    wind_down();
    if (error_) return std::unexpected(*error_);
    return {};
}

void Engine::Run::handle(LeasesArrived& arrived) {
    outage_.over();
    nothing_due_.reset();
    last_question_.reset();
    question_about_rest_.reset();
    for (store::JobLease& job : arrived.leased.jobs) {
        if (job.kind == send_webhook_kind) {
            webhooks_->add(std::move(job));
        } else {
            jobs_->add(std::move(job));
        }
    }
    if (changes_left_) give_back_surplus(arrived.leased.changes);
    indexer_->add(std::move(arrived.leased.changes));
    urls_->add(std::move(arrived.leased.urls), arrived.leased.hosts);
}

// The store may have been asked again while its answer was on its way. Leases beyond the limit go back.
void Engine::Run::give_back_surplus(std::vector<store::ChangeLease>& changes) {
    const auto taken =
        std::min(changes.size(), static_cast<std::size_t>(std::max(changes_left_->at_most, 0)));
    changes_left_->at_most -= static_cast<int>(taken);
    std::vector<store::LeaseRef> surplus;
    for (std::size_t at = taken; at < changes.size(); ++at) surplus.push_back(changes[at].lease);
    changes.resize(taken);
    if (surplus.empty()) return;
    store_tasks_->run([this, surplus = std::move(surplus)](store::Reader&) {
        const auto released = store_.release(surplus);
        if (!released && is_trouble_of_store(released.error())) mailbox_->post(StoreFailed{released.error()});
    });
}

void Engine::Run::handle(CrawlUnhealthy& crawl) {
    store_tasks_->run([this, crawl](store::Reader&) {
        // A conflict means that the crawl has ended in another way meanwhile.
        const auto failed = store_.fail_group(crawl.group, crawl.reason);
        if (!failed && is_trouble_of_store(failed.error())) mailbox_->post(StoreFailed{failed.error()});
    });
}

void Engine::Run::handle(StoreFailed& failed) {
    error_ = failed.error;
}

store::Demand Engine::Run::demand() const {
    store::Demand demand{.worker = worker_};
    urls_->describe_room(demand);
    jobs_->describe_room(demand);
    if (webhooks_) webhooks_->describe_room(demand);
    indexer_->describe_room(demand);
    if (changes_left_) {
        demand.changes = std::clamp(changes_left_->at_most, 0, demand.changes);
        demand.change_collection = changes_left_->collection;
    }
    return demand;
}

void Engine::Run::ask_for_work() {
    store::Demand wanted = demand();
    if (wanted.urls > 0 || wanted.changes > 0 || !wanted.kinds.empty()) leaser_->ask(std::move(wanted));
}

bool Engine::Run::is_off_the_wire() const {
    return urls_->on_the_wire() == 0 && urls_->waiting() == 0 && pages_->is_idle() && jobs_->is_idle() &&
           store_tasks_->is_idle();
}

bool Engine::Run::is_quiet() const {
    return is_off_the_wire() && indexer_->is_idle() && (!webhooks_ || webhooks_->is_idle());
}

// Other workers may have written a part of it, which then has to arrive in this process.
bool Engine::Run::is_indexed(const RunUntil::Indexed& wanted) {
    if (!is_written(wanted)) {
        last_look_.reset();
        return false;
    }
    if (!last_look_) last_look_ = indexer_->look();
    return indexer_->is_over(*last_look_);
}

// Changes that wait without being due wait for an unreachable service. The store's "nothing" may be older
// than the last page, so the store is asked once more.
bool Engine::Run::is_written(const RunUntil::Indexed& wanted) {
    const auto question = std::exchange(question_about_rest_, std::nullopt);
    if (!indexer_->is_idle()) return false;
    if (wanted.group) {
        const auto group = reader_->group(*wanted.group);
        if (group && goes_on(group->state)) return false;
    }
    const auto counts = reader_->outbox_counts(wanted.collection, wanted.group);
    if (!counts || counts->processing > 0) return false;
    if (counts->pending == 0) return true;
    if (counts->last_error.empty()) return false;
    question_about_rest_ = question ? question : std::optional(leaser_->ask_now(demand()));
    return nothing_due_ && nothing_due_->question >= *question_about_rest_;
}

// The store's "nothing" may be older than the last outcome. So the store is asked once more when all is
// quiet, and only that answer counts.
bool Engine::Run::is_drained() {
    if (!is_quiet()) {
        last_question_.reset();
        return false;
    }
    if (!last_question_) last_question_ = leaser_->ask_now(demand());
    return nothing_due_ && nothing_due_->question >= *last_question_ && !nothing_due_->next_due;
}

bool Engine::Run::has_idled(std::chrono::milliseconds idle_for) {
    const bool is_idle = is_quiet() && nothing_due_;
    if (!is_idle) {
        idle_since_.reset();
        return false;
    }
    if (!idle_since_) idle_since_ = store_.now();
    // Work that becomes due within this time is worth waiting for.
    const bool more_is_near = nothing_due_->next_due && *nothing_due_->next_due < store_.now() + idle_for;
    return !more_is_near && store_.now() - *idle_since_ >= idle_for;
}

std::optional<EngineMailbox::TimePoint> Engine::Run::wake_time(const RunUntil& until) const {
    std::optional<Timestamp> at = urls_->next_due();
    if (idle_since_ && until.idle_for.count() > 0) {
        const Timestamp leave = *idle_since_ + until.idle_for;
        at = at ? std::min(*at, leave) : leave;
    }
    if (!at) return std::nullopt;
    // The steady clock stands still while the machine sleeps. The store's clock does not.
    using std::chrono::milliseconds;
    return std::chrono::steady_clock::now() +
           std::clamp<milliseconds>(*at - store_.now(), milliseconds(1), milliseconds(10'000));
}

// Ends in order: no work is begun, work under way is finished, and waiting work goes back.
void Engine::Run::wind_down() {
    sweeper_.request_stop();
    leaser_->stop();
    if (error_) abort_.request_stop();
    // A server may take a minute for a page. So may the browser or a model.
    const std::jthread impatient([this](const std::stop_token& ended) {
        if (pause_for(config_.patience, ended)) abort_.request_stop();
    });
    std::vector<Message> messages;
    const auto take_in = [&] {
        for (Message& message : messages) {
            if (auto* arrived = std::get_if<LeasesArrived>(&message)) {
                handle(*arrived);
            } else if (auto* ended = std::get_if<FetchEnded>(&message)) {
                handle(*ended);
            } else if (auto* failed = std::get_if<StoreFailed>(&message)) {
                error_ = failed->error;
            }
        }
    };
    mailbox_->take(messages, std::chrono::steady_clock::now());
    take_in();
    urls_->release_waiting();
    jobs_->stop();
    while (urls_->on_the_wire() > 0) {
        mailbox_->take(messages, std::nullopt);
        take_in();
    }
    store_tasks_->finish();
    webhooks_.reset();
    jobs_.reset();
    pages_.reset();
    indexer_.reset();
    heartbeat_ = {};
    sweeper_ = {};
}

void Engine::Run::beat(std::stop_token stop) {
    name_this_thread("heartbeat");
    while (pause_for(config_.heartbeat, stop)) {
        if (const auto lost = store_.beat(worker_, {}); !lost) mailbox_->post(StoreFailed{lost.error()});
    }
}

void Engine::Run::sweep(std::stop_token stop) {
    name_this_thread("sweeper");
    constexpr std::chrono::milliseconds step{50};
    while (pause_for(config_.sweep_every, stop)) {
        for (bool more = true; more && !stop.stop_requested();) {
            const auto swept = store_.sweep(config_.retention, step);
            // A failing store reports its failure to the threads that have work to do.
            more = swept.value_or(store::Swept{}).total() > 0;
        }
    }
}

Engine::Engine(store::Store& store, fetch::Fetcher& fetcher, EngineConfig config)
    : store_(store),
      fetcher_(fetcher),
      config_(std::move(config)),
      under_way_(std::make_unique<UrlsUnderWay>()),
      outage_(config_.store_changed) {}

Engine::~Engine() = default;

Result<void> Engine::run(const RunUntil& until, std::stop_token stop) {
    while (true) {
        const auto worked = run_once(until, stop);
        if (worked) return worked;
        // A worker that stays also waits for room on the disk. A run with an end of its own gives up.
        const bool stays = !until.drained && !until.enough && !until.indexed;
        const bool is_short_of_room = stays && worked.error().code == ErrorCode::unavailable;
        if (!is_short_of_room && !may_pass(store_, worked.error())) return worked;
        if (!outage_.wait_after(worked.error(), stop)) return {};
    }
}

Result<void> Engine::run_once(const RunUntil& until, std::stop_token stop) {
    TRY(retire_workers());
    const auto run = TRY(Run::open(*this));
    auto worked = run->until(until, stop);
    (void)retire_workers();  // an unreachable store is told when it is back
    return worked;
}

// Gives back what a run could not finish. Otherwise that work would wait until its worker has been silent for
// too long.
Result<void> Engine::retire_workers() {
    while (!former_workers_.empty()) {
        TRY(store_.retire_worker(former_workers_.back()));
        former_workers_.pop_back();
    }
    return {};
}

std::vector<std::string> Engine::current_urls(std::size_t limit) const {
    return under_way_->longest(limit);
}

}  // namespace quarry::work
