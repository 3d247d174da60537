// The cookies of one fetch: servers that set one and redirect expect it back on the next hop. Nothing is kept
// between fetches.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "url/url.h"

namespace quarry::fetch {

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
