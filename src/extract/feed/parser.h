// RSS (0.9x, 1.0, 2.0) and Atom feeds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace quarry::extract {

struct FeedItem {
    std::string title{};  // one line of text
    std::string url{};    // as written
    std::string author{};
    std::string published{};  // as written
    std::string content{};    // HTML; the full text where the feed has it, else the summary
};

struct Feed {
    std::string title{};
    std::string url{};          // of the site it belongs to, as written
    std::string description{};  // one line of text
    std::string language{};
    std::string updated{};  // as written
    std::vector<FeedItem> items{};
    bool is_cut = false;  // the feed is broken or beyond the bounds: what came before that is here
};

// Reads a feed of any of the formats. Fails with `corrupt` only if not even a title or an item could be read.
Result<Feed> parse_feed(std::string_view bytes);

}  // namespace quarry::extract
