#include "crawl/crawl_health.h"

#include <algorithm>

#include <fmt/format.h>

namespace quarry::crawl {

namespace {

constexpr std::int64_t fewest_pages = 20;
constexpr std::size_t most_reasons = 32;
constexpr std::size_t longest_reason = 200;

// "cannot fetch https://a.example/x: timed out after 10 s": the part that pages have in common is the last.
std::string reason_of(int status, std::string_view error) {
    if (status >= 400) return fmt::format("HTTP status {}", status);
    const std::size_t colon = error.rfind(": ");
    if (colon != std::string_view::npos) error.remove_prefix(colon + 2);
    return std::string(error.substr(0, longest_reason));
}

}  // namespace

CrawlHealth::CrawlHealth(const GroupCounters& counters)
    : completed_(counters.completed), failed_(std::max<std::int64_t>(0, counters.failed - counters.gone)) {}

void CrawlHealth::page_failed(int status, std::string_view error) {
    if (status == 404 || status == 410) return;
    ++failed_;
    std::string reason = reason_of(status, error);
    if (reasons_.size() >= most_reasons && !reasons_.contains(reason)) reason = "other reasons";
    ++reasons_[std::move(reason)];
}

std::optional<std::string> CrawlHealth::reason_to_stop() const {
    const std::int64_t ended = completed_ + failed_;
    if (ended < fewest_pages || failed_ * 2 <= ended) return std::nullopt;
    const auto most =
        std::ranges::max_element(reasons_, {}, [](const auto& reason) { return reason.second; });
    const std::string cause =
        most == reasons_.end() ? ""
                               : fmt::format(", most often with: {} ({} times)", most->first, most->second);
    return fmt::format("{} of {} pages failed{}", failed_, ended, cause);
}

}  // namespace quarry::crawl
