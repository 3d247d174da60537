#include "net/http_client.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/guarded.h"
#include "net/curl_handles.h"
#include "net/transfer.h"

namespace quarry::net {

namespace {

using Clock = Transfer::Clock;
using TransferOwner = std::unique_ptr<Transfer>;

// How often the speed of transfers is looked at.
constexpr std::chrono::milliseconds speed_check_interval{250};

Error interrupted() {
    return {ErrorCode::interrupted, "interrupted"};
}

void ensure_curl_is_initialised() {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

// SIGPIPE would come from OpenSSL writing to a closed connection, and every other signal belongs to the main
// thread.
void block_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

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

// Everything the thread works on. Other threads touch only inbox_ and curl_multi_wakeup.
class HttpClient::Loop {
public:
    Loop(HttpConfig config, MultiHandle multi) : config_(std::move(config)), multi_(std::move(multi)) {}

    void submit(HttpRequest request, Callback callback);
    void run(const std::stop_token& stop);
    void wake() { curl_multi_wakeup(multi_.get()); }

private:
    struct Inbox {
        std::vector<TransferOwner> arrived{};
        std::size_t unfinished = 0;  // accepted and not yet called back
        bool must_look_for_stops = false;
        bool is_closed = false;
    };

    void run_once();
    Inbox take_inbox();
    void accept(TransferOwner transfer);
    void queue_due(Clock::time_point now);
    void start_waiting();
    void start(TransferOwner transfer);
    void finish_ended();
    void end_stopped();
    void end_slow(Clock::time_point now);
    void end_live(CURL* handle, Error error);
    void end_all();
    bool has_room() const;
    std::size_t lookups() const;
    std::chrono::milliseconds time_to_wait(Clock::time_point now) const;
    void settle(TransferOwner transfer, Error error);
    void count_finished() {
        inbox_.with([](Inbox& inbox) { --inbox.unfinished; });
    }
    EasyHandle take_handle();
    void keep(EasyHandle handle);

    const HttpConfig config_;
    Guarded<Inbox> inbox_;

    // Idle handles and live transfers must go before the multi handle they were part of.
    MultiHandle multi_;
    std::vector<EasyHandle> idle_handles_;
    std::unordered_map<CURL*, TransferOwner> live_;
    std::deque<TransferOwner> waiting_;
    std::multimap<Clock::time_point, TransferOwner> delayed_;
    Clock::time_point next_speed_check_{};
};

void HttpClient::Loop::submit(HttpRequest request, Callback callback) {
    auto transfer = std::make_unique<Transfer>(std::move(request), std::move(callback));
    enum class Answer { accepted, full, closed };
    const Answer answer = inbox_.with([&](Inbox& inbox) {
        if (inbox.is_closed) return Answer::closed;
        if (inbox.unfinished >= config_.max_in_flight + config_.max_waiting) return Answer::full;
        ++inbox.unfinished;
        inbox.arrived.push_back(std::move(transfer));
        return Answer::accepted;
    });
    if (answer == Answer::accepted) return wake();
    transfer->finish_with(answer == Answer::closed
                              ? interrupted()
                              : Error{ErrorCode::conflict,
                                      fmt::format("{} requests are waiting already", config_.max_waiting)});
}

void HttpClient::Loop::run(const std::stop_token& stop) {
    block_signals();
    const std::stop_callback wake_up(stop, [this] { wake(); });
    while (!stop.stop_requested()) run_once();
    end_all();
}

void HttpClient::Loop::run_once() {
    Inbox inbox = take_inbox();
    for (auto& transfer : inbox.arrived) accept(std::move(transfer));
    if (inbox.must_look_for_stops) end_stopped();
    queue_due(Clock::now());
    start_waiting();
    int running = 0;
    curl_multi_perform(multi_.get(), &running);
    finish_ended();
    const auto now = Clock::now();
    end_slow(now);
    curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(time_to_wait(now).count()), nullptr);
}

HttpClient::Loop::Inbox HttpClient::Loop::take_inbox() {
    return inbox_.with([](Inbox& inbox) {
        Inbox taken{.arrived = std::exchange(inbox.arrived, {}),
                    .must_look_for_stops = std::exchange(inbox.must_look_for_stops, false)};
        return taken;
    });
}

void HttpClient::Loop::accept(TransferOwner transfer) {
    transfer->watch_stop([this] {
        inbox_.with([](Inbox& inbox) { inbox.must_look_for_stops = true; });
        wake();
    });
    const auto not_before = transfer->request().not_before;
    if (not_before > Clock::now())
        delayed_.emplace(not_before, std::move(transfer));
    else
        waiting_.push_back(std::move(transfer));
}

void HttpClient::Loop::queue_due(Clock::time_point now) {
    while (!delayed_.empty() && delayed_.begin()->first <= now) {
        waiting_.push_back(std::move(delayed_.begin()->second));
        delayed_.erase(delayed_.begin());
    }
}

bool HttpClient::Loop::has_room() const {
    return live_.size() < config_.max_in_flight && lookups() < config_.max_lookups;
}

std::size_t HttpClient::Loop::lookups() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(live_, [](const auto& entry) { return entry.second->may_be_looking_up(); }));
}

void HttpClient::Loop::start_waiting() {
    while (!waiting_.empty() && has_room()) {
        auto transfer = std::move(waiting_.front());
        waiting_.pop_front();
        start(std::move(transfer));
    }
}

