// A page at rest: a narrow row about it, and its words, compressed, apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/base_clock.h"
#include "model/frontier.h"
#include "model/model_ids.h"

namespace quarry {

// The words of a page, compressed (zstd) by whoever made them, so that the writer need not.
struct PackedContent {
    std::string markdown{};
    std::string details{};  // JSON: metadata, links, headers that matter, warning
    std::string html{};     // cleaned or raw, if the crawl asked for it; else ""
    std::string media{};    // pictures of it (model/media.h), which compress no further; else ""
};

// The same, unpacked, without the media: those are read on their own (Reader::media).
struct Content {
    std::string markdown{};
    std::string details{};
    std::string html{};
};

// What a server said about a page, without its words.
struct PageFacts {
    std::string url{};
    std::string final_url{};
    int status = 0;
    std::string etag{};
    std::string last_modified{};
    std::string content_type{};
    std::string title{};
    std::string language{};
    std::uint64_t content_hash = 0;  // of the words; equal means unchanged
    std::uint64_t simhash = 0;
    std::int64_t body_bytes = 0;  // as fetched
    Timestamp fetched_at{};
};

// What the store knows of a URL from an earlier crawl into the same collection.
struct FormerPage {
    PageId page{};
    ContentId content{};
    std::string etag{};
    std::string last_modified{};
    std::uint64_t content_hash = 0;
};

// A new version of a page, or the news that it has not changed.
struct PageWrite {
    UrlKey key{};
    PageFacts facts{};
    std::optional<PackedContent> content{};  // nothing: unchanged, the former words stay
    std::optional<UrlKey> near_duplicate_of{};
};

struct StoredPage {
    PageId id{};
    ContentId content_id{};
    UrlKey key{};
    std::string collection{};
    PageFacts facts{};
    Timestamp changed_at{};
    std::string near_duplicate_of{};   // its URL; "" if none
    std::optional<Content> content{};  // when asked for
};

}  // namespace quarry
