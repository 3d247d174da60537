#include "crawl/robots_lines.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"

namespace quarry::crawl {

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
        if (starts_with_ignoring_case(name, spelling.text)) return spelling.key;
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

}  // namespace quarry::crawl
