// A page at rest: a narrow row about it, its words, which are compressed and kept apart, and the pictures and
// files that were made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/frontier.h"
#include "model/ids.h"

namespace quarry {

// The words of a page, compressed (zstd) by the thread that made them, so that the writer need not do that.
struct PackedContent {
    std::string markdown{};
    std::string details{};  // JSON: metadata, links, headers that matter, warning
    std::string html{};     // cleaned or raw, if the crawl asked for it; else ""
    std::string media{};    // pictures of it (Media), which compress no further; else ""
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

// Pictures and files that were made of a page, kept beside its words.

struct Media {
    std::string token{};  // 32 random hexadecimal digits: a client that knows them may see it
    std::string type{};   // "image/png"
    std::string bytes{};
};

// The limit for all of them together, per page.
inline constexpr std::size_t most_media_bytes = std::size_t{64} << 20;

std::string new_media_token();

// Packs all of them into one piece of bytes, and finds one of them there. Nothing if it is not there, or if
// the bytes are damaged.
std::string pack_media(const std::vector<Media>& media);
std::optional<Media> find_media(std::string_view packed, std::string_view token);

// The name under which a piece is served. Which version of which page has it is hidden in the name. The token
// proves that the name was not guessed.
std::string media_name(ContentId version, std::string_view token);
struct MediaPlace {
    ContentId version{};
    std::string token{};
};
std::optional<MediaPlace> parse_media_name(std::string_view name);

}  // namespace quarry
