// Pictures and files that were made of a page, kept beside its words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_ids.h"

namespace quarry {

struct Media {
    std::string token{};  // 32 random hexadecimal digits: whoever knows them may see it
    std::string type{};   // "image/png"
    std::string bytes{};
};

// All that is kept of one page.
inline constexpr std::size_t most_media_bytes = std::size_t{64} << 20;

std::string new_media_token();

// One piece of bytes for all of them, and one of them back. Nothing if it is not there, or the bytes are
// damaged.
std::string pack_media(const std::vector<Media>& media);
std::optional<Media> find_media(std::string_view packed, std::string_view token);

// The name under which it is served: which version of which page has it is hidden in it, and the token proves
// that the name was not guessed.
std::string media_name(ContentId version, std::string_view token);
struct MediaPlace {
    ContentId version{};
    std::string token{};
};
std::optional<MediaPlace> parse_media_name(std::string_view name);

}  // namespace quarry
