// robots.txt: may we fetch this, and by which rule? RFC 9309, and where it is silent, what Google's own
// parser does (a missing colon, frequent misspellings, `index.html` standing for its folder). The pattern
// of an Allow or Disallow line is a path prefix in which '*' stands for anything, and a '$' at the end for
// the path's end.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "url/url.h"

namespace quarry::crawl {

// The patterns of Allow and Disallow lines: a path prefix in which '*' stands for anything, and a '$' at the
// end for the path's end.

class PathPattern {
public:
    explicit PathPattern(std::string text) : text_(std::move(text)) {}

    // Linear in pattern and path, however many stars there are: each part between stars is looked for once,
    // from where the last was found. Taking the first place that fits is enough, since a later one leaves
    // less room.
    bool matches(std::string_view path) const;

    std::size_t length() const { return text_.size(); }  // the longest pattern that matches wins
    bool operator==(const PathPattern&) const = default;

private:
    std::string text_;
};

// The one form in which patterns and paths are compared (RFC 9309, 2.2.2): unreserved characters as they are,
// reserved ones as they were written, everything else as %XX with digits in upper case. So a '*' or '$' of a
// path is "%2A" or "%24", and in a pattern that wants to say it. Doing it twice changes nothing.
std::string pattern_form(std::string_view pattern);
std::string path_form(std::string_view path);

// robots.txt: may we fetch this, and by which rule? RFC 9309, and where it is silent, what Google's own
// parser does (a missing colon, frequent misspellings, `index.html` standing for its folder).

// RFC 9309 asks for at least this much to be read; Google reads exactly this much.
inline constexpr std::size_t max_robots_bytes = 500 << 10;

// A longer Crawl-delay counts as this one: a typing error must not stop a crawl for a day.
inline constexpr std::chrono::milliseconds max_crawl_delay = std::chrono::minutes(5);

struct Verdict {
    bool allowed = true;
    std::string rule{};   // the line that decided, or in words what else did
    int line = 0;         // its number, from 1; 0 if no line decided
    std::string agent{};  // whose group the line is in: "*" or a name, in lower case; "" if no line decided
};

// The rules of one origin. A value: parse once, ask from many threads.
class Robots {
public:
    // Never fails: what cannot be understood is ignored, as the RFC demands. Linear in the input.
    static Robots parse(std::string_view text);

    // The rules that follow from how the server answered to the request for robots.txt:
    // - 2xx: what the body says.
    // - 4xx: everything is allowed. Except 429, which says "not now" and counts as a server error.
    // - 3xx: redirects are the fetcher's to follow, five of them; one that is left over counts as 4xx.
    // - 5xx, or 0 for no answer at all: nothing is allowed.
    static Robots from_response(int status, std::string_view body);

    // Whether `agent` may fetch `path_and_query`, which begins with '/' and is encoded as in a URL. `agent`
    // is a product token such as "quarry"; a version behind a slash is disregarded. The group for the agent
    // decides, else the one for "*"; within it the longest pattern; between equals, Allow.
    //
    // "%7E" and "~" match each other, as RFC 9309 wants (robots_pattern.h). Time is linear in the path for
    // each rule; paths are matched by their first 8 KB.
    Verdict check(std::string_view agent, std::string_view path_and_query) const;
    Verdict check(std::string_view agent, const url::Url& url) const;

    // How long the agent is asked to wait between requests, if it is.
    std::optional<std::chrono::milliseconds> crawl_delay(std::string_view agent) const;

    const std::vector<std::string>& sitemaps() const { return sitemaps_; }  // as written, in order
    bool was_truncated() const { return truncated_; }                       // over max_robots_bytes

private:
    friend class RobotsBuilder;

    struct Rule {
        enum class Kind { allow, disallow } kind;
        PathPattern pattern;
        int line = 0;
        std::string text;
    };
    struct Agent {
        std::string token;  // lower case: the leading letters, '-' and '_', or "*"
        std::string name;   // lower case: up to a space or slash, for agents with digits in their names
        std::optional<std::chrono::milliseconds> crawl_delay{};
    };
    struct Group {
        std::vector<Agent> agents{};
        std::vector<Rule> rules{};
    };
    // One group that speaks to an agent, and the agent it names.
    struct Match {
        const Group* group;
        const Agent* agent;
    };

    std::vector<Match> groups_for(std::string_view agent) const;
    static Verdict decide(const std::vector<Match>& matches, std::string_view path);

    std::vector<Group> groups_;
    std::vector<std::string> sitemaps_;
    std::string refusal_;  // why nothing is allowed; "" if the rules decide
    std::string absence_;  // why everything is allowed; "" if the rules decide
    bool truncated_ = false;
};

}  // namespace quarry::crawl
