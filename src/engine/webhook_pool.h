// Sends webhooks: many at once, on one thread, apart from everything that crawls. A receiver that hangs takes
// room from other receivers only, and after a few messages that it did not answer it is left alone for a
// while: what is due to it then counts as tried.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>

#include "base/queues.h"
#include "base/result.h"
#include "fetch/retry.h"
#include "store/reader.h"
#include "store/store.h"
#include "work/engine_messages.h"
#include "work/jobs/webhooks.h"

namespace quarry::work {

struct WebhookPoolConfig {
    WebhookTools tools{};
    int at_once = 32;                         // messages under way, also those that wait for the budget
    std::uint64_t body_budget = 32ull << 20;  // bytes of messages under way; a larger one goes alone
    fetch::BreakerConfig breaker{.reset = std::chrono::seconds(10)};
    std::function<Result<std::unique_ptr<store::Reader>>()> open_reader{};
    std::stop_token abort{};
};

class WebhookPool {
public:
    static Result<std::unique_ptr<WebhookPool>> open(store::Store& store,
                                                     std::shared_ptr<EngineMailbox> mailbox,
                                                     WebhookPoolConfig config);
    // Waits for the answers under way, and gives back what was not begun.
    ~WebhookPool();

    void add(store::JobLease job);
    void describe_room(store::Demand& demand) const;
    bool is_idle() const { return *jobs_ == 0; }

private:
    struct Answered {
        store::JobLease job{};
        std::string origin{};
        std::uint64_t bytes = 0;
        Result<net::HttpResponse> response;
    };
    struct Closing {};
    using Inbox = Mailbox<std::variant<store::JobLease, Answered, Closing>>;

    WebhookPool(store::Store& store, std::shared_ptr<EngineMailbox> mailbox, WebhookPoolConfig config,
                std::unique_ptr<store::Reader> reader);

    void run();
    void handle(store::JobLease& job) { waiting_.push_back(std::move(job)); }
    void handle(Answered& answered);
    void handle(Closing&) { is_closing_ = true; }
    void start(store::JobLease job);
    void send(store::JobLease job, net::HttpRequest request);
    store::Outcome outcome_of(const store::JobLease& job, const Error& error) const;
    void finish(const store::JobLease& job, store::Outcome outcome);
    void give_back();

    store::Store& store_;
    std::shared_ptr<EngineMailbox> mailbox_;
    const WebhookPoolConfig config_;
    std::unique_ptr<store::Reader> reader_;
    WebhookDeliveries deliveries_;
    fetch::CircuitBreaker breaker_;
    // Callbacks of the client and the store may be at these when the pool is gone.
    std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
    std::shared_ptr<std::atomic<std::size_t>> jobs_ = std::make_shared<std::atomic<std::size_t>>(0);
    // The thread's own.
    std::deque<store::JobLease> waiting_;
    std::size_t under_way_ = 0;
    std::uint64_t bytes_ = 0;
    bool is_closing_ = false;
    std::jthread thread_;
};

}  // namespace quarry::work