void HttpClient::Loop::start(TransferOwner transfer) {
    if (auto prepared = transfer->prepare(take_handle(), config_); !prepared)
        return settle(std::move(transfer), std::move(prepared).error());
    CURL* handle = transfer->handle();
    curl_multi_add_handle(multi_.get(), handle);
    live_.emplace(handle, std::move(transfer));
}

void HttpClient::Loop::finish_ended() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL* handle = message->easy_handle;
        const CURLcode code = message->data.result;
        curl_multi_remove_handle(multi_.get(), handle);  // The message is gone after this.
        const auto transfer = std::move(live_.extract(handle).mapped());
        count_finished();
        keep(transfer->finish(code));
    }
}

// Gives a transfer that is not in curl its end.
void HttpClient::Loop::settle(TransferOwner transfer, Error error) {
    count_finished();
    keep(transfer->finish_with(std::move(error)));
}

void HttpClient::Loop::end_live(CURL* handle, Error error) {
    curl_multi_remove_handle(multi_.get(), handle);
    settle(std::move(live_.extract(handle).mapped()), std::move(error));
}

void HttpClient::Loop::end_stopped() {
    std::vector<TransferOwner> stopped;
    const auto is_stopped = [](const TransferOwner& transfer) {
        return transfer->request().stop.stop_requested();
    };
    for (auto& transfer : waiting_)
        if (is_stopped(transfer)) stopped.push_back(std::move(transfer));
    std::erase(waiting_, nullptr);
    for (auto& [time, transfer] : delayed_)
        if (is_stopped(transfer)) stopped.push_back(std::move(transfer));
    std::erase_if(delayed_, [](const auto& entry) { return !entry.second; });
    std::vector<CURL*> live;
    for (const auto& [handle, transfer] : live_)
        if (is_stopped(transfer)) live.push_back(handle);

    for (auto& transfer : stopped) settle(std::move(transfer), interrupted());
    for (CURL* handle : live) end_live(handle, interrupted());
}

void HttpClient::Loop::end_slow(Clock::time_point now) {
    if (now < next_speed_check_) return;
    next_speed_check_ = now + speed_check_interval;
    std::vector<std::pair<CURL*, Error>> slow;
    for (const auto& [handle, transfer] : live_)
        if (auto speed = transfer->check_speed(now); !speed)
            slow.emplace_back(handle, std::move(speed).error());
    for (auto& [handle, error] : slow) end_live(handle, std::move(error));
}

// Callbacks may submit once more; those requests are ended as well, until none comes.
void HttpClient::Loop::end_all() {
    bool is_closed = false;
    while (!is_closed) {
        while (!live_.empty()) end_live(live_.begin()->first, interrupted());
        for (auto& transfer : std::exchange(waiting_, {})) settle(std::move(transfer), interrupted());
        for (auto& [time, transfer] : std::exchange(delayed_, {})) settle(std::move(transfer), interrupted());
        for (auto& transfer : take_inbox().arrived) waiting_.push_back(std::move(transfer));
        is_closed = inbox_.with([&](Inbox& inbox) {
            inbox.is_closed = inbox.arrived.empty() && waiting_.empty();
            return inbox.is_closed;
        });
    }
}

std::chrono::milliseconds HttpClient::Loop::time_to_wait(Clock::time_point now) const {
    using std::chrono::milliseconds;
    if (!waiting_.empty() && has_room()) return milliseconds(0);
    milliseconds wait = live_.empty() ? milliseconds(60'000) : speed_check_interval;
    if (!delayed_.empty())
        wait = std::min(wait, std::chrono::ceil<milliseconds>(delayed_.begin()->first - now));
    return std::max(wait, milliseconds(0));
}

EasyHandle HttpClient::Loop::take_handle() {
    if (idle_handles_.empty()) return EasyHandle(curl_easy_init());
    EasyHandle handle = std::move(idle_handles_.back());
    idle_handles_.pop_back();
    return handle;
}

// Resetting at once leaves no option that points into the ended transfer.
void HttpClient::Loop::keep(EasyHandle handle) {
    if (!handle) return;
    curl_easy_reset(handle.get());
    idle_handles_.push_back(std::move(handle));
}

Result<std::unique_ptr<HttpClient>> HttpClient::open(HttpConfig config) {
    ensure_curl_is_initialised();
    TRY(check_proxy(config.proxy));
    if (config.max_in_flight == 0 || config.max_lookups == 0)
        return fail(ErrorCode::invalid_argument,
                    "an HTTP client needs room for at least one transfer and one lookup");
    MultiHandle multi(curl_multi_init());
    if (!multi) return fail(ErrorCode::unavailable, "curl could not be started");
    // Left alone, curl ties this to the number of live transfers and throws connections away when that falls.
    curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(config.max_connections));
    auto loop = std::make_unique<Loop>(std::move(config), std::move(multi));
    return std::unique_ptr<HttpClient>(new HttpClient(std::move(loop)));
}

HttpClient::HttpClient(std::unique_ptr<Loop> loop)
    : loop_(std::move(loop)), thread_([this](const std::stop_token& stop) { loop_->run(stop); }) {}

HttpClient::~HttpClient() = default;

void HttpClient::submit(HttpRequest request, Callback callback) {
    loop_->submit(std::move(request), std::move(callback));
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

}  // namespace quarry::net
