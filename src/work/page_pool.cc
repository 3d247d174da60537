#include "work/page_pool.h"

#include "base/thread_name.h"

namespace quarry::work {

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
        store::Outcome outcome = fetch_page(*fetched, tools, store_.now());
        note_health(*fetched, outcome);
        finish(*std::move(fetched), std::move(outcome));
    }
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
    const bool is_awaited = crawl::company_of(fetched.crawl->options) == Company::apart;
    store_.finish(std::move(finished), finished_with,
                  is_awaited ? store::Haste::awaited : store::Haste::gather);
}

void PagePool::Traffic::leave(std::uint64_t page_bytes, EngineMailbox& mailbox) {
    bytes -= page_bytes;
    const bool is_last = --pages == 0;
    const bool makes_room = room_is_awaited && is_within_budget();
    if (makes_room) room_is_awaited = false;
    if (is_last || makes_room) mailbox.post(PagesDone{});
    if (is_last) pages.notify_all();
}

void PagePool::note_health(const FetchedUrl& fetched, const store::Outcome& outcome) {
    CrawlContext& crawl = *fetched.crawl;
    std::string failure;
    if (const auto* failed = std::get_if<store::Failed>(&outcome.end)) failure = failed->error;
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
