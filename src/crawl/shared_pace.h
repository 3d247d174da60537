// How often one host may be asked, when several crawls of several owners visit it. What the host itself asks
// for (robots.txt, 429, Retry-After) and what it can bear hold for all of them together. What a crawl asks
// for, a delay or a number of connections, is that crawl's own, and so is the trouble that its pages have to
// be connected to: no crawl holds up another. Time is handed in. Used by one thread at a time.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/base_clock.h"
#include "crawl/politeness.h"
#include "model/frontier.h"
#include "model/model_ids.h"

namespace quarry::crawl {

class SharedPace {
public:
    // What a crawl asks for, and the host's robots.txt of it; joined with what was said of it before.
    void obey(GroupId crawl, const std::string& owner, const PaceRules& rules);
    // A crawl that is over slows nobody down.
    void forget(GroupId crawl);

    bool may_start(GroupId crawl, Timestamp now) const;
    // When the crawl's next request may start if none ends before; nothing if one has to end first.
    std::optional<Timestamp> next_start(GroupId crawl, Timestamp now) const;

    void started(GroupId crawl, Timestamp now);
    void ended(GroupId crawl, Timestamp now, const Observation& observation);

    bool has_crawl_delay() const { return rules_.crawl_delay.count() > 0; }
    // Nothing is under way, and nothing has to be remembered: whoever came now could start.
    bool is_at_rest(Timestamp now) const;

    // Of the host: what outlives this process, as HostPace has it.
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
