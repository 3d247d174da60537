// One Set-Cookie header, read as RFC 6265bis says (section 5.6).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::fetch {

struct SetCookie {
    std::string name{};
    std::string value{};
    std::string domain{};  // lower case, without a leading dot; "" if not given
    std::string path{};    // "" if not given or not absolute
    bool is_secure = false;
    std::optional<std::chrono::sys_seconds> expires{};
    std::optional<std::chrono::seconds> max_age{};  // wins over expires
};

// Nothing if the header is to be ignored: no name, control characters, or over 4096 bytes.
std::optional<SetCookie> parse_set_cookie(std::string_view header);

}  // namespace quarry::fetch
