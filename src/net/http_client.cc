// The client's thread: takes requests from any thread, starts as many as may run, and gives each its end.
// Internal to the HTTP client.
#include "net/http_client.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/guarded.h"
#include "net/curl.h"
#include "net/lookup_queue.h"
#include "net/transfer.h"

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

namespace {

Result<void> check_proxy(std::string_view proxy) {
    const auto scheme_end = proxy.find("://");
    if (proxy.empty() || scheme_end == proxy.npos) return {};
    for (const std::string_view known : {"http", "https", "socks5", "socks5h"})
        if (proxy.substr(0, scheme_end) == known) return {};
    // The rest of it may hold a password.
    return fail(ErrorCode::invalid_argument,
                fmt::format("a proxy cannot be of kind \"{}\": use http, https, socks5 or socks5h",
                            proxy.substr(0, scheme_end)));
}

}  // namespace

void ensure_curl_is_initialised() {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

Result<std::unique_ptr<HttpClient>> HttpClient::open(HttpConfig config) {
    ensure_curl_is_initialised();
    TRY(check_proxy(config.proxy));
    if (config.max_in_flight == 0 || config.max_lookups == 0)
        return fail(ErrorCode::invalid_argument,
                    "an HTTP client needs room for at least one transfer and one lookup");
    auto multi = TRY(CurlMulti::open(config.max_connections));
    auto loop = std::make_unique<TransferLoop>(std::move(config), std::move(multi));
    return std::unique_ptr<HttpClient>(new HttpClient(std::move(loop)));
}

HttpClient::HttpClient(std::unique_ptr<TransferLoop> loop)
    : loop_(std::move(loop)), thread_([this](const std::stop_token& stop) { loop_->run(stop); }) {}

HttpClient::~HttpClient() = default;

void HttpClient::submit(HttpRequest request, Callback callback) {
    loop_->submit(std::make_unique<Transfer>(std::move(request), std::move(callback)));
}

Result<HttpResponse> HttpClient::perform(HttpRequest request) {
    std::promise<Result<HttpResponse>> promise;
    auto result = promise.get_future();
    // The callback owns the promise: it may still be inside set_value when this function has returned.
    submit(std::move(request), [promise = std::move(promise)](Result<HttpResponse> response) mutable {
        promise.set_value(std::move(response));
    });
    return result.get();
}

namespace {

// How often the speed of transfers is looked at.
constexpr std::chrono::milliseconds speed_check_interval{250};

Error interrupted() {
    return {ErrorCode::interrupted, "interrupted"};
}

// SIGPIPE would come from OpenSSL writing to a closed connection, and every other signal belongs to the main
// thread.
void block_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

bool is_stopped(const Transfer& transfer) {
    return transfer.request().stop.stop_requested();
}

}  // namespace

TransferLoop::TransferLoop(HttpConfig config, std::unique_ptr<CurlMulti> multi)
    : config_(std::move(config)),
      multi_(std::move(multi)),
      budget_(config_.max_bytes_in_flight),
      addresses_(config_.max_transfers_per_address),
      lookups_(config_.max_lookups) {}

void TransferLoop::submit(TransferOwner transfer) {
    enum class Answer { accepted, accepted_asleep, full, closed };
    const Answer answer = inbox_.with([&](Inbox& inbox) {
        if (inbox.is_closed) return Answer::closed;
        if (inbox.unfinished >= config_.max_in_flight + config_.max_waiting) return Answer::full;
        ++inbox.unfinished;
        inbox.arrived.push_back(std::move(transfer));
        return std::exchange(inbox.is_asleep, false) ? Answer::accepted_asleep : Answer::accepted;
    });
    if (answer == Answer::accepted_asleep) multi_->wake();
    if (transfer)
        transfer->finish_with(answer == Answer::closed
                                  ? interrupted()
                                  : Error{ErrorCode::conflict, fmt::format("{} requests are waiting already",
                                                                           config_.max_waiting)});
}

// Comes from the threads that ask requests to stop.
void TransferLoop::look_for_stops() {
    const bool was_asleep = inbox_.with([](Inbox& inbox) {
        inbox.must_look_for_stops = true;
        return std::exchange(inbox.is_asleep, false);
    });
    if (was_asleep) multi_->wake();
}

void TransferLoop::run(const std::stop_token& stop) {
    block_signals();
    const std::stop_callback wake_up(stop, [this] { multi_->wake(); });
    while (!stop.stop_requested()) run_once();
    end_all();
}

void TransferLoop::run_once() {
    Inbox inbox = take_inbox();
    const auto now = Clock::now();
    for (auto& transfer : inbox.arrived) accept(std::move(transfer), now);
    if (inbox.must_look_for_stops) end_stopped();
    end_slow(now);
    queue_due(now);
    resume_paused(now);
    start_waiting();
    multi_->run_timers();
    // What has ended may have made room for others.
    const bool may_sleep = !finish_ended() && fall_asleep();
    multi_->wait(may_sleep ? time_to_wait(now) : std::chrono::milliseconds(0));
    finish_ended();
}

TransferLoop::Inbox TransferLoop::take_inbox() {
    return inbox_.with([](Inbox& inbox) {
        inbox.is_asleep = false;
        Inbox taken{.arrived = std::exchange(inbox.arrived, {}),
                    .must_look_for_stops = std::exchange(inbox.must_look_for_stops, false)};
        return taken;
    });
}

// From here on somebody has to wake the thread; false if there is something to do already.
bool TransferLoop::fall_asleep() {
    return inbox_.with([](Inbox& inbox) {
        inbox.is_asleep = inbox.arrived.empty() && !inbox.must_look_for_stops;
        return inbox.is_asleep;
    });
}

void TransferLoop::accept(TransferOwner transfer, Clock::time_point now) {
    transfer->watch_stop([this] { look_for_stops(); });
    const auto not_before = transfer->request().not_before;
    if (not_before > now)
        delayed_.emplace(not_before, std::move(transfer));
    else
        queue(std::move(transfer), now);
}

void TransferLoop::queue_due(Clock::time_point now) {
    while (!delayed_.empty() && delayed_.begin()->first <= now) {
        queue(std::move(delayed_.begin()->second), now);
        delayed_.erase(delayed_.begin());
    }
}

void TransferLoop::queue(TransferOwner transfer, Clock::time_point now) {
    const std::string_view name = name_of(*transfer);
    lookups_.add(std::move(transfer), name, now);
}

// What waits for nothing but room from here on.
void TransferLoop::collect_ready() {
    for (auto& transfer : lookups_.take_ready()) {
        watch_lookup(*transfer);
        waiting_.push_back(std::move(transfer));
    }
    for (auto& transfer : addresses_.take_ready()) waiting_.push_back(std::move(transfer));
}

void TransferLoop::start_waiting() {
    collect_ready();
    while (!waiting_.empty() && live_.size() < config_.max_in_flight && budget_.has_room()) {
        auto transfer = std::move(waiting_.front());
        waiting_.pop_front();
        start(std::move(transfer));
    }
}

void TransferLoop::watch_lookup(Transfer& transfer) {
    if (transfer.name_state() != Transfer::NameState::unknown) return;
    transfer.watch_lookup([this, name = std::string(name_of(transfer))](bool has_address) {
        if (has_address)
            lookups_.found(name, Clock::now());
        else
            lookups_.not_found(name);
    });
}

Result<void> TransferLoop::prepare(Transfer& transfer) {
    return transfer.prepare(take_handle(),
                            {.budget = budget_, .addresses = addresses_, .is_proxied = is_proxied()});
}

void TransferLoop::start(TransferOwner transfer) {
    if (auto prepared = prepare(*transfer); !prepared)
        return settle(std::move(transfer), std::move(prepared).error());
    CURL* curl = transfer->curl();
    multi_->add(curl);
    live_.emplace(curl, std::move(transfer));
}

bool TransferLoop::finish_ended() {
    bool has_any = false;
    for (; const auto ended = multi_->next_ended(); has_any = true) finish(ended->handle, ended->code);
    return has_any;
}

void TransferLoop::finish(CURL* curl, CURLcode code) {
    auto transfer = std::move(live_.extract(curl).mapped());
    if (const auto crowded = transfer->crowded_address(code)) {
        keep(transfer->give_up_for_now());
        return addresses_.wait(std::move(transfer), *crowded);
    }
    count_finished();
    keep(transfer->finish(code));
}

void TransferLoop::resume_paused(Clock::time_point now) {
    while (Transfer* transfer = budget_.next_resumable()) {
        CURL* curl = transfer->curl();
        const CURLcode code = transfer->resume(now);
        if (code == CURLE_OK) continue;
        multi_->remove(curl);
        finish(curl, code);
    }
}

// Gives a transfer that is not in curl its end.
void TransferLoop::settle(TransferOwner transfer, Error error) {
    count_finished();
    keep(transfer->finish_with(std::move(error)));
}

void TransferLoop::end_live(CURL* curl, Error error) {
    multi_->remove(curl);
    settle(std::move(live_.extract(curl).mapped()), std::move(error));
}

void TransferLoop::end_stopped() {
    collect_ready();
    std::vector<TransferOwner> stopped = lookups_.take_if(is_stopped);
    std::ranges::move(addresses_.take_if(is_stopped), std::back_inserter(stopped));
    for (auto& transfer : waiting_)
        if (is_stopped(*transfer)) stopped.push_back(std::move(transfer));
    std::erase(waiting_, nullptr);
    for (auto& [time, transfer] : delayed_)
        if (is_stopped(*transfer)) stopped.push_back(std::move(transfer));
    std::erase_if(delayed_, [](const auto& entry) { return !entry.second; });
    std::vector<CURL*> live;
    for (const auto& [curl, transfer] : live_)
        if (is_stopped(*transfer)) live.push_back(curl);

    for (auto& transfer : stopped) settle(std::move(transfer), interrupted());
    for (CURL* curl : live) end_live(curl, interrupted());
}

void TransferLoop::end_slow(Clock::time_point now) {
    if (now < next_speed_check_) return;
    next_speed_check_ = now + speed_check_interval;
    std::vector<std::pair<CURL*, Error>> slow;
    for (const auto& [curl, transfer] : live_)
        if (auto speed = transfer->check_speed(now); !speed)
            slow.emplace_back(curl, std::move(speed).error());
    for (auto& [curl, error] : slow) end_live(curl, std::move(error));
}

// Callbacks may submit once more; those requests are ended as well, until none comes.
void TransferLoop::end_all() {
    bool is_closed = false;
    while (!is_closed) {
        while (!live_.empty()) end_live(live_.begin()->first, interrupted());
        for (auto& transfer : std::exchange(waiting_, {})) settle(std::move(transfer), interrupted());
        for (auto& [time, transfer] : std::exchange(delayed_, {})) settle(std::move(transfer), interrupted());
        const auto any = [](const Transfer&) { return true; };
        for (auto& transfer : lookups_.take_if(any)) settle(std::move(transfer), interrupted());
        for (auto& transfer : addresses_.take_if(any)) settle(std::move(transfer), interrupted());
        collect_ready();
        for (auto& transfer : take_inbox().arrived) waiting_.push_back(std::move(transfer));
        is_closed = inbox_.with([&](Inbox& inbox) {
            inbox.is_closed = inbox.arrived.empty() && waiting_.empty();
            return inbox.is_closed;
        });
    }
}

std::chrono::milliseconds TransferLoop::time_to_wait(Clock::time_point now) const {
    using std::chrono::milliseconds;
    if (lookups_.has_ready() || addresses_.has_ready()) return milliseconds(0);
    milliseconds wait = live_.empty() ? milliseconds(60'000) : speed_check_interval;
    if (!delayed_.empty())
        wait = std::min(wait, std::chrono::ceil<milliseconds>(delayed_.begin()->first - now));
    return std::max(wait, milliseconds(0));
}

// What it will connect to. All requests of a client with a proxy connect to that.
std::string_view TransferLoop::name_of(const Transfer& transfer) const {
    return is_proxied() ? std::string_view("proxy") : transfer.request().url.host();
}

void TransferLoop::count_finished() {
    inbox_.with([](Inbox& inbox) { --inbox.unfinished; });
}

std::unique_ptr<TransferHandle> TransferLoop::take_handle() {
    if (idle_handles_.empty()) return std::make_unique<TransferHandle>(config_, *multi_);
    auto handle = std::move(idle_handles_.back());
    idle_handles_.pop_back();
    return handle;
}

void TransferLoop::keep(std::unique_ptr<TransferHandle> handle) {
    if (handle) idle_handles_.push_back(std::move(handle));
}

}  // namespace quarry::net
