// The client's thread: takes requests from any thread, starts as many as may run, and gives each its end.
// Internal to the HTTP client.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <stop_token>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "net/curl.h"
#include "net/http_config.h"
#include "net/lookup_queue.h"
#include "net/transfer.h"
#include "net/transfer_handle.h"

namespace quarry::net {

class TransferLoop {
public:
    TransferLoop(HttpConfig config, std::unique_ptr<CurlMulti> multi);

    // Any thread.
    void submit(std::unique_ptr<Transfer> transfer);

    // Returns when a stop is requested and every transfer has its end.
    void run(const std::stop_token& stop);

private:
    using Clock = Transfer::Clock;
    using TransferOwner = std::unique_ptr<Transfer>;

    // What other threads touch; everything else belongs to the client's.
    struct Inbox {
        std::vector<TransferOwner> arrived{};
        std::size_t unfinished = 0;  // accepted and not yet called back
        bool must_look_for_stops = false;
        bool is_closed = false;
        // The thread is about to wait. Only then does it have to be woken, and only by the first who has
        // something for it, so that a batch of requests costs one wake-up.
        bool is_asleep = false;
    };

    void run_once();
    Inbox take_inbox();
    bool fall_asleep();
    void look_for_stops();
    void accept(TransferOwner transfer, Clock::time_point now);
    void queue(TransferOwner transfer, Clock::time_point now);
    void queue_due(Clock::time_point now);
    void watch_lookup(Transfer& transfer);
    void collect_ready();
    void start_waiting();
    Result<void> prepare(Transfer& transfer);
    void start(TransferOwner transfer);
    bool finish_ended();
    void finish(CURL* curl, CURLcode code);
    void resume_paused(Clock::time_point now);
    void end_stopped();
    void end_slow(Clock::time_point now);
    void end_live(CURL* curl, Error error);
    void end_all();
    bool is_proxied() const { return !config_.proxy.empty(); }
    std::string_view name_of(const Transfer& transfer) const;
    std::chrono::milliseconds time_to_wait(Clock::time_point now) const;
    void settle(TransferOwner transfer, Error error);
    void count_finished();
    std::unique_ptr<TransferHandle> take_handle();
    void keep(std::unique_ptr<TransferHandle> handle);

    const HttpConfig config_;
    Guarded<Inbox> inbox_;

    // Handles and live transfers must go before the multi handle they were part of.
    std::unique_ptr<CurlMulti> multi_;
    std::vector<std::unique_ptr<TransferHandle>> idle_handles_;
    BodyBudget budget_;
    AddressLimit addresses_;
    LookupQueue lookups_;                // those that wait for the address of a name
    std::deque<TransferOwner> waiting_;  // those that only wait for room
    std::unordered_map<CURL*, TransferOwner> live_;
    std::multimap<Clock::time_point, TransferOwner> delayed_;
    Clock::time_point next_speed_check_{};
};

}  // namespace quarry::net
