#include "crawl/shared_pace.h"

#include <algorithm>

namespace quarry::crawl {

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
