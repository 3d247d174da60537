// One request while curl works on it: its options, what has arrived, and why it ended. describe_failure
// turns what curl reports into an error that tells a person what happened. A TransferHandle is the curl
// handle that serves one transfer after another: what all requests of a client have in common is set once,
// and headers stay as long as the next request brings the same; in a crawl nearly all do. Internal to the
// HTTP client and used only on its thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <curl/curl.h>

#include "base/result.h"
#include "model/page.h"
#include "net/address.h"
#include "net/address_limit.h"
#include "net/body_budget.h"
#include "net/body_decoder.h"
#include "net/curl.h"
#include "net/http_client.h"
#include "net/http_message.h"

namespace quarry::net {

// A curl handle that serves one transfer after another. What all requests of a client have in common is set
// once, and headers stay as long as the next request brings the same: in a crawl nearly all do.

// Internal to the HTTP client and used only on its thread. Config and multi must outlive it.
class TransferHandle {
public:
    TransferHandle(const HttpConfig& config, CurlMulti& multi);

    CURL* curl() const { return easy_.get(); }

    // Sends these and the client's own. Fails with `invalid_argument` if one of them must not be sent.
    Result<void> set_headers(const std::vector<Header>& headers);

    // Has every option forgotten that is not common to all requests, when the transfer is over that has set
    // more than headers, time limits, URL and callback data, which are set each time.
    void reset();

    // curl's own words about why the last transfer failed; "" if it has none.
    const char* detail() const { return detail_.data(); }

    CurlMulti& multi() const { return multi_; }

private:
    void set_common_options();
    void trust_certificates();

    const HttpConfig& config_;
    CurlMulti& multi_;
    std::array<char, CURL_ERROR_SIZE> detail_{};
    std::vector<Header> headers_;  // what list_ was made from
    HeaderList list_;
    EasyHandle easy_;  // goes before what it points to
};

// Turns what curl reports into an error that tells a person what happened.

// What is known about a transfer that failed.
struct TransferFacts {
    std::string host{};
    std::uint16_t port = 0;
    std::string address{};      // the last one that a connection was tried to; "" before any
    bool is_connected = false;  // the request could be sent
    bool is_reused = false;     // it went over a connection that had served another
    bool has_answer = false;    // at least one byte of an answer came
    long system_error = 0;      // errno of the last failed system call
    std::string detail{};       // curl's own words; may be empty
    HttpLimits limits{};
};

// The code says what to do about it: `unavailable` and `timeout` may be worth another try, `not_found` means
// that the name does not resolve, `refused` that the server's certificate is not trusted, `corrupt` that it
// does not speak HTTP.
Error describe_failure(CURLcode code, const TransferFacts& facts);

// One request while curl works on it: its options, what has arrived, and why it ended. Internal to the HTTP
// client and used only on its thread.

using HttpCallback = std::move_only_function<void(Result<HttpResponse>)>;

class Transfer {
public:
    using Clock = std::chrono::steady_clock;

    Transfer(HttpRequest request, HttpCallback callback);

    const HttpRequest& request() const { return request_; }

    // Has `wake` called, from any thread, when the request is asked to stop.
    void watch_stop(std::function<void()> wake);

    // What is known about the name that it will connect to.
    enum class NameState {
        address,  // it is none
        known,    // its address is in curl's cache
        unknown,  // it will be looked up
    };
    void set_name_state(NameState state) { name_state_ = state; }
    NameState name_state() const { return name_state_; }

    // How long curl keeps the answers to lookups.
    static constexpr std::chrono::seconds dns_cache_time{60};

    // Has `done` called once, on the client's thread: with true when there is an address to connect to, with
    // false if the transfer ends before.
    void watch_lookup(std::move_only_function<void(bool has_address)> done);

    // What it shares with the other transfers of its client, all of which outlives it.
    struct Surroundings {
        BodyBudget& budget;
        AddressLimit& addresses;
        bool is_proxied = false;
    };

    // Takes the handle and sets what this request needs. Fails if the request must not or cannot be sent.
    Result<void> prepare(std::unique_ptr<TransferHandle> handle, const Surroundings& surroundings);

    // Where it could not connect because others are there already, if that is why it ended with `code`. Then
    // it can be given up, until it is prepared once more, instead of being finished.
    std::optional<Address> crowded_address(CURLcode code) const;
    std::unique_ptr<TransferHandle> give_up_for_now();

    // Goes on after the budget had no room for its body. Fails with what curl would have reported later.
    CURLcode resume(Clock::time_point now);

    // Fails once the server has sent too little for too long.
    Result<void> check_speed(Clock::time_point now);

    // Delivers what curl's verdict and our own observations amount to; gives the handle back for the next
    // transfer.
    std::unique_ptr<TransferHandle> finish(CURLcode code);
    std::unique_ptr<TransferHandle> finish_with(Error error);

    CURL* curl() const { return handle_->curl(); }

private:
    struct Callbacks;  // the C functions that curl calls

    void set_request_options();
    void set_limits_and_callbacks();
    void end_lookup(bool has_address);
    Result<void> check_target() const;

    curl_socket_t open_socket(const curl_sockaddr& address);
    bool may_send_to(const char* address);
    void enter(const Address& address);
    void leave_address();
    std::unique_ptr<TransferHandle> give_back_handle();
    bool take_header_line(std::string_view line);
    bool must_pause();
    bool take_body(std::string_view bytes);
    Result<void> begin_body();
    bool stop_with(Error error);

    Result<HttpResponse> conclude(CURLcode code);
    std::unique_ptr<TransferHandle> deliver(Result<HttpResponse> result);
    Error describe(CURLcode code);

    HttpRequest request_;
    HttpCallback callback_;
    std::optional<std::stop_callback<std::function<void()>>> stop_watch_;
    std::move_only_function<void(bool)> lookup_watch_;

    std::unique_ptr<TransferHandle> handle_;
    UrlHandle url_;

    HttpResponse response_;
    std::optional<BodyDecoder> decoder_;
    std::optional<Error> failure_;  // set by a callback that made curl stop; wins over curl's own words
    std::optional<Error> refusal_;  // of an address; counts only if no other address could be tried
    std::string tried_address_;
    std::optional<Address> crowded_address_;
    std::optional<Address> entered_address_;  // where it counts as connected
    NameState name_state_ = NameState::unknown;
    bool is_connected_ = false;
    bool are_headers_complete_ = false;
    bool has_body_begun_ = false;
    std::optional<Surroundings> surroundings_;
    std::uint64_t budgeted_bytes_ = 0;
    std::optional<Clock::time_point> paused_at_;
    std::chrono::milliseconds paused_time_{0};
    std::uint64_t header_bytes_ = 0;
    std::uint64_t skipped_bytes_ = 0;

    // The speed is judged over windows of low_speed_time, from the first byte of the answer on.
    std::uint64_t window_bytes_ = 0;
    std::optional<Clock::time_point> window_start_;
};

}  // namespace quarry::net
