// One fetch as an explicit state machine. It lives in the callback of the request that is under way, moves
// from hop to hop and from try to try, and ends with the caller's callback. Internal to the fetcher.
#include "fetch/fetcher.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/guarded.h"
#include "fetch/cookies.h"
#include "fetch/http_time.h"
#include "fetch/redirect.h"
#include "net/http_message.h"
#include "url/percent.h"

namespace quarry::fetch {

// What all fetches of one fetcher have in common.
struct Fetcher::Shared {
    net::HttpClient& client;
    const FetchConfig config;
    CircuitBreaker breaker;
    Guarded<std::minstd_rand> dice{std::minstd_rand{std::random_device{}()}};
};

class FetchTask {
public:
    FetchTask(std::shared_ptr<Fetcher::Shared> shared, FetchRequest request, Fetcher::Callback callback);

    static void start(std::unique_ptr<FetchTask> task);

private:
    using Clock = std::chrono::steady_clock;
    using Outcome = CircuitBreaker::Outcome;

    // requesting: the client has a request for url_. It may hold it back until a retry is due.
    struct Requesting {
        Clock::time_point not_before{};
    };
    // finished: the callback has been called with this.
    struct Finished {
        Result<Page> page;
    };
    using State = std::variant<Requesting, Finished>;

    static void transition_to(std::unique_ptr<FetchTask> task, State state);
    static void send(std::unique_ptr<FetchTask> task, Clock::time_point not_before);

    State enter_hop();
    void leave_hop(Outcome outcome);
    State handle_answer(net::HttpResponse response);
    State handle_error(Error error);
    State follow(net::HttpResponse response);
    Outcome outcome_of_status(int status) const;
    std::optional<State> retry(const Attempt& attempt);
    Finished failed(Error error) const;
    Page to_page(net::HttpResponse response) const;

    void take_cookies(const std::vector<Header>& headers);
    net::HttpRequest next_request(Clock::time_point not_before) const;
    std::vector<Header> next_headers() const;
    net::HttpLimits next_limits(Clock::time_point not_before) const;
    bool is_new_place();

    std::shared_ptr<Fetcher::Shared> shared_;
    FetchRequest request_;
    Fetcher::Callback callback_;

    url::Url url_;                     // of the current hop
    CircuitBreaker::Circuit circuit_;  // of url_
    std::vector<Header> headers_;      // the caller's, as far as they may still be sent
    CookieJar cookies_;
    std::set<std::string>
        visited_;  // URL and cookies of every hop, to notice a loop; empty before the second
    int redirects_ = 0;
    int attempt_ = 1;
    Clock::time_point started_;
    Clock::time_point try_started_;  // the hops of one try share its timeout
};

namespace {

using std::chrono::milliseconds;

std::chrono::sys_seconds wall_clock() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

CircuitBreaker::Outcome outcome_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::timeout:
        case ErrorCode::unavailable:
        case ErrorCode::not_found: return CircuitBreaker::Outcome::failure;
        case ErrorCode::too_large:
        case ErrorCode::corrupt: return CircuitBreaker::Outcome::success;  // A bad answer, but an answer.
        default: return CircuitBreaker::Outcome::unknown;
    }
}

// A URL can be megabytes long; in a sentence its beginning is enough.
std::string shown(const url::Url& url) {
    constexpr std::size_t most = 200;
    std::string text = url.without_credentials();
    if (text.size() > most) text = text.substr(0, most) + "…";
    return text;
}

bool has_credentials(const url::Url& url) {
    return !url.username().empty() || !url.password().empty();
}

url::Url without_credentials(const url::Url& url) {
    if (!has_credentials(url)) return url;
    auto bare = url::Url::parse(url.without_credentials());
    return bare ? *std::move(bare) : url;
}

std::vector<Header> with_credentials_of(const url::Url& url, std::vector<Header> headers) {
    if (has_credentials(url) && header_value(headers, "Authorization").empty())
        headers.push_back({"Authorization", net::basic_authorization(url::percent_decoded(url.username()),
                                                                     url::percent_decoded(url.password()))});
    return headers;
}

}  // namespace

