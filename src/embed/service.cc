#include "embed/service.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "embed/answers.h"
#include "net/http_message.h"
#include "net/wording.h"

namespace quarry::embed {

Result<void> Breaker::admit(Time now) {
    return state_.with([&](State& state) -> Result<void> {
        if (state.failures < config_.failures) return {};
        if (now >= state.retry_at && !state.is_probing) {
            state.is_probing = true;
            return {};
        }
        const auto left = std::chrono::ceil<std::chrono::seconds>(state.retry_at - now);
        const std::string when = state.is_probing ? "being tried now" : "next try in " + net::in_words(left);
        return fail(ErrorCode::unavailable,
                    fmt::format("{} ({} failures in a row, {})", state.why, state.failures, when));
    });
}

void Breaker::succeeded() {
    state_.with([](State& state) { state = {}; });
}

void Breaker::failed(Time now, const std::string& why) {
    state_.with([&](State& state) {
        ++state.failures;
        state.is_probing = false;
        state.retry_at = now + config_.reset;
        state.why = why;
    });
}

void Breaker::abandoned() {
    state_.with([](State& state) { state.is_probing = false; });
}

void Breaker::ask_at_once() {
    state_.with([&](State& state) { state.failures = std::min(state.failures, config_.failures - 1); });
}

bool Breaker::is_troubled() {
    return state_.with([](const State& state) { return state.failures > 0; });
}

namespace {

using std::chrono::milliseconds;

constexpr milliseconds longest_readable_wait = std::chrono::hours(24);

bool is_worth_another_try(int status) {
    return status == 408 || status == 424 || status == 429 || status >= 500;
}

// A server that is overloaded (429), or that had no time (408), is not away.
bool is_away(int status) {
    return status == 424 || status >= 500;
}

// Reads seconds only. If a service sends a date instead, the wait is the same as without the header.
milliseconds retry_after(const std::vector<Header>& headers) {
    const std::string_view value = net::trimmed(header_value(headers, "Retry-After"));
    if (!net::is_all_digits(value)) return milliseconds(0);
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (error != std::errc() || seconds > longest_readable_wait / std::chrono::seconds(1))
        return longest_readable_wait;
    return std::chrono::seconds(seconds);
}

// Turns errors of the transfer into errors for callers. A service whose name does not resolve is unavailable.
// An answer over the size limit is corrupt: callers must not mistake it for a text over the model's limit.
ErrorCode code_for_callers(ErrorCode code) {
    switch (code) {
        case ErrorCode::not_found:
        case ErrorCode::conflict: return ErrorCode::unavailable;
        case ErrorCode::too_large: return ErrorCode::corrupt;
        default: return code;
    }
}

}  // namespace

// How one try ended: a final result, or a reason to try again.
struct Service::Try {
    Result<net::HttpResponse> result;
    bool is_final = true;
    bool is_service_away = false;
    bool is_overload = false;
    milliseconds asked_wait{};
};

Result<Service> Service::open(ServiceConfig config, net::HttpClient& client) {
    const auto url = url::Url::parse(config.url);
    if (!url || !url->is_http() || url->query() || url->fragment())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is no address of {}: write it like http://127.0.0.1:8080",
                                quoted_words(url ? url->without_credentials() : config.url, config.key),
                                config.name));
    if (config.key.empty() && !url->username().empty())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the address of {} must not contain a name or password: set {} instead",
                                config.name, config.key_setting));
    std::string base = url->without_credentials();
    while (base.ends_with('/')) base.pop_back();
    return Service(std::move(config), std::move(base), client);
}

Service::Service(ServiceConfig config, std::string base, net::HttpClient& client)
    : config_(std::move(config)),
      base_(std::move(base)),
      name_(fmt::format("{} at {}", config_.name, base_)),
      client_(&client),
      breaker_(std::make_unique<Breaker>(config_.breaker)),
      times_away_(std::make_unique<std::atomic<std::uint64_t>>(0)),
      times_overloaded_(std::make_unique<std::atomic<std::uint64_t>>(0)) {}

Result<net::HttpResponse> Service::get(std::string_view path, const Asking& asking) {
    return call(net::HttpMethod::get, path, {}, asking);
}

Result<net::HttpResponse> Service::post(std::string_view path, std::string json, const Asking& asking) {
    return call(net::HttpMethod::post, path, std::move(json), asking);
}

