#include "crawl/politeness.h"

#include <algorithm>

namespace quarry::crawl {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds shortest_pause = 1s, longest_pause = 60s;
// A server may ask for more. A crawl that waits a day for one host is as good as stopped, and asking once an
// hour hurts nobody.
constexpr std::chrono::milliseconds longest_retry_after = 1h;
constexpr int good_answers_to_speed_up = 10;

constexpr double weight_of_new = 0.2;  // in the moving average
constexpr double forgetting = 0.002;   // how fast the best latency gives way to the usual one
constexpr double slow_factor = 4, slow_ms = 1'000;

bool says_stop(const Observation& observation) {
    return observation.status == 429 || observation.status == 503;
}

bool is_good(const Observation& observation) {
    return observation.failure == Observation::Failure::none && observation.status > 0 &&
           observation.status < 500 && observation.status != 429;
}

}  // namespace

PaceRules pace_rules(const CrawlOptions& options, std::optional<std::chrono::milliseconds> crawl_delay) {
    PaceRules rules;
    rules.delay = options.delay;
    if (crawl_delay && !options.ignore_robots) rules.crawl_delay = *crawl_delay;
    if (options.max_concurrency) rules.connections = std::max(1, *options.max_concurrency);
    return rules;
}

PaceRules joined(const PaceRules& one, const PaceRules& other) {
    return {.connections = std::max(one.connections, other.connections),
            .delay = std::max(one.delay, other.delay),
            .crawl_delay = std::max(one.crawl_delay, other.crawl_delay)};
}

void HostPace::set_rules(const PaceRules& rules) {
    // A host that was never slowed down has the whole of what it is given; one that was keeps what it earned.
    const bool unslowed = limit_ >= rules_.connections || limit_ == 0;
    rules_ = rules;
    rules_.connections = std::max(1, rules.connections);
    limit_ = unslowed ? rules_.connections : std::min(limit_, rules_.connections);
}

int HostPace::allowed() const {
    return rules_.longest_delay() > 0ms ? 1 : limit_;
}

bool HostPace::may_start(Timestamp now) const {
    const auto next = next_start(now);
    return next && *next <= now;
}

std::optional<Timestamp> HostPace::next_start(Timestamp now) const {
    if (running_ >= allowed()) return std::nullopt;
    return next_start_beyond(now);
}

Timestamp HostPace::next_start_beyond(Timestamp now) const {
    Timestamp next = std::max(now, not_before_);
    if (rules_.longest_delay() > 0ms) next = std::max(next, last_start_ + rules_.longest_delay());
    return next;
}

void HostPace::started(Timestamp now) {
    ++running_;
    last_start_ = now;
}

void HostPace::ended(Timestamp now, const Observation& observation) {
    running_ = std::max(0, running_ - 1);
    if (is_good(observation)) {
        strikes_ = 0;
        ++good_in_a_row_;
        watch_latency(now, observation);
        speed_up();
        return;
    }
    good_in_a_row_ = 0;
    const bool unreachable = observation.failure == Observation::Failure::connection;
    if (says_stop(observation) || unreachable) pause(now, observation);
    if (says_stop(observation) || observation.failure != Observation::Failure::none)
        slow_down(now, observation, limit_ / 2);
}

void HostPace::slow_down(Timestamp now, const Observation& observation, int connections) {
    if (now - observation.latency < slowed_at_) return;  // began before: it met the same trouble
    limit_ = std::max(1, connections);
    slowed_at_ = now;
    good_in_a_row_ = 0;
}

void HostPace::pause(Timestamp now, const Observation& observation) {
    if (observation.retry_after) {
        not_before_ =
            std::max(not_before_, now + std::clamp(*observation.retry_after, 0ms, longest_retry_after));
        return;
    }
    if (now - observation.latency < slowed_at_) return;
    const auto length = std::min(longest_pause, shortest_pause * (1 << std::min(strikes_, 6)));
    ++strikes_;
    not_before_ = std::max(not_before_, now + length);
}

