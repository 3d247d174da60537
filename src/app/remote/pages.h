// Pages and sites as a server fetches them: `scrape` and `map` over its Firecrawl routes.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/remote/api.h"
#include "base/result.h"
#include "extract/extract.h"
#include "model/page.h"
#include "work/page/scrape.h"
#include "work/site/map_site.h"

namespace quarry::app {

struct RemoteScrape {
    extract::ExtractOptions extract{};
    std::vector<Header> headers{};
    Rendering rendering = Rendering::never;
    std::chrono::milliseconds timeout{60'000};
    int concurrency = 5;
};

// What the server cannot do for a scrape, in a sentence; nothing if it can do all of it.
Result<void> check(const RemoteScrape& options);

// As work::Scraper::scrape_all: one record for each URL, in their order, on the calling thread.
void scrape_remotely(RemoteApi& api, std::span<const std::string> urls, const RemoteScrape& options,
                     const std::function<void(work::ScrapeRecord)>& deliver, std::stop_token stop);

// The record that the answer of POST /v2/scrape makes.
work::ScrapeRecord read_scrape_answer(const std::string& url, const Result<boost::json::value>& answer);

// Fails as the server does; `unsupported` for what it cannot be asked.
Result<work::SiteMap> map_remotely(RemoteApi& api, const std::string& url, const work::MapOptions& options);

}  // namespace quarry::app
