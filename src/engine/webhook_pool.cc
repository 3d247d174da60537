#include "engine/webhook_pool.h"

#include <algorithm>

#include "base/threads.h"
#include "net/http_message.h"
#include "work/retry.h"

namespace quarry::work {

namespace {

using fetch::CircuitBreaker;

bool is_success(int status) {
    return status >= 200 && status < 300;
}

// Any status is an answer: a receiver that answers at once delays no other delivery.
CircuitBreaker::Outcome verdict_on(const Result<net::HttpResponse>& response) {
    if (response) return CircuitBreaker::Outcome::success;
    switch (response.error().code) {
        case ErrorCode::timeout:
        case ErrorCode::unavailable:
        case ErrorCode::not_found: return CircuitBreaker::Outcome::failure;
        default: return CircuitBreaker::Outcome::unknown;
    }
}

Result<void> taken(const Result<net::HttpResponse>& response) {
    if (!response) return std::unexpected(response.error());
    if (is_success(response->status)) return {};
    return fail(ErrorCode::unavailable, "the receiver answered " + net::http_status_line(response->status));
}

}  // namespace

WebhookPool::WebhookPool(store::Store& store, std::shared_ptr<EngineMailbox> mailbox,
                         WebhookPoolConfig config, std::unique_ptr<store::Reader> reader)
    : store_(store),
      mailbox_(std::move(mailbox)),
      config_(std::move(config)),
      reader_(std::move(reader)),
      deliveries_(config_.tools, *reader_),
      breaker_(config_.breaker) {}

Result<std::unique_ptr<WebhookPool>> WebhookPool::open(store::Store& store,
                                                       std::shared_ptr<EngineMailbox> mailbox,
                                                       WebhookPoolConfig config) {
    auto reader = TRY(config.open_reader());
    std::unique_ptr<WebhookPool> pool(
        new WebhookPool(store, std::move(mailbox), std::move(config), std::move(reader)));
    pool->thread_ = std::jthread([raw = pool.get()] { raw->run(); });
    return pool;
}

WebhookPool::~WebhookPool() {
    inbox_->post(Closing{});
    if (thread_.joinable()) thread_.join();
    // The last outcomes are still on their way to the disk.
    for (std::size_t left = *jobs_; left != 0; left = *jobs_) jobs_->wait(left);
}

void WebhookPool::add(store::JobLease job) {
    ++*jobs_;
    inbox_->post(std::move(job));
}

void WebhookPool::describe_room(store::Demand& demand) const {
    const int room = config_.at_once - static_cast<int>(*jobs_);
    if (room > 0) demand.kinds.push_back({std::string(send_webhook_kind), room});
}

void WebhookPool::run() {
    name_this_thread("webhooks");
    std::vector<std::variant<store::JobLease, Answered, Closing>> news;
    while (!is_closing_ || under_way_ > 0) {
        inbox_->take(news, std::nullopt);
        for (auto& one : news) std::visit([&](auto& message) { handle(message); }, one);
        while (!waiting_.empty() && !is_closing_ && bytes_ < config_.body_budget) {
            store::JobLease job = std::move(waiting_.front());
            waiting_.pop_front();
            start(std::move(job));
        }
    }
    give_back();
}

void WebhookPool::start(store::JobLease job) {
    store_.begin(job.lease);
    auto request = deliveries_.request_for(job);
    // A crawl that is gone does not come back.
    if (!request && request.error().code == ErrorCode::not_found)
        return finish(job, {.end = store::Failed{request.error().message}});
    if (!request) return finish(job, outcome_of(job, request.error()));
    if (!*request) return finish(job, {.end = store::Completed{}});
    const auto admitted =
        breaker_.admit({(*request)->url.origin(), job.owner}, std::chrono::steady_clock::now());
    if (!admitted) return finish(job, outcome_of(job, admitted.error()));
    send(std::move(job), **std::move(request));
}

void WebhookPool::send(store::JobLease job, net::HttpRequest request) {
    const std::uint64_t bytes = request.body.size();
    ++under_way_;
    bytes_ += bytes;
    request.stop = config_.abort;
    std::string origin = request.url.origin();
    config_.tools.client->submit(
        std::move(request), [inbox = inbox_, job = std::move(job), origin = std::move(origin),
                             bytes](Result<net::HttpResponse> response) mutable {
            inbox->post(Answered{std::move(job), std::move(origin), bytes, std::move(response)});
        });
}

void WebhookPool::handle(Answered& answered) {
    --under_way_;
    bytes_ -= answered.bytes;
    breaker_.record({answered.origin, answered.job.owner}, verdict_on(answered.response),
                    std::chrono::steady_clock::now());
    const auto result = taken(answered.response);
    finish(answered.job,
           result ? store::Outcome{.end = store::Completed{}} : outcome_of(answered.job, result.error()));
}

store::Outcome WebhookPool::outcome_of(const store::JobLease& job, const Error& error) const {
    const Timestamp now = store_.now();
    const auto& waits = config_.tools.waits;
    if (error.code == ErrorCode::interrupted) return {.end = store::Snooze{now, error.message}};
    if (!is_worth_another_attempt(error.code) || waits.empty()) return {.end = store::Failed{error.message}};
    const auto place = std::min(static_cast<std::size_t>(std::max(job.attempt, 1)), waits.size()) - 1;
    const Backoff backoff{.base = waits[place], .longest = waits[place]};
    return {.end = store::Retry{error.message, next_attempt(backoff, 1, now)}};
}

void WebhookPool::finish(const store::JobLease& job, store::Outcome outcome) {
    std::vector<store::Finished> finished;
    finished.push_back({job.lease, std::move(outcome)});
    const auto finished_with = [jobs = jobs_,
                                mailbox = mailbox_](const Result<std::vector<store::Verdict>>& verdicts) {
        if (!verdicts) mailbox->post(StoreFailed{verdicts.error()});
        const bool is_last = --*jobs == 0;
        mailbox->post(JobEnded{});
        if (is_last) jobs->notify_all();
    };
    store_.finish(std::move(finished), finished_with, store::CommitMode::batched);
}

void WebhookPool::give_back() {
    if (waiting_.empty()) return;
    std::vector<store::LeaseRef> leases;
    for (const store::JobLease& job : waiting_) leases.push_back(job.lease);
    // If the release fails, the leases run out, and the next worker to lease the jobs sends them.
    if (const auto released = store_.release(leases); !released)
        mailbox_->post(StoreFailed{released.error()});
    *jobs_ -= leases.size();
    waiting_.clear();
}

}  // namespace quarry::work
