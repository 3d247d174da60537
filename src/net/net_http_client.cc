#include "net/http_client.h"

#include <future>
#include <mutex>

#include <fmt/format.h>

#include "net/transfer_loop.h"

namespace quarry::net {

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

}  // namespace quarry::net
