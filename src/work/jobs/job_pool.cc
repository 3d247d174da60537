// Every kind of job and the function that runs it. URLs of crawls are not here: see fetch_page.h.
#include "work/jobs/job_pool.h"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "base/threads.h"
#include "work/jobs/crawl_jobs.h"
#include "work/retry.h"

namespace quarry::work {

std::map<std::string, Handler> all_handlers();

std::map<std::string, Handler> all_handlers() {
    return {
        {std::string(read_sitemap_kind), read_sitemap},
        {std::string(settle_crawl_kind), settle_crawl},
        {std::string(begin_crawl_kind), begin_crawl},
        {std::string(admit_urls_kind), admit_urls},
    };
}

JobPool::JobPool(store::Store& store, fetch::Fetcher& fetcher, std::shared_ptr<EngineMailbox> mailbox,
                 JobPoolConfig config)
    : store_(store),
      fetcher_(fetcher),
      mailbox_(std::move(mailbox)),
      config_(std::move(config)),
      handlers_(all_handlers()) {}

Result<std::unique_ptr<JobPool>> JobPool::open(store::Store& store, fetch::Fetcher& fetcher,
                                               std::shared_ptr<EngineMailbox> mailbox, JobPoolConfig config) {
    std::unique_ptr<JobPool> pool(new JobPool(store, fetcher, std::move(mailbox), std::move(config)));
    for (int i = 0; i < pool->config_.threads; ++i)
        pool->readers_.push_back(TRY(pool->config_.open_reader()));
    for (const auto& reader : pool->readers_) {
        pool->threads_.emplace_back([raw = pool.get(), &reader] { raw->run_jobs(*reader); });
    }
    return pool;
}

JobPool::~JobPool() {
    stop();
    threads_.clear();
}

void JobPool::stop() {
    is_stopped_ = true;
    const auto waiting = queue_.close_and_take_rest();
    give_back(waiting);
    jobs_ -= waiting.size();
}

void JobPool::give_back(const std::deque<store::JobLease>& jobs) {
    if (jobs.empty()) return;
    std::vector<store::LeaseRef> leases;
    for (const store::JobLease& job : jobs) leases.push_back(job.lease);
    // If this fails, the leases expire and another worker runs the jobs.
    if (const auto released = store_.release(std::move(leases)); !released)
        mailbox_->post(StoreFailed{released.error()});
}

void JobPool::add(store::JobLease job) {
    if (is_stopped_) return give_back({std::move(job)});
    ++jobs_;
    queue_.push(std::move(job));
}

void JobPool::describe_room(store::Demand& demand) const {
    const std::size_t slots = static_cast<std::size_t>(config_.threads) * 2;
    const int room = static_cast<int>(slots - std::min(slots, jobs_.load()));
    if (room == 0) return;
    for (const auto& [kind, handler] : handlers_) demand.kinds.push_back({kind, room});
}

void JobPool::run_jobs(store::Reader& reader) {
    name_this_thread("job handler");
    const JobTools tools{.store = store_,
                         .reader = reader,
                         .fetcher = fetcher_,
                         .defaults = config_.defaults,
                         .stop = config_.abort};
    while (auto job = queue_.pop()) {
        store_.begin(job->lease);
        std::vector<store::Finished> finished;
        finished.push_back({job->lease, run(*job, tools)});
        const auto verdicts = store_.finish(std::move(finished));
        --jobs_;
        if (!verdicts) mailbox_->post(StoreFailed{verdicts.error()});
        mailbox_->post(JobEnded{});
    }
}

store::Outcome JobPool::run(const store::JobLease& job, const JobTools& tools) const {
    const auto handler = handlers_.find(job.kind);
    // The pool asks only for kinds that have a handler.
    if (handler == handlers_.end()) return {.end = store::Failed{"no handler for " + job.kind}};
    auto outcome = handler->second(job, tools);
    if (outcome) return *std::move(outcome);
    const Error& error = outcome.error();
    const Timestamp now = store_.now();
    if (error.code == ErrorCode::interrupted) return {.end = store::Snooze{now, error.message}};
    if (!is_worth_another_attempt(error.code)) return {.end = store::Failed{error.message}};
    return {.end = store::Retry{error.message, next_attempt(fetch_backoff, job.attempt, now)}};
}

}  // namespace quarry::work
