#include "extract/metadata/robots_directives.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"

namespace quarry::extract {

namespace {

// Longer than any honest list; the rest of a longer one is not read.
constexpr std::size_t max_directives_bytes = 4'096;

void add_directive(std::string_view name, RobotsDirectives& directives) {
    if (name == "noindex" || name == "none") directives.noindex = true;
    if (name == "nofollow" || name == "none") directives.nofollow = true;
    if (name == "noarchive" || name == "nocache") directives.noarchive = true;
    if (name == "nosnippet") directives.nosnippet = true;
}

// Directives that have a value after a colon, where an agent's name would have directives.
bool takes_value(std::string_view name) {
    static constexpr std::array names{std::string_view{"unavailable_after"}, std::string_view{"max-snippet"},
                                      std::string_view{"max-image-preview"},
                                      std::string_view{"max-video-preview"}};
    return std::ranges::find(names, name) != names.end();
}

// Calls `visit` with each part between commas, trimmed.
template <typename Visit>
void for_each_part(std::string_view list, Visit visit) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        visit(trimmed(list.substr(0, comma)));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

// People separate directives with blanks too.
void add_directives(std::string_view part, RobotsDirectives& directives) {
    while (!part.empty()) {
        const std::size_t blank = std::min(part.find(' '), part.size());
        add_directive(part.substr(0, blank), directives);
        part.remove_prefix(std::min(blank + 1, part.size()));
    }
}

void add_robots_header(std::string_view value, RobotsDirectives& directives) {
    bool is_for_us = true;
    const std::string lower = lower_case(value.substr(0, max_directives_bytes));
    for_each_part(lower, [&](std::string_view part) {
        if (const std::size_t colon = part.find(':'); colon != std::string_view::npos) {
            const std::string_view name = trimmed(part.substr(0, colon));
            if (takes_value(name)) return;
            is_for_us = name == "*" || name == "robots" || name == "quarry";
            part = trimmed(part.substr(colon + 1));
        }
        if (is_for_us) add_directives(part, directives);
    });
}

}  // namespace

void add_robots_meta(std::string_view content, RobotsDirectives& directives) {
    const std::string lower = lower_case(content.substr(0, max_directives_bytes));
    for_each_part(lower, [&](std::string_view part) { add_directives(part, directives); });
}

void add_robots_headers(const std::vector<Header>& headers, RobotsDirectives& directives) {
    for (const Header& header : headers) {
        if (lower_case(header.name) == "x-robots-tag") add_robots_header(header.value, directives);
    }
}

}  // namespace quarry::extract
