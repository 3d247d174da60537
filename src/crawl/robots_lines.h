// Cuts robots.txt into its lines and says what each one is.
#pragma once

#include <string_view>
#include <vector>

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

}  // namespace quarry::crawl
