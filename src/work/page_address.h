// Addresses of pages as people type them.
#pragma once

#include <string_view>

#include "base/result.h"
#include "url/url.h"

namespace quarry::work {

// Reads an http(s) URL; "example.com/x" and "localhost:8080" mean http://. Fails with `invalid_argument`:
// "Invalid URL …" or that the scheme is not one quarry fetches.
Result<url::Url> parse_page_address(std::string_view text);

}  // namespace quarry::work
