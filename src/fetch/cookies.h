// The cookies of one fetch: servers that set one and redirect expect it back on the next hop. Nothing is
// kept between fetches. A Set-Cookie header is read as RFC 6265bis says (section 5.6).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "url/url.h"

namespace quarry::fetch {

// One Set-Cookie header, read as RFC 6265bis says (section 5.6).

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

// The cookies of one fetch: servers that set one and redirect expect it back on the next hop. Nothing is kept
// between fetches.

class CookieJar {
public:
    // Takes a Set-Cookie header of an answer from `url`, if the rules allow it: the domain must hold the host
    // and not be a public suffix, Secure needs https, prefixed names need what they promise.
    void store(const url::Url& url, std::string_view set_cookie, std::chrono::sys_seconds now);

    // The value of the Cookie header for `url`; "" if none is due.
    std::string header_for(const url::Url& url) const;

private:
    struct Cookie {
        std::string name{};
        std::string value{};
        std::string domain{};
        std::string path{};
        bool is_host_only = true;
        bool is_secure = false;
    };

    static bool is_due(const Cookie& cookie, const url::Url& url);

    std::vector<Cookie> cookies_;  // in the order they came
};

}  // namespace quarry::fetch