Error Service::error_of(int status, std::string_view words) const {
    const std::string said = quoted_words(words, config_.key);
    const std::string tail = said.empty() ? "" : ": " + said;
    if (status == 401 || status == 403)
        return {ErrorCode::refused,
                fmt::format("{} refused the key ({}{}): set {}", name_, status, tail, config_.key_setting)};
    return {ErrorCode::invalid_argument, fmt::format("{} answered {}{}", name_, status, tail)};
}

net::HttpRequest Service::request_for(net::HttpMethod method, const url::Url& url, std::string body) const {
    net::HttpRequest request{.url = url, .method = method, .body = std::move(body)};
    request.headers.push_back({"Accept", "application/json"});
    if (method == net::HttpMethod::post) request.headers.push_back({"Content-Type", "application/json"});
    if (!config_.key.empty())
        request.headers.push_back({"Authorization", net::bearer_authorization(config_.key)});
    // The settings named this address; no page did.
    request.policy.allow_private = true;
    request.limits.timeout = config_.timeout;
    request.limits.connect_timeout = config_.connect_timeout;
    request.limits.body_bytes = config_.max_answer_bytes;
    return request;
}

Result<net::HttpResponse> Service::call(net::HttpMethod method, std::string_view path, std::string body,
                                        const Asking& asking) {
    const url::Url url = TRY(url::Url::parse(base_ + std::string(path)));
    net::HttpRequest request = request_for(method, url, std::move(body));
    request.stop = asking.stop;
    TRY(breaker_->admit(config_.time.now()));
    return try_until_final(request, asking);
}

Result<net::HttpResponse> Service::try_until_final(const net::HttpRequest& request, const Asking& asking) {
    const bool is_patient = asking.patience == Patience::some && !breaker_->is_troubled();
    const std::size_t most_waits = is_patient ? config_.waits.size() : 0;
    for (std::size_t waited = 0;; ++waited) {
        Try last = try_once(request);
        if (last.is_final || waited == most_waits) return settle(request, std::move(last));
        const milliseconds wait = std::max(config_.waits[waited], last.asked_wait);
        if (wait > config_.longest_wait) return settle(request, std::move(last));
        if (!config_.time.wait(wait, asking.stop)) {
            breaker_->abandoned();
            return fail(ErrorCode::interrupted, fmt::format("stopped while waiting for {}", name_));
        }
    }
}

Result<net::HttpResponse> Service::settle(const net::HttpRequest& request, Try last) {
    if (last.is_overload) ++*times_overloaded_;
    if (last.is_service_away) {
        ++*times_away_;
        breaker_->failed(config_.time.now(), last.result.error().message);
    } else if (!last.result && last.result.error().code == ErrorCode::interrupted) {
        breaker_->abandoned();
    } else if (request.method == net::HttpMethod::get) {
        // An answer to /info says nothing about the model behind it.
        breaker_->abandoned();
    } else {
        breaker_->succeeded();
    }
    return std::move(last.result);
}

Service::Try Service::try_once(const net::HttpRequest& request) {
    const auto began = std::chrono::steady_clock::now();
    auto response = client_->perform(request);
    if (response && !is_worth_another_try(response->status)) return {.result = std::move(response)};
    if (response) {
        const std::string said = quoted_words(words_of_error(response->body), config_.key);
        return {
            .result = fail(ErrorCode::unavailable, fmt::format("{} answered {}{}{}", name_, response->status,
                                                               said.empty() ? "" : ": ", said)),
            .is_final = false,
            .is_service_away = is_away(response->status),
            .is_overload = response->status == 429,
            .asked_wait = retry_after(response->headers)};
    }
    const Error& error = response.error();
    const ErrorCode code = code_for_callers(error.code);
    // A connection that could not be made in time is tried again. An answer that took all the time there was
    // is not tried again: the next would take as long.
    const bool has_time_left = std::chrono::steady_clock::now() - began < config_.timeout;
    const bool is_away = code == ErrorCode::unavailable || code == ErrorCode::timeout;
    return {.result = fail(code, fmt::format("{}: {}", name_, error.message)),
            .is_final = !(code == ErrorCode::unavailable || (code == ErrorCode::timeout && has_time_left)),
            .is_service_away = is_away};
}

}  // namespace quarry::embed
