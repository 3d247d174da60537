// Cuts robots.txt into its lines and says what each one is.
#include "crawl/robots.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "url/percent.h"

namespace quarry::crawl {

enum class RobotsKey { user_agent, allow, disallow, sitemap, crawl_delay };

struct RobotsLine {
    RobotsKey key{};
    std::string_view value{};  // without comment and outer spaces
    std::string_view text{};   // the whole line without comment and outer spaces
    int number = 0;            // from 1; CR, LF and CRLF each end one line
};

// The lines that have a known key, in order; views into `text`. A line over 16 KB counts as ending there.
std::vector<RobotsLine> robots_lines(std::string_view text);

namespace {

// glibc's memmem takes linear time; std::string_view::find may take quadratic on "aaaa…" and "aaa…b".
const char* find_in(std::string_view text, std::string_view part) {
    return static_cast<const char*>(memmem(text.data(), text.size(), part.data(), part.size()));
}

bool is_unreserved(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

// That may stand for itself, and means something else when it is encoded. '*' and '$' are for rules to say.
bool is_reserved(unsigned char c) {
    constexpr std::string_view reserved = ":/?#[]@!&'()+,;=";
    return reserved.contains(static_cast<char>(c));
}

// The byte that the escape at `at` stands for, or -1.
int byte_of_escape(std::string_view text, std::size_t at) {
    if (text[at] != '%' || at + 2 >= text.size()) return -1;
    const int high = url::hex_digit(text[at + 1]), low = url::hex_digit(text[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

enum class Side { pattern, path };

void append_form(std::string_view text, Side side, std::string& form) {
    constexpr std::string_view data_in_query = ":/?@";
    constexpr std::string_view digits = "0123456789ABCDEF";
    bool in_query = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const int escaped = byte_of_escape(text, at);
        const auto c = static_cast<unsigned char>(escaped < 0 ? text[at] : escaped);
        // Before the query "%2F" separates nothing, so it is not the same as '/'. In it both are data.
        const bool is_kept =
            is_reserved(c) && (escaped < 0 || (in_query && data_in_query.contains(static_cast<char>(c))));
        const bool is_wildcard = side == Side::pattern && c == '*' && escaped < 0;
        // A URL is encoded before anybody asks. One that is not is not taken for what it might mean.
        const bool is_foreign = side == Side::path && c >= 0x80 && escaped < 0;
        if (is_unreserved(c) || is_kept || is_wildcard || is_foreign) {
            form += static_cast<char>(c);
        } else {
            form += '%';
            form += digits[c >> 4];
            form += digits[c & 15];
        }
        in_query = in_query || (c == '?' && escaped < 0);
        if (escaped >= 0) at += 2;
    }
}

}  // namespace

bool PathPattern::matches(std::string_view path) const {
    std::string_view pattern = text_;
    const bool to_the_end = pattern.ends_with('$');
    if (to_the_end) pattern.remove_suffix(1);

    std::size_t star = pattern.find('*');
    const std::string_view prefix = pattern.substr(0, star);
    if (!path.starts_with(prefix)) return false;
    path.remove_prefix(prefix.size());
    if (star == std::string_view::npos) return !to_the_end || path.empty();

    while (true) {
        pattern.remove_prefix(star + 1);
        star = pattern.find('*');
        const bool last = star == std::string_view::npos;
        const std::string_view part = pattern.substr(0, star);
        if (last && to_the_end) return path.ends_with(part);
        const char* found = find_in(path, part);
        if (found == nullptr) return false;
        if (last) return true;
        path.remove_prefix(static_cast<std::size_t>(found - path.data()) + part.size());
    }
}

std::string path_form(std::string_view path) {
    std::string form;
    append_form(path, Side::path, form);
    return form;
}

std::string pattern_form(std::string_view pattern) {
    const bool to_the_end = pattern.ends_with('$');
    if (to_the_end) pattern.remove_suffix(1);
    std::string form;
    append_form(pattern, Side::pattern, form);
    if (to_the_end) form += '$';
    return form;
}

namespace {

constexpr std::string_view white = " \t";
constexpr std::size_t max_line_bytes =
    std::size_t{2083} * 8;  // Google's: eight times the longest URL that browsers once took

std::string_view without_edges(std::string_view text) {
    constexpr std::string_view edges = " \t\v\f";
    const std::size_t start = text.find_first_not_of(edges);
    if (start == std::string_view::npos) return {};
    return text.substr(start, text.find_last_not_of(edges) - start + 1);
}

struct Spelling {
    std::string_view text;
    RobotsKey key;
};

// The names, and the misspellings that Google found often enough to accept. Anything may follow the name.
constexpr Spelling spellings[] = {
    {"user-agent", RobotsKey::user_agent},   {"useragent", RobotsKey::user_agent},
    {"user agent", RobotsKey::user_agent},   {"allow", RobotsKey::allow},
    {"disallow", RobotsKey::disallow},       {"dissallow", RobotsKey::disallow},
    {"dissalow", RobotsKey::disallow},       {"disalow", RobotsKey::disallow},
    {"diasllow", RobotsKey::disallow},       {"disallaw", RobotsKey::disallow},
    {"sitemap", RobotsKey::sitemap},         {"site-map", RobotsKey::sitemap},
    {"crawl-delay", RobotsKey::crawl_delay},
};

std::optional<RobotsKey> key_named(std::string_view name) {
    for (const Spelling& spelling : spellings) {
        if (starts_with_ignore_case(name, spelling.text)) return spelling.key;
    }
    return std::nullopt;
}

// Where the name ends: at the colon, or where that is missing, at a space that has one word on each side.
std::size_t find_separator(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) return colon;
    const std::size_t space = line.find_first_of(white);
    if (space == std::string_view::npos) return space;
    const std::string_view value = without_edges(line.substr(space));
    return value.find_first_of(white) == std::string_view::npos ? space : std::string_view::npos;
}

std::optional<RobotsLine> read_line(std::string_view raw, int number) {
    raw = raw.substr(0, max_line_bytes);
    const std::string_view line = without_edges(raw.substr(0, raw.find('#')));
    const std::size_t separator = find_separator(line);
    if (separator == std::string_view::npos) return std::nullopt;
    const auto key = key_named(without_edges(line.substr(0, separator)));
    if (!key) return std::nullopt;
    return RobotsLine{*key, without_edges(line.substr(separator + 1)), line, number};
}

}  // namespace

std::vector<RobotsLine> robots_lines(std::string_view text) {
    std::vector<RobotsLine> lines;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        if (auto line = read_line(text.substr(0, end), number)) lines.push_back(*line);
        const bool pair = text.substr(end).starts_with("\r\n");
        text.remove_prefix(std::min(text.size(), end + (pair ? 2 : 1)));
    }
    return lines;
}

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
