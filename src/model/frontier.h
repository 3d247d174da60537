// URLs discovered but not yet fetched, and what became of them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "model/ids.h"

namespace quarry {

// 128 bits of a canonical URL: within a crawl, the same key means the same page.
struct UrlKey {
    std::uint64_t high = 0, low = 0;
    friend bool operator==(const UrlKey&, const UrlKey&) = default;
    friend auto operator<=>(const UrlKey&, const UrlKey&) = default;
};

enum class UrlSource : std::uint8_t { seed, link, sitemap, redirect, former };  // former: in an earlier crawl

struct FoundUrl {
    std::string url{};   // what will be asked for
    UrlKey key{};        // of its canonical form under the crawl's rules
    std::string host{};  // "docs.example.com:8080": what politeness is kept for
    int depth = 0;
    int redirects = 0;  // that led here, so that a chain has an end
    UrlSource source = UrlSource::link;
    int priority = 0;  // within the crawl: the smaller first
};

// How a host wants to be treated; obeyed from then on, by every crawl and after a restart.
struct HostRule {
    std::string host{};
    int connections = 8;
    std::chrono::milliseconds delay{0};
    std::optional<Timestamp> not_before{};  // Retry-After
};

// Why a URL gave no page though nothing failed.
enum class SkipReason : std::uint8_t {
    none,
    robots,      // robots.txt forbids it
    noindex,     // the page asks not to be kept
    redirect,    // it leads to another URL, which has an entry of its own, or lies outside of the scope
    canonical,   // it says it is another page, which has an entry of its own
    not_a_page,  // an image, an archive: nothing to read
    outside,     // found to be outside the scope only when it was fetched
    limit,       // the crawl ended before its turn came
    empty,       // the page has no text
    listing,     // a sitemap: the pages that it lists have entries of their own
};

std::string_view name_of(SkipReason reason);
std::string_view name_of(UrlSource source);

// A row of the frontier as people see it.
enum class UrlState : std::uint8_t { queued, running, completed, failed, skipped, cancelled };

std::string_view name_of(UrlState state);

struct FrontierUrl {
    JobId id{};
    GroupId group{};
    std::string url{};
    std::string final_url{};  // set if it is another one
    int depth = 0;
    UrlSource source = UrlSource::link;
    UrlState state = UrlState::queued;
    SkipReason skipped = SkipReason::none;
    int status = 0;  // HTTP; 0 if nothing answered yet
    int attempts = 0, stalls = 0;
    std::string note{};                // the last error, or in words why it was skipped
    std::optional<ErrorCode> error{};  // of a failed one: what kind of error that was
    std::optional<Timestamp> run_at{}, finished_at{};
    std::optional<ContentId> content{};
};

}  // namespace quarry
