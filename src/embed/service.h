// A service over HTTP that computes for quarry. Whatever protocol the service speaks, quarry asks it, waits
// for it and gives it up in the same way: three more tries 1, 2 and 4 s apart, Retry-After obeyed, and a
// breaker that opens when the service stays away. An open breaker costs no time, and lets a single call try
// again after a while.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "base/threads.h"
#include "net/http_client.h"

namespace quarry::embed {

// Ends the calls to a service that stays away, so that they cost no time. After a while, a single call tries
// again.

struct BreakerConfig {
    int failures = 5;                         // calls in a row, until it opens
    std::chrono::milliseconds reset{60'000};  // until one call may try again
};

// Any thread may use it. The caller passes the time.
class Breaker {
public:
    using Time = std::chrono::steady_clock::time_point;

    explicit Breaker(BreakerConfig config) : config_(config) {}

    // If it lets the call through, exactly one of the three functions below must follow. While the breaker is
    // open, it fails with `unavailable`, and says why the last call failed and when the next may try.
    Result<void> admit(Time now);

    void succeeded();
    void failed(Time now, const std::string& why);
    void abandoned();  // ended on this side, which says nothing about the service

    // The caller knows that the service is there: the next calls try, until one fails.
    void ask_at_once();

    // True if the last call failed: more tries of this call would be wasted.
    bool is_troubled();

private:
    struct State {
        int failures = 0;
        bool is_probing = false;  // one call tries, others fail meanwhile
        Time retry_at{};
        std::string why{};
    };

    const BreakerConfig config_;
    Guarded<State> state_;
};

// The clock of a service's callers. Tests replace it, so that no test sleeps.
struct ServiceTime {
    std::function<std::chrono::steady_clock::time_point()> now = &std::chrono::steady_clock::now;
    // False if `stop` came first.
    std::function<bool(std::chrono::milliseconds, const std::stop_token&)> wait = &pause_for;
};

// Each wait is twice as long as the one before.
inline std::vector<std::chrono::milliseconds> three_waits(std::chrono::milliseconds first) {
    return {first, 2 * first, 4 * first};
}

struct ServiceConfig {
    std::string name{};         // for sentences: "TEI"
    std::string url{};          // "http://127.0.0.1:8080", a path in front is kept
    std::string key{};          // sent as a bearer token; never shown
    std::string key_setting{};  // the setting that an error about a refused key names

    std::chrono::milliseconds timeout{60'000};         // of one try
    std::chrono::milliseconds connect_timeout{5'000};  // of one try
    std::uint64_t max_answer_bytes = std::uint64_t{64} * 1024 * 1024;

    // The waits before each further try.
    std::vector<std::chrono::milliseconds> waits = three_waits(std::chrono::seconds(1));
    std::chrono::milliseconds longest_wait{60'000};  // a service that asks for more fails the call

    BreakerConfig breaker{};
    ServiceTime time{};
};

// Whether a call is tried again after a while, or ends with its first try.
enum class Patience : std::uint8_t { none, some };

// When a call has to stop, and whether it is tried again.
struct Asking {
    Asking(std::stop_token stop_ = {}, Patience patience_ = Patience::some)
        : stop(std::move(stop_)), patience(patience_) {}

    std::stop_token stop;
    Patience patience;
};

// Any thread may use it.
class Service {
public:
    // Fails with `invalid_argument` if the URL cannot be called. Makes no call yet.
    static Result<Service> open(ServiceConfig config, net::HttpClient& client);

    // Returns the answer if another try would not change it: any status but 408, 424, 429 and those from 500
    // on. Errors: `unavailable` (not there, overloaded, breaker open), `timeout`, `refused` (by address or
    // certificate), `corrupt` (not HTTP, or more bytes than allowed), `interrupted`.
    Result<net::HttpResponse> get(std::string_view path, const Asking& asking);
    Result<net::HttpResponse> post(std::string_view path, std::string json, const Asking& asking);

    // The caller knows that the service is there: the breaker lets the next calls through.
    void ask_at_once() { breaker_->ask_at_once(); }

    // The error for an unsuccessful answer that the caller does not distinguish further: `refused` for 401
    // and 403, with the setting to look at, otherwise `invalid_argument`. `words` is what the service said.
    Error error_of(int status, std::string_view words) const;

    // "TEI at http://127.0.0.1:8080", for the beginning of a sentence.
    const std::string& name() const { return name_; }

    // Counts the calls that ended with 429: too many calls were made, whatever the answers said.
    std::uint64_t times_overloaded() const { return *times_overloaded_; }

    // Counts the calls that ended without an answer. A caller that remembers facts about the service asks for
    // them again when the count has changed.
    std::uint64_t times_away() const { return *times_away_; }

    std::chrono::steady_clock::time_point now() const { return config_.time.now(); }

private:
    struct Try;
    Service(ServiceConfig config, std::string base, net::HttpClient& client);

    Result<net::HttpResponse> call(net::HttpMethod method, std::string_view path, std::string body,
                                   const Asking& asking);
    Result<net::HttpResponse> try_until_final(const net::HttpRequest& request, const Asking& asking);
    Result<net::HttpResponse> settle(const net::HttpRequest& request, Try last);
    Try try_once(const net::HttpRequest& request);
    net::HttpRequest request_for(net::HttpMethod method, const url::Url& url, std::string body) const;

    ServiceConfig config_;
    std::string base_;  // without credentials and without a slash at its end
    std::string name_;
    net::HttpClient* client_;
    std::unique_ptr<Breaker> breaker_;
    std::unique_ptr<std::atomic<std::uint64_t>> times_away_, times_overloaded_;
};

}  // namespace quarry::embed
