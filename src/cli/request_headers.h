// --header and --cookie, as typed, to headers that are safe to send.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parser.h"
#include "model/page.h"

namespace quarry::cli {

struct HeaderOptions {
    std::vector<std::string> headers{};  // "Name: value"
    std::vector<std::string> cookies{};  // "name=value"
};

// Adds the flags; `options` must outlive the parser.
void add_header_options(Parser& parser, HeaderOptions& options);

// Fails with `invalid_argument` on a header without a colon or one that could smuggle in another.
Result<std::vector<Header>> request_headers(const HeaderOptions& options);

}  // namespace quarry::cli
