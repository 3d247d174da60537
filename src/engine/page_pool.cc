#include "engine/page_pool.h"

#include "base/threads.h"

namespace quarry::work {

void SlowStage::add(FetchedUrl fetched) {
    if (is_taken(fetched)) return;
    fetched.was_interrupted = true;
    resume_(std::move(fetched));
}

bool SlowStage::is_taken(FetchedUrl& fetched) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return false;
    const bool is_first = threads_.empty();
    for (int i = 0; is_first && i < errand_.threads; ++i) threads_.emplace_back([this] { run(); });
    queue_.push(std::move(fetched));
    return true;
}

bool SlowStage::is_closed() {
    const std::lock_guard lock(mutex_);
    return is_closed_;
}

void SlowStage::close() {
    {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
    }
    queue_.close();
    threads_.clear();
}

void SlowStage::run() {
    name_this_thread(errand_.name);
    while (auto fetched = queue_.pop()) {
        if (is_closed()) {
            fetched->was_interrupted = true;
        } else {
            errand_.run(*fetched);
        }
        resume_(*std::move(fetched));
    }
}

PagePool::PagePool(store::Store& store, std::shared_ptr<EngineMailbox> mailbox, PagePoolConfig config)
    : store_(store),
      mailbox_(std::move(mailbox)),
      config_(std::move(config)),
      renderer_(config_.rendering, config_.abort),
      showing_({.name = "renderer",
                .threads = config_.rendering.pages_at_once,
                .run = [this](FetchedUrl& fetched) { renderer_.show(fetched); }},
               [this](FetchedUrl fetched) { resume(std::move(fetched)); }),
      answering_({.name = "asker",
                  .threads = config_.answering.pages_at_once,
                  .run = [this](FetchedUrl& fetched) { answer(fetched, config_.answering, config_.abort); }},
                 [this](FetchedUrl fetched) { resume(std::move(fetched)); }) {
    traffic_->body_budget = config_.body_budget;
    traffic_->page_budget = config_.page_budget;
}

Result<std::unique_ptr<PagePool>> PagePool::open(store::Store& store, std::shared_ptr<EngineMailbox> mailbox,
                                                 PagePoolConfig config) {
    std::unique_ptr<PagePool> pool(new PagePool(store, std::move(mailbox), std::move(config)));
    for (int i = 0; i < pool->config_.threads; ++i)
        pool->readers_.push_back(TRY(pool->config_.open_reader()));
    for (const auto& reader : pool->readers_) {
        pool->threads_.emplace_back([raw = pool.get(), &reader] { raw->read_pages(*reader); });
    }
    return pool;
}

PagePool::~PagePool() {
    showing_.close();
    answering_.close();
    queue_.close();
    threads_.clear();
    // The last outcomes are still on their way to the disk.
    std::atomic<std::size_t>& pages = traffic_->pages;
    for (std::size_t left = pages; left != 0; left = pages) pages.wait(left);
}

void PagePool::add(FetchedUrl fetched) {
    traffic_->bytes += fetched.page ? fetched.page->body.size() : 0;
    ++traffic_->pages;
    queue_.push(std::move(fetched));
}

bool PagePool::has_room() {
    if (traffic_->is_within_budget()) return true;
    traffic_->room_is_awaited = true;
    return traffic_->is_within_budget();
}

void PagePool::read_pages(store::Reader& reader) {
    name_this_thread("page reader");
    Admissions admissions(store_);
    const PageTools tools{.reader = reader, .admissions = admissions, .pdf = config_.pdf};
    while (auto fetched = queue_.pop()) {
        store_.begin(fetched->lease.lease);
        Reading reading = fetch_page(*fetched, tools, store_.now());
        if (auto* question = std::get_if<ToModel>(&reading)) {
            fetched->question = std::move(question->question);
            send(*std::move(fetched), answering_);
        } else if (std::holds_alternative<ToBrowser>(reading)) {
            send(*std::move(fetched), showing_);
        } else {
            auto& outcome = std::get<store::Outcome>(reading);
            note_health(*fetched, outcome);
            finish(*std::move(fetched), std::move(outcome));
        }
    }
}

void PagePool::send(FetchedUrl fetched, SlowStage& stage) {
    ++fetched.crawl->in_slow_stages;
    ++traffic_->in_slow_stages;
    traffic_->bytes -= fetched.page->body.size();
    traffic_->make_room(*mailbox_);
    stage.add(std::move(fetched));
}

void PagePool::resume(FetchedUrl fetched) {
    --fetched.crawl->in_slow_stages;
    --traffic_->in_slow_stages;
    traffic_->bytes += fetched.page->body.size();
    mailbox_->post(SlowStageEnded{});
    queue_.push(std::move(fetched));
}

void PagePool::finish(FetchedUrl fetched, store::Outcome outcome) {
    const std::uint64_t bytes = fetched.page ? fetched.page->body.size() : 0;
    std::vector<store::Finished> finished;
    finished.push_back({fetched.lease.lease, std::move(outcome)});
    const auto finished_with = [traffic = traffic_, mailbox = mailbox_,
                                bytes](const Result<std::vector<store::Verdict>>& verdicts) {
        // A conflict needs no answer: the crawl was cancelled, or somebody else has the URL now.
        if (!verdicts) mailbox->post(StoreFailed{verdicts.error()});
        traffic->leave(bytes, *mailbox);
    };
    const bool is_awaited = crawl::concurrency_of(fetched.crawl->options) == Concurrency::unlimited;
    store_.finish(std::move(finished), finished_with,
                  is_awaited ? store::CommitMode::not_durable : store::CommitMode::batched);
}

void PagePool::Traffic::leave(std::uint64_t page_bytes, EngineMailbox& mailbox) {
    bytes -= page_bytes;
    const bool is_last = --pages == 0;
    make_room(mailbox);
    if (is_last) mailbox.post(PagesDone{});
    if (is_last) pages.notify_all();
}

void PagePool::Traffic::make_room(EngineMailbox& mailbox) {
    if (room_is_awaited && is_within_budget() && room_is_awaited.exchange(false)) mailbox.post(PagesDone{});
}

void PagePool::note_health(const FetchedUrl& fetched, const store::Outcome& outcome) {
    CrawlContext& crawl = *fetched.crawl;
    std::string failure;
    if (const auto* failed = std::get_if<store::Failed>(&outcome.end)) {
        // A page without words, or of another kind, says nothing against its site.
        const bool is_empty =
            failed->code == ErrorCode::not_found && outcome.status > 0 && outcome.status < 300;
        if (failed->code == ErrorCode::unsupported || is_empty) return;
        failure = failed->error;
    }
    if (const auto* retry = std::get_if<store::Retry>(&outcome.end)) {
        if (fetched.lease.attempt < fetched.lease.max_attempts) return;
        failure = retry->error;
    }
    if (failure.empty() && !std::holds_alternative<store::Completed>(outcome.end)) return;
    const auto verdict = crawl.health.with([&](crawl::CrawlHealth& health) {
        if (failure.empty()) {
            health.page_completed();
        } else {
            health.page_failed(outcome.status, failure);
        }
        return health.reason_to_stop();
    });
    if (verdict && !crawl.options.go_on) mailbox_->post(CrawlUnhealthy{crawl.id, *verdict});
}

}  // namespace quarry::work
