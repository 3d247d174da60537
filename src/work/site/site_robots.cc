#include "work/site/site_robots.h"

#include <fmt/format.h>

namespace quarry::work {

namespace {

// Whoever sends 100 MB of rules is read as far as everybody else reads them.
net::HttpLimits robots_limits(net::HttpLimits limits) {
    limits.body_bytes = crawl::max_robots_bytes;
    limits.when_too_large = net::WhenTooLarge::truncate;
    return limits;
}

}  // namespace

Result<void> SiteRobots::check(const url::Url& url) {
    const Answer& known = answer(url);
    if (known.error) return std::unexpected(*known.error);
    const crawl::Verdict verdict = known.robots.check(access_.agent, url);
    if (verdict.allowed) return {};
    return fail(ErrorCode::refused,
                fmt::format("robots.txt forbids {}: {}", url.without_credentials(), verdict.rule));
}

const SiteRobots::Answer& SiteRobots::answer(const url::Url& url) {
    const std::string origin = url.origin();
    if (const auto known = by_origin_.find(origin); known != by_origin_.end()) return known->second;
    const auto address = url::Url::parse("/robots.txt", &url);
    // Any status is an answer that the rules follow from, so it is not turned into an error here.
    auto page = access_.fetcher.fetch(access_.request(address.value_or(url), robots_limits(access_.limits)));
    Answer found = page ? Answer{crawl::Robots::from_response(page->status, page->body)}
                        : Answer{crawl::Robots::from_response(0, {}), std::move(page).error()};
    return by_origin_.emplace(origin, std::move(found)).first->second;
}

}  // namespace quarry::work