FetchTask::FetchTask(std::shared_ptr<Fetcher::Shared> shared, FetchRequest request,
                     Fetcher::Callback callback)
    : shared_(std::move(shared)),
      request_(std::move(request)),
      callback_(std::move(callback)),
      url_(without_credentials(request_.url)),
      headers_(with_credentials_of(request_.url, request_.headers)),
      started_(Clock::now()),
      try_started_(started_) {}

void FetchTask::start(std::unique_ptr<FetchTask> task) {
    State first = task->enter_hop();
    transition_to(std::move(task), std::move(first));
}

void FetchTask::transition_to(std::unique_ptr<FetchTask> task, State state) {
    if (const auto* requesting = std::get_if<Requesting>(&state))
        send(std::move(task), requesting->not_before);
    else
        task->callback_(std::get<Finished>(std::move(state)).page);
}

void FetchTask::send(std::unique_ptr<FetchTask> task, Clock::time_point not_before) {
    net::HttpClient& client = task->shared_->client;
    net::HttpRequest request = task->next_request(not_before);
    client.submit(std::move(request), [task = std::move(task)](Result<net::HttpResponse> result) mutable {
        State next =
            result ? task->handle_answer(*std::move(result)) : task->handle_error(std::move(result).error());
        transition_to(std::move(task), std::move(next));
    });
}

// The breaker is asked once per hop and told once how it ended: a page that needed a retry was no failure.
FetchTask::State FetchTask::enter_hop() {
    circuit_ = {url_.origin(), request_.owner};
    auto admitted = shared_->breaker.admit(circuit_, Clock::now());
    if (!admitted) return failed(std::move(admitted).error());
    return Requesting{};
}

void FetchTask::leave_hop(Outcome outcome) {
    shared_->breaker.record(circuit_, outcome, Clock::now());
}

FetchTask::State FetchTask::handle_answer(net::HttpResponse response) {
    take_cookies(response.headers);
    if (is_redirect(response.status, response.headers)) return follow(std::move(response));
    auto next = retry({.number = attempt_,
                       .status = response.status,
                       .retry_after = retry_after(response.headers, wall_clock())});
    if (next) return *std::move(next);
    leave_hop(outcome_of_status(response.status));
    return Finished{to_page(std::move(response))};
}

FetchTask::State FetchTask::handle_error(Error error) {
    auto next = retry({.number = attempt_, .error = error.code});
    if (next) return *std::move(next);
    leave_hop(outcome_of(error.code));
    if (attempt_ > 1) error.message += fmt::format(" (tried {} times)", attempt_);
    return failed(std::move(error));
}

FetchTask::Outcome FetchTask::outcome_of_status(int status) const {
    const bool is_failure = status >= 500 && request_.retry == Retry::configured;
    return is_failure ? Outcome::failure : Outcome::success;
}

FetchTask::State FetchTask::follow(net::HttpResponse response) {
    leave_hop(Outcome::success);
    auto target = redirect_target(url_, header_value(response.headers, "Location"));
    const bool is_vetoed = target && request_.may_follow && !request_.may_follow(*target);
    if (is_vetoed) return Finished{to_page(std::move(response))};
    if (++redirects_ > shared_->config.max_redirects)
        return failed(
            {ErrorCode::corrupt, fmt::format("more than {} redirects", shared_->config.max_redirects)});
    if (!target) return failed(std::move(target).error());
    // Gone for good: a later hop back to the first origin is no reason to trust it with what another one
    // asked for.
    if (!is_same_origin(url_, *target)) headers_ = headers_without_secrets(headers_);
    if (visited_.empty()) visited_.insert(url_.without_fragment() + "\n");  // The first hop has no cookies.
    url_ = *std::move(target);
    if (!is_new_place()) return failed({ErrorCode::corrupt, "the redirects go in a circle"});
    return enter_hop();
}

