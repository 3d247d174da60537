// --header and --cookie, as typed, to headers that are safe to send.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/settings/settings.h"
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

// The same for a command of this machine that begins at these URLs: with the Authorization of
// fetch.basic_auth or fetch.bearer_token, unless one was typed. If the URLs are of several origins it is sent
// to none, which is said.
Result<std::vector<Header>> request_headers(const HeaderOptions& options, const app::Settings& settings,
                                            std::span<const std::string> urls);

}  // namespace quarry::cli
