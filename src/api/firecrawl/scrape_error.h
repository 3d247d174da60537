// Why a page could not be had, as Firecrawl names it.
#pragma once

#include <string_view>

#include "model/frontier.h"

namespace quarry::api {

struct ScrapeError {
    int status = 500;  // of the answer to who waits for the page
    std::string_view code{};
};

// Of a URL that failed, was skipped or cancelled.
ScrapeError scrape_error_of(const FrontierUrl& url);

}  // namespace quarry::api