std::optional<FetchTask::State> FetchTask::retry(const Attempt& attempt) {
    if (request_.retry == Retry::none) return std::nullopt;
    const double dice = shared_->dice.with(
        [](std::minstd_rand& random) { return std::uniform_real_distribution<double>(0, 1)(random); });
    auto delay = delay_before_retry(shared_->config.retry, attempt, dice);
    if (!delay) {
        leave_hop(outcome_of_status(attempt.status));
        return failed(std::move(delay).error());
    }
    if (!*delay) return std::nullopt;
    const auto due = Clock::now() + **delay;
    const bool is_too_late = due - started_ > shared_->config.patience;
    if (is_too_late || shared_->breaker.is_open(circuit_, Clock::now())) return std::nullopt;
    ++attempt_;
    try_started_ = due;
    return Requesting{.not_before = due};
}

FetchTask::Finished FetchTask::failed(Error error) const {
    const std::string hop = redirects_ > 0 ? fmt::format("redirected to {}: ", shown(url_)) : "";
    return {fail(error.code, fmt::format("cannot fetch {}: {}{}", shown(request_.url), hop, error.message))};
}

Page FetchTask::to_page(net::HttpResponse response) const {
    Page page{.url = request_.url.without_credentials(),
              .final_url = url_.href(),
              .status = response.status,
              .headers = std::move(response.headers),
              .body = std::move(response.body),
              .fetched_at = std::chrono::system_clock::now()};
    page.content_type = header_value(page.headers, "Content-Type");
    return page;
}

void FetchTask::take_cookies(const std::vector<Header>& headers) {
    for (const Header& header : headers)
        if (equals_ignore_case(header.name, "set-cookie")) cookies_.store(url_, header.value, wall_clock());
}

net::HttpRequest FetchTask::next_request(Clock::time_point not_before) const {
    return {.url = url_,
            .headers = next_headers(),
            .policy = request_.policy,
            .limits = next_limits(not_before),
            .wants_body =
                [wants = request_.wants_content](int status, const std::vector<Header>& headers) {
                    if (is_redirect(status, headers)) return false;
                    const bool is_asked = wants && status >= 200 && status < 300;
                    return !is_asked || wants(header_value(headers, "Content-Type"));
                },
            .not_before = not_before,
            .stop = request_.stop};
}

std::vector<Header> FetchTask::next_headers() const {
    std::vector<Header> headers = headers_;
    if (header_value(headers, "Accept").empty())
        headers.push_back({"Accept", std::string(preferred_content)});
    const std::string jar = cookies_.header_for(url_);
    if (jar.empty()) return headers;
    const auto own = std::ranges::find_if(
        headers, [](const Header& header) { return equals_ignore_case(header.name, "cookie"); });
    if (own == headers.end())
        headers.push_back({"Cookie", jar});
    else
        own->value += "; " + jar;
    return headers;
}

net::HttpLimits FetchTask::next_limits(Clock::time_point not_before) const {
    net::HttpLimits limits = request_.limits.value_or(shared_->config.limits);
    const auto start = std::max(Clock::now(), not_before);
    auto left = limits.timeout - std::chrono::duration_cast<milliseconds>(start - try_started_);
    // Whole seconds, where there are any, make a sentence about it readable.
    if (left < limits.timeout && left >= milliseconds(1000))
        left = std::chrono::floor<std::chrono::seconds>(left);
    limits.timeout = std::max(left, milliseconds(1));
    return limits;
}

// The same URL with other cookies is another place: setting one and coming back is how many sites begin.
bool FetchTask::is_new_place() {
    return visited_.insert(url_.without_fragment() + "\n" + cookies_.header_for(url_)).second;
}

Fetcher::Fetcher(net::HttpClient& client, FetchConfig config)
    : shared_(new Shared{.client = client, .config = config, .breaker = CircuitBreaker(config.breaker)}) {}

Fetcher::~Fetcher() = default;

void Fetcher::fetch(FetchRequest request, Callback callback) {
    FetchTask::start(std::make_unique<FetchTask>(shared_, std::move(request), std::move(callback)));
}

Result<Page> Fetcher::fetch(FetchRequest request) {
    std::promise<Result<Page>> promise;
    auto result = promise.get_future();
    // The callback owns the promise: it may still be inside set_value when this function has returned.
    fetch(std::move(request),
          [promise = std::move(promise)](Result<Page> page) mutable { promise.set_value(std::move(page)); });
    return result.get();
}

}  // namespace quarry::fetch
