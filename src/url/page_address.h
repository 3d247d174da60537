// Addresses of pages as people type them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "url/url.h"

namespace quarry::url {

// Reads an http(s) URL; "example.com/x" and "localhost:8080" mean http://. A name without a dot is a host
// only if a scheme or a port stands beside it. Fails with `invalid_argument`: "Invalid URL …".
Result<Url> parse_page_address(std::string_view text);

// The URL as it may be shown and stored: without user name and password. What is no URL stays, but for what
// stands where those would be.
std::string without_secrets(std::string_view address);

}  // namespace quarry::url
