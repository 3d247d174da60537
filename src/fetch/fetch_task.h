// One fetch as an explicit state machine. It lives in the callback of the request that is under way, moves
// from hop to hop and from try to try, and ends with the caller's callback. Internal to the fetcher.
#pragma once

#include <chrono>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/guarded.h"
#include "fetch/cookies.h"
#include "fetch/fetcher.h"

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

}  // namespace quarry::fetch
