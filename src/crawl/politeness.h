// How often requests may be sent to one host. HostPace is for one visitor: a paused host has its own clock
// and never delays another host. SharedPace is for several crawls of several owners. What the host asks for
// (robots.txt, 429, Retry-After) and what it can bear hold for all of them. What a crawl asks for (a delay, a
// number of connections) and the trouble to connect to its pages concern that crawl alone. Both are state
// machines without a clock: the caller passes the time. Both are used by one thread at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "crawl/options/options.h"
#include "model/frontier.h"
#include "model/ids.h"

namespace quarry::crawl {

// What a host and the crawls that visit it ask for. A delay runs from the start of one request to the start
// of the next. With any delay, requests go one at a time.
struct PaceRules {
    int connections = 8;                       // at once, if there is no delay
    std::chrono::milliseconds delay{0};        // asked for by crawls
    std::chrono::milliseconds crawl_delay{0};  // asked for by the host, in its robots.txt

    std::chrono::milliseconds longest_delay() const { return std::max(delay, crawl_delay); }
    friend bool operator==(const PaceRules&, const PaceRules&) = default;
};

// Made from a crawl's options and from the host's robots.txt, unless the crawl ignores robots.txt.
// max_concurrency is the number of connections, even if it is more than the usual 8.
PaceRules pace_rules(const CrawlOptions& options, std::optional<std::chrono::milliseconds> crawl_delay);

// For a host that two crawls visit: the longer delays, and the larger number of connections.
PaceRules joined(const PaceRules& one, const PaceRules& other);

// How a request ended.
struct Observation {
    enum class Failure : std::uint8_t { none, timeout, connection };

    int status = 0;                                          // HTTP; 0 if nothing answered
    std::chrono::milliseconds latency{0};                    // from its start to its end
    std::optional<std::chrono::milliseconds> retry_after{};  // as the server asked, from now on
    Failure failure = Failure::none;
};

// Adapts to what a host can bear, as TCP adapts to a network. The number of connections is halved when the
// host says stop (429, 503), cannot be reached or times out. It drops by one when the host becomes slow, and
// grows by one after a run of good answers. It is never less than one. Requests that were under way when a
// host first complained tell nothing new and do not count again. Used by one thread at a time.
class HostPace {
public:
    explicit HostPace(const PaceRules& rules = {}) { set_rules(rules); }

    // Called when robots.txt was read, or when a crawl of the host began or ended. What was learnt stays.
    void set_rules(const PaceRules& rules);

    bool may_start(Timestamp now) const;

    // When the next request may start if none ends before then; nothing if one has to end first.
    std::optional<Timestamp> next_start(Timestamp now) const;

    // The same for one request more than are allowed at once.
    Timestamp next_start_beyond(Timestamp now) const;

    void started(Timestamp now);
    void ended(Timestamp now, const Observation& observation);

    int running() const { return running_; }
    int allowed() const;  // connections at once, at present

    // What should outlive this process: what the host asked for, not what its visitors did. restore() is the
    // way back. It never resumes a pause for longer than an hour from now, whatever was stored.
    HostRule to_rule(std::string host) const;
    void restore(const HostRule& rule, Timestamp now);

private:
    void slow_down(Timestamp now, const Observation& observation, int connections);
    void pause(Timestamp now, const Observation& observation);
    void watch_latency(Timestamp now, const Observation& observation);
    void speed_up();

    PaceRules rules_;
    int limit_ = 0;    // learnt; from 1 to rules_.connections
    int running_ = 0;  //
    int good_in_a_row_ = 0;
    int strikes_ = 0;  // pauses in a row without an answer between: each is twice as long
    Timestamp last_start_{}, not_before_{}, slowed_at_{};
    double usual_ms_ = 0, best_ms_ = 0;  // latency: moving average, and the lowest it was; 0: not known yet
};

// The pace of one host that several crawls of several owners visit. No crawl delays another.
class SharedPace {
public:
    // Takes what a crawl asks for, and the robots.txt of the host. Joined with what the crawl asked for
    // before.
    void obey(GroupId crawl, const std::string& owner, const PaceRules& rules);
    // A crawl that has ended delays no other crawl.
    void forget(GroupId crawl);

    bool may_start(GroupId crawl, Timestamp now) const;
    // When the crawl's next request may start if none ends before then; nothing if one has to end first.
    std::optional<Timestamp> next_start(GroupId crawl, Timestamp now) const;

    void started(GroupId crawl, Timestamp now);
    void ended(GroupId crawl, Timestamp now, const Observation& observation);

    bool has_crawl_delay() const { return rules_.crawl_delay.count() > 0; }
    // True if nothing is under way and nothing has to be remembered: a new crawl could start at once.
    bool is_at_rest(Timestamp now) const;

    // Concerns the host: what outlives this process, as in HostPace.
    HostRule to_rule(std::string host) const { return host_.to_rule(std::move(host)); }
    void restore(const HostRule& rule, Timestamp now) { host_.restore(rule, now); }

private:
    struct Visitor {
        std::string owner{};
        PaceRules wish{};
        HostPace pace{};
        int running = 0;
    };

    void join_wishes();
    void count_down(const std::string& owner, int requests);

    PaceRules rules_;  // of all
    HostPace host_;
    std::map<GroupId, Visitor> visitors_;
    std::map<std::string, int> running_;  // requests, by owner
};

}  // namespace quarry::crawl
