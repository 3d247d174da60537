// The options of a crawl whose JSON is not simply a value: lists of formats, headers and attributes, and
// what a crawl asks of a browser. Each can be read as clients write it; actions and pictures have
// Firecrawl's names. What is written is read back exactly.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "crawl/options/options.h"
#include "model/page.h"
#include "model/page_options.h"

namespace quarry::crawl {

// The options whose JSON is not simply a value: lists of formats, headers and attributes. Each can be read as
// clients write it, and what is written is read back exactly.

// `"limit" must be a whole number, not "many"`.
std::unexpected<Error> wrong_kind(const boost::json::value& value, std::string_view name,
                                  std::string_view wanted);

// Takes the passwords out of all texts in it that are URLs, for showing.
void hide_url_secrets(boost::json::value& value);

Result<std::vector<std::string>> read_texts(const boost::json::value& value, std::string_view name);

// ["markdown", {"type": "links"}]: only what is named is wanted. An empty list wants nothing.
Result<Formats> read_formats(const boost::json::value& value);
boost::json::array write_formats(const Formats& formats);

// {"Accept-Language": "de"}. An object cannot say the same name twice; then, and only then, headers are
// written as [{"name": …, "value": …}], which is read as well.
Result<std::vector<Header>> read_headers(const boost::json::value& value);
boost::json::value write_headers(const std::vector<Header>& headers);

// [{"selector": "a", "attribute": "href"}]
Result<std::vector<AttributeWish>> read_attributes(const boost::json::value& value);
boost::json::array write_attributes(const std::vector<AttributeWish>& attributes);

// {"json": {"schema": …, "prompt": …}, "summary": true, "question": …, "highlights": …}
Result<DataWish> read_data(const boost::json::value& value);
boost::json::object write_data(const DataWish& data);

// What a crawl asks of a browser, as JSON. Actions and pictures have Firecrawl's names; what is written is
// read back exactly.

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
