// What a server answered for one URL at one time.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace quarry {

struct Header {
    std::string name{};
    std::string value{};
};

struct Page {
    std::string url{};        // as asked for, normalised
    std::string final_url{};  // after redirects; equals url without any
    int status = 0;
    std::vector<Header> headers{};  // of the last answer, in order
    std::string content_type{};     // the Content-Type header as sent; may be empty
    std::string body{};             // decoded (gzip, br, zstd removed), not yet converted to UTF-8
    std::chrono::system_clock::time_point fetched_at{};
};

// The first header of that name, compared without case; "" if there is none.
std::string_view header_value(const std::vector<Header>& headers, std::string_view name);

}  // namespace quarry