void HostPace::watch_latency(Timestamp now, const Observation& observation) {
    const double latency = std::max(1.0, static_cast<double>(observation.latency.count()));
    usual_ms_ = usual_ms_ == 0 ? latency : usual_ms_ + (latency - usual_ms_) * weight_of_new;
    best_ms_ =
        best_ms_ == 0 ? usual_ms_ : std::min(usual_ms_, best_ms_ + (usual_ms_ - best_ms_) * forgetting);
    if (usual_ms_ > slow_ms && usual_ms_ > best_ms_ * slow_factor) slow_down(now, observation, limit_ - 1);
}

void HostPace::speed_up() {
    if (good_in_a_row_ < good_answers_to_speed_up || limit_ >= rules_.connections) return;
    ++limit_;
    good_in_a_row_ = 0;
}

HostRule HostPace::to_rule(std::string host) const {
    HostRule rule{.host = std::move(host), .connections = limit_, .delay = rules_.crawl_delay};
    if (not_before_ > Timestamp{}) rule.not_before = not_before_;
    return rule;
}

void HostPace::restore(const HostRule& rule, Timestamp now) {
    rules_.crawl_delay = std::max(rules_.crawl_delay, rule.delay);
    limit_ = std::clamp(rule.connections, 1, rules_.connections);
    if (rule.not_before) not_before_ = std::min(*rule.not_before, now + longest_retry_after);
}

void SharedPace::obey(GroupId crawl, const std::string& owner, const PaceRules& rules) {
    const auto [found, is_new] = visitors_.try_emplace(crawl);
    Visitor& visitor = found->second;
    visitor.owner = owner;
    visitor.wish = is_new ? rules : joined(visitor.wish, rules);
    visitor.pace.set_rules({.connections = visitor.wish.connections, .delay = visitor.wish.delay});
    join_wishes();
}

void SharedPace::forget(GroupId crawl) {
    const auto found = visitors_.find(crawl);
    if (found == visitors_.end()) return;
    count_down(found->second.owner, found->second.running);
    visitors_.erase(found);
    join_wishes();
}

void SharedPace::count_down(const std::string& owner, int requests) {
    const auto found = running_.find(owner);
    if (found == running_.end() || requests == 0) return;
    found->second -= requests;
    if (found->second <= 0) running_.erase(found);
}

void SharedPace::join_wishes() {
    if (visitors_.empty()) return;
    PaceRules rules{.connections = 1};
    for (const auto& [id, visitor] : visitors_) rules = joined(rules, visitor.wish);
    rules.delay = {};
    if (rules == rules_) return;
    rules_ = rules;
    host_.set_rules(rules);
}

bool SharedPace::may_start(GroupId crawl, Timestamp now) const {
    const auto next = next_start(crawl, now);
    return next && *next <= now;
}

std::optional<Timestamp> SharedPace::next_start(GroupId crawl, Timestamp now) const {
    const auto found = visitors_.find(crawl);
    if (found == visitors_.end()) return host_.next_start(now);
    const Visitor& visitor = found->second;
    const auto own = visitor.pace.next_start(now);
    // Connections that others' requests keep busy are no reason for an owner to have none.
    const auto of_host = running_.contains(visitor.owner) ? host_.next_start(now)
                                                          : std::optional(host_.next_start_beyond(now));
    if (!own || !of_host) return std::nullopt;
    return std::max(*own, *of_host);
}

void SharedPace::started(GroupId crawl, Timestamp now) {
    host_.started(now);
    const auto found = visitors_.find(crawl);
    if (found == visitors_.end()) return;
    found->second.pace.started(now);
    ++found->second.running;
    ++running_[found->second.owner];
}

void SharedPace::ended(GroupId crawl, Timestamp now, const Observation& observation) {
    // A page that cannot be connected to tells all that the host is in trouble, and only its own crawl to
    // stay away: it may be a page that nobody else asks for.
    Observation for_all = observation;
    if (observation.failure == Observation::Failure::connection)
        for_all.failure = Observation::Failure::timeout;
    host_.ended(now, for_all);
    const auto found = visitors_.find(crawl);
    if (found == visitors_.end()) return;
    found->second.pace.ended(now, observation);
    if (found->second.running == 0) return;
    --found->second.running;
    count_down(found->second.owner, 1);
}

bool SharedPace::is_at_rest(Timestamp now) const {
    if (host_.running() > 0 || !host_.may_start(now)) return false;
    return std::ranges::all_of(visitors_,
                               [&](const auto& entry) { return entry.second.pace.may_start(now); });
}

}  // namespace quarry::crawl
