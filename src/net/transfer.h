// One request while curl works on it: its options, what has arrived, and why it ended. Internal to the HTTP
// client and used only on its thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "net/body_decoder.h"
#include "net/curl_handles.h"
#include "net/http_config.h"
#include "net/http_message.h"

namespace quarry::net {

using HttpCallback = std::move_only_function<void(Result<HttpResponse>)>;

class Transfer {
public:
    using Clock = std::chrono::steady_clock;

    Transfer(HttpRequest request, HttpCallback callback);

    const HttpRequest& request() const { return request_; }

    // Has `wake` called, from any thread, when the request is asked to stop.
    void watch_stop(std::function<void()> wake);

    // Sets every option on the handle, which must outlive the transfer's time in curl. Fails if the request
    // must not or cannot be sent.
    Result<void> prepare(EasyHandle handle, const HttpConfig& config);

    // Whether it may still occupy one of curl's lookup threads.
    bool may_be_looking_up() const { return handle_ && !has_address_; }

    // Fails once the server has sent too little for too long.
    Result<void> check_speed(Clock::time_point now);

    // Delivers what curl's verdict and our own observations amount to; gives the handle back for the next
    // transfer.
    EasyHandle finish(CURLcode code);
    EasyHandle finish_with(Error error);

    CURL* handle() const { return handle_.get(); }

private:
    struct Callbacks;  // the C functions that curl calls

    void set_request_options();
    void set_limits_and_callbacks();
    void set_connection_options(const HttpConfig& config);
    Result<void> check_target() const;

    curl_socket_t open_socket(const curl_sockaddr& address);
    bool may_send_to(const char* address);
    bool take_header_line(std::string_view line);
    bool take_body(std::string_view bytes);
    Result<void> begin_body();
    bool stop_with(Error error);

    Result<HttpResponse> conclude(CURLcode code);
    Error describe(CURLcode code);

    HttpRequest request_;
    HttpCallback callback_;
    std::optional<std::stop_callback<std::function<void()>>> stop_watch_;

    EasyHandle handle_;
    UrlHandle url_;
    HeaderList header_list_;
    char detail_[CURL_ERROR_SIZE] = {};

    HttpResponse response_;
    std::optional<BodyDecoder> decoder_;
    std::optional<Error> failure_;  // set by a callback that made curl stop; wins over curl's own words
    std::optional<Error> refusal_;  // of an address; counts only if no other address could be tried
    std::string tried_address_;
    bool is_proxied_ = false;
    bool has_address_ = false;
    bool is_connected_ = false;
    bool are_headers_complete_ = false;
    bool has_body_begun_ = false;
    std::uint64_t header_bytes_ = 0;
    std::uint64_t skipped_bytes_ = 0;

    // The speed is judged over windows of low_speed_time, from the first byte of the answer on.
    std::uint64_t window_bytes_ = 0;
    std::optional<Clock::time_point> window_start_;
};

}  // namespace quarry::net
