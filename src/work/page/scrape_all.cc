#include <unordered_set>

#include "url/canonical.h"
#include "url/page_address.h"
#include "work/in_order.h"
#include "work/page/scrape.h"

namespace quarry::work {

namespace {

// One entry per page, in order. What is no URL stays, to be reported.
std::vector<std::string> distinct_pages(std::span<const std::string> urls) {
    std::vector<std::string> pages;
    std::unordered_set<std::string> known;
    for (const std::string& text : urls) {
        const auto url = url::parse_page_address(text);
        if (known.insert(url ? url::canonical(*url) : text).second) pages.push_back(text);
    }
    return pages;
}

}  // namespace

void Scraper::scrape_all(std::span<const std::string> urls, const std::function<void(ScrapeRecord)>& deliver,
                         std::stop_token stop) const {
    const std::vector<std::string> pages = distinct_pages(urls);
    run_in_order(
        pages.size(), options_.concurrency, [&](std::size_t index) { return scrape(pages[index], stop); },
        [&](ScrapeRecord record) {
            deliver(std::move(record));
            return true;
        },
        stop);
}

std::size_t Scraper::count_pages(std::span<const std::string> urls) {
    return distinct_pages(urls).size();
}

}  // namespace quarry::work
