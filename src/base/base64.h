// Base64 as RFC 4648 has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry {

std::string encode_base64(std::string_view bytes);

// Nothing if there is a character that does not belong. Padding may be missing.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace quarry
