#include "crawl/robots.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "crawl/robots_lines.h"

namespace quarry::crawl {

namespace {

constexpr std::size_t max_path_bytes = 8 << 10;

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; });
    return lower;
}

bool is_product_character(char c) {
    return (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

// What we compare: "quarry" of "Quarry/1.0 (+https://…)".
std::string agent_name(std::string_view agent) {
    std::string name = lower_case(agent.substr(0, agent.find('/')));
    name.erase(name.find_last_not_of(" \t") + 1);
    return name;
}

std::optional<std::chrono::milliseconds> parse_delay(std::string_view value) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    const bool whole = error == std::errc() && end == value.data() + value.size();
    if (!whole || !(seconds >= 0)) return std::nullopt;  // NaN is not at least zero either
    const double longest = std::chrono::duration<double>(max_crawl_delay).count();
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(seconds, longest) * 1000));
}

// The first 500 KB, without the line that the limit cuts in two: half a path would forbid more than was
// meant.
std::string_view within_limit(std::string_view text) {
    if (text.size() <= max_robots_bytes) return text;
    const std::size_t last_end = text.substr(0, max_robots_bytes).find_last_of("\r\n");
    return text.substr(0, last_end == std::string_view::npos ? 0 : last_end);
}

}  // namespace

class RobotsBuilder {
public:
    Robots build(std::string_view text) {
        if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
        robots_.truncated_ = text.size() > max_robots_bytes;
        for (const RobotsLine& line : robots_lines(within_limit(text))) add(line);
        return std::move(robots_);
    }

private:
    using Rule = Robots::Rule;

    void add(const RobotsLine& line) {
        switch (line.key) {
            case RobotsKey::user_agent: return add_agent(line.value);
            case RobotsKey::allow: return add_allow(line);
            case RobotsKey::disallow: return add_rule(line, Rule::Kind::disallow, line.value);
            case RobotsKey::sitemap: return add_sitemap(line.value);
            case RobotsKey::crawl_delay: return add_delay(line.value);
        }
    }

    // A group is a run of User-agent lines and the rules behind it. Other lines between the agents do not end
    // the run: the RFC lets no other record interfere.
    void add_agent(std::string_view value) {
        if (robots_.groups_.empty() || saw_rule_) {
            robots_.groups_.emplace_back();
            saw_rule_ = false;
        }
        const bool everyone = value == "*" || value.starts_with("* ") || value.starts_with("*\t");
        const std::string lower = lower_case(value);
        const auto token_end = std::ranges::find_if_not(lower, is_product_character);
        robots_.groups_.back().agents.push_back({
            .token = everyone ? "*" : std::string(lower.begin(), token_end),
            .name = everyone ? "*" : lower.substr(0, lower.find_first_of(" \t/")),
        });
    }

    void add_allow(const RobotsLine& line) {
        add_rule(line, Rule::Kind::allow, line.value);
        // Allowing a folder's index.html allows the folder itself.
        const std::size_t slash = line.value.rfind('/');
        if (slash == std::string_view::npos || !line.value.substr(slash).starts_with("/index.htm")) return;
        add_rule(line, Rule::Kind::allow, std::string(line.value.substr(0, slash + 1)) + '$');
    }

    void add_rule(const RobotsLine& line, Rule::Kind kind, std::string_view pattern) {
        if (robots_.groups_.empty()) return;  // rules for nobody
        saw_rule_ = true;
        if (pattern.empty()) return;  // "Disallow:" forbids nothing
        robots_.groups_.back().rules.push_back(
            {kind, PathPattern(pattern_form(pattern)), line.number, std::string(line.text)});
    }

    void add_sitemap(std::string_view value) {
        if (!value.empty()) robots_.sitemaps_.emplace_back(value);
    }

    // For the agents named so far that have none yet, so that in "a, delay 1, b, delay 2" each has its own.
    void add_delay(std::string_view value) {
        const auto delay = parse_delay(value);
        if (!delay || robots_.groups_.empty()) return;
        for (auto& agent : robots_.groups_.back().agents) {
            if (!agent.crawl_delay) agent.crawl_delay = delay;
        }
    }

    Robots robots_;
    bool saw_rule_ = false;  // behind the last User-agent line, even if it was empty
};

Robots Robots::parse(std::string_view text) {
    return RobotsBuilder().build(text);
}

Robots Robots::from_response(int status, std::string_view body) {
    if (status >= 200 && status < 300) return parse(body);
    Robots robots;
    if (status >= 300 && status < 500 && status != 429) {
        robots.absence_ = fmt::format("there are no rules: robots.txt answered {}", status);
    } else if (status == 0) {
        robots.refusal_ = "nothing is allowed while robots.txt cannot be reached";
    } else {
        robots.refusal_ = fmt::format("nothing is allowed while robots.txt answers {}", status);
    }
    return robots;
}

// All groups that name the agent count as one, wherever they stand. A group that names it twice counts once,
// or many agents and many rules in one group would multiply.
std::vector<Robots::Match> Robots::groups_for(std::string_view agent) const {
    const std::string wanted = agent_name(agent);
    const auto is_everyone = [](const Agent& named) { return named.token == "*"; };
    const auto is_wanted = [&](const Agent& named) {
        return !is_everyone(named) && !wanted.empty() && (named.token == wanted || named.name == wanted);
    };
    std::vector<Match> specific, general;
    for (const Group& group : groups_) {
        if (const auto found = std::ranges::find_if(group.agents, is_wanted); found != group.agents.end()) {
            specific.push_back({&group, &*found});
        }
        if (const auto found = std::ranges::find_if(group.agents, is_everyone); found != group.agents.end()) {
            general.push_back({&group, &*found});
        }
    }
    return specific.empty() ? general : specific;
}

Verdict Robots::decide(const std::vector<Match>& matches, std::string_view path) {
    const Rule* best = nullptr;
    const Agent* agent = nullptr;
    for (const Match& match : matches) {
        for (const Rule& rule : match.group->rules) {
            const std::size_t length = rule.pattern.length();
            const std::size_t to_beat = best == nullptr ? 0 : best->pattern.length();
            const bool better =
                best == nullptr || length > to_beat ||
                (length == to_beat && rule.kind == Rule::Kind::allow && best->kind != rule.kind);
            if (!better || !rule.pattern.matches(path)) continue;
            best = &rule;
            agent = match.agent;
        }
    }
    if (best == nullptr) return {.allowed = true, .rule = "no rule matches"};
    return {best->kind == Rule::Kind::allow, best->text, best->line, agent->name};
}

Verdict Robots::check(std::string_view agent, std::string_view path_and_query) const {
    const std::string path =
        path_form(path_and_query.empty() ? "/" : path_and_query.substr(0, max_path_bytes));
    if (path == "/robots.txt") return {.allowed = true, .rule = "robots.txt itself is always allowed"};
    if (!refusal_.empty()) return {.allowed = false, .rule = refusal_};
    if (!absence_.empty()) return {.allowed = true, .rule = absence_};
    return decide(groups_for(agent), path);
}

Verdict Robots::check(std::string_view agent, const url::Url& url) const {
    std::string target(url.path());
    if (url.query()) (target += '?') += *url.query();
    return check(agent, target);
}

std::optional<std::chrono::milliseconds> Robots::crawl_delay(std::string_view agent) const {
    std::optional<std::chrono::milliseconds> longest;
    for (const Match& match : groups_for(agent)) longest = std::max(longest, match.agent->crawl_delay);
    return longest;
}

}  // namespace quarry::crawl
