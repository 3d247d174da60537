#include "cli/crawl_text.h"

#include <fmt/format.h>

namespace quarry::cli {
namespace {

// Robots.txt is what people ask about; the other reasons are in `status --errors` and the counters.
constexpr int most_counted = 10'000;

std::string skipped_by_robots(const Group& group, store::Reader& reader) {
    if (group.counters.skipped == 0) return "";
    const auto urls = reader.urls({.group = group.id,
                                   .states = {UrlState::skipped},
                                   .skipped = SkipReason::robots,
                                   .limit = most_counted});
    if (!urls || urls->empty()) return "";
    const bool more = urls->size() == most_counted;
    return fmt::format(", {}{} skipped by robots.txt", with_commas(static_cast<std::int64_t>(urls->size())),
                       more ? " or more" : "");
}

std::string remarks_of(const GroupCounters& counters) {
    std::string remarks;
    const auto add = [&](std::int64_t count, std::string_view word) {
        if (count > 0)
            remarks += fmt::format("{}{} {}", remarks.empty() ? "" : ", ", with_commas(count), word);
    };
    add(counters.unchanged, "unchanged");
    add(counters.duplicates, "nearly the same as another");
    return remarks.empty() ? "" : fmt::format(" ({})", remarks);
}

}  // namespace

std::string with_commas(std::int64_t number) {
    std::string digits = fmt::format("{}", number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, ",");
    return digits;
}

Colour colour_of(JobState state) {
    switch (state) {
        case JobState::queued: return Colour::yellow;
        case JobState::running: return Colour::blue;
        case JobState::completed: return Colour::green;
        case JobState::failed: return Colour::red;
        case JobState::cancelled:
        case JobState::paused: break;
    }
    return Colour::grey;
}

std::string in_words(std::chrono::milliseconds duration) {
    const auto seconds = duration.count() / 1'000;
    if (seconds < 60) return fmt::format("{:.1f} s", static_cast<double>(duration.count()) / 1'000);
    if (seconds < 3'600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    return fmt::format("{} h {} min", seconds / 3'600, seconds % 3'600 / 60);
}

std::chrono::milliseconds running_time(const Group& group, Timestamp now) {
    if (!group.started_at) return std::chrono::milliseconds(0);
    return std::max(std::chrono::milliseconds(0), group.finished_at.value_or(now) - *group.started_at);
}

std::string summary_of(const Group& group, store::Reader& reader) {
    const GroupCounters& counters = group.counters;
    std::string text = fmt::format("{} {}{}", with_commas(counters.completed),
                                   counters.completed == 1 ? "page" : "pages", remarks_of(counters));
    if (counters.completed >= group.page_limit) text += ", which is the limit";
    if (counters.failed > 0) text += fmt::format(", {} failed", with_commas(counters.failed));
    text += skipped_by_robots(group, reader);
    if (counters.removed > 0) text += fmt::format(", {} removed", with_commas(counters.removed));
    if (group.started_at && group.finished_at)
        text += ", " + in_words(*group.finished_at - *group.started_at);
    return text;
}

std::string progress_line(const Group& group) {
    const GroupCounters& counters = group.counters;
    const std::int64_t total = std::min(counters.discovered, group.page_limit);
    return fmt::format("Progress: {}/{} pages ({})", counters.completed, std::max(total, counters.completed),
                       name_of(group.state));
}

}  // namespace quarry::cli
