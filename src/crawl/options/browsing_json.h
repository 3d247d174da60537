// What a crawl asks of a browser, as JSON. Actions and pictures have Firecrawl's names; what is written is
// read back exactly.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "crawl/options/options.h"
#include "model/page_options.h"

namespace quarry::crawl {

// The names of these options, inside "scrapeOptions".
inline constexpr std::array<std::string_view, 6> browsing_names{"render",   "waitFor", "mobile",
                                                                "blockAds", "actions", "screenshot"};

// Only what differs from the defaults is written.
void write_browsing(const CrawlOptions& options, boost::json::object& out);
Result<void> read_browsing(const boost::json::object& in, CrawlOptions& options);

// "auto", "always" or "never".
Result<Rendering> parse_rendering(std::string_view word);
std::string_view name_of(Rendering rendering);

// [{"type": "click", "selector": "#more"}, …]. The sentence says which action is wrong, and why.
Result<std::vector<Action>> read_actions(const boost::json::value& value);
boost::json::array write_actions(const std::vector<Action>& actions);

// {"fullPage": true, "quality": 80, "viewport": {"width": 1280, "height": 800}}. A picture with a quality is
// a JPEG, others are PNGs, unless "format" says otherwise.
Result<PictureWish> read_picture(const boost::json::object& object);
boost::json::object write_picture(const PictureWish& picture);

// More actions than there may be, waits that are too long, a picture that cannot be taken.
Result<void> check_browsing(const CrawlOptions& options);

}  // namespace quarry::crawl
