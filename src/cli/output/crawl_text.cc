#include "cli/output/crawl_text.h"

#include <algorithm>
#include <iterator>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "crawl/options/options.h"
#include "model/json/output.h"
#include "store/index_progress.h"

namespace quarry::cli {

namespace json = boost::json;

namespace {

// Counted up to here: a crawl may leave out millions.
constexpr int most_counted = 10'000;

struct NamedReason {
    SkipReason reason;
    std::string_view words;
};

// What people ask about. A redirect, another name of a page and a sitemap lead to pages that have entries of
// their own.
constexpr NamedReason reasons_to_name[] = {
    {SkipReason::robots, "skipped by robots.txt"},
    {SkipReason::noindex, "ask not to be kept"},
    {SkipReason::not_a_page, "not a page"},
    {SkipReason::empty, "without text"},
};

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

std::string counted(std::int64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", with_commas(number), noun, number == 1 ? "" : "s");
}

std::string start_of(const Group& group) {
    const auto options = crawl::options_of(group);
    if (!options || options->urls.size() < 2) return group.name;
    return fmt::format("{} and {} more", group.name, with_commas(std::ssize(options->urls) - 1));
}

std::string extent_of(const Group& group) {
    const auto options = crawl::options_of(group);
    if (!options || !options->list_only_seeds) return "up to " + counted(group.page_limit, "page");
    return counted(std::min<std::int64_t>(group.page_limit, std::ssize(options->urls)), "page");
}

std::string skipped_in_words(const Group& group, store::Reader& reader) {
    std::string words;
    if (group.counters.skipped == 0) return words;
    for (const auto& [reason, name] : reasons_to_name) {
        const auto urls = reader.urls({.group = group.id, .skipped = reason, .limit = most_counted});
        if (!urls || urls->empty()) continue;
        const bool more = std::ssize(*urls) == most_counted;
        words += fmt::format("{}{}{} {}", words.empty() ? "" : ", ", with_commas(std::ssize(*urls)),
                             more ? " or more" : "", name);
    }
    return words;
}

std::string retries_in_words(const Group& group, store::Reader& reader, Timestamp now) {
    constexpr int looked_at = 100;
    if (!goes_on(group.state) || group.counters.queued == 0) return "";
    const auto urls = reader.urls({.group = group.id, .states = {UrlState::queued}, .limit = looked_at});
    if (!urls) return "";
    const FrontierUrl* first = nullptr;
    std::int64_t waiting = 0;
    for (const FrontierUrl& url : *urls) {
        if (url.note.empty() || !url.run_at || *url.run_at <= now) continue;
        ++waiting;
        if (!first || *url.run_at < *first->run_at) first = &url;
    }
    if (!first) return "";
    return fmt::format("{}{} {} to be tried again, the first in {}: {}", counted(waiting, "URL"),
                       waiting == looked_at ? " or more" : "", waiting == 1 ? "waits" : "wait",
                       in_words(*first->run_at - now), printable(first->note));
}

Result<std::vector<FrontierUrl>> urls_without_page(store::Reader& reader, GroupId group, int limit) {
    std::vector<FrontierUrl> all;
    const auto add = [&](store::UrlQuery wanted) -> Result<void> {
        wanted.group = group;
        for (int taken = 0; taken < limit;) {
            wanted.limit = std::min(1'000, limit - taken);
            auto urls = TRY(reader.urls(wanted));
            if (urls.empty()) break;
            taken += static_cast<int>(urls.size());
            wanted.after = urls.back().id;
            std::ranges::move(urls, std::back_inserter(all));
        }
        return {};
    };
    TRY(add({.states = {UrlState::failed}}));
    for (const auto& [reason, name] : reasons_to_name) TRY(add({.skipped = reason}));
    return all;
}

std::string reason_of(const FrontierUrl& url) {
    if (url.skipped == SkipReason::robots && url.note.empty()) return "forbidden by robots.txt";
    return url.note.empty() ? "failed" : url.note;
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

Timestamp wall_clock() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::chrono::milliseconds running_time(const Group& group, Timestamp now) {
    if (!group.started_at) return std::chrono::milliseconds(0);
    return std::max(std::chrono::milliseconds(0), group.finished_at.value_or(now) - *group.started_at);
}

std::string summary_of(const Group& group, store::Reader& reader) {
    const GroupCounters& counters = group.counters;
    std::string text = counted(counters.completed, "page") + remarks_of(counters);
    if (counters.completed >= group.page_limit) text += ", which is the limit";
    if (counters.chunks > 0) text += ", " + counted(counters.chunks, "chunk");
    if (counters.failed > 0) text += fmt::format(", {} failed", with_commas(counters.failed));
    if (const std::string skipped = skipped_in_words(group, reader); !skipped.empty()) text += ", " + skipped;
    if (counters.removed > 0) text += fmt::format(", {} removed", with_commas(counters.removed));
    if (group.started_at && group.finished_at)
        text += ", " + in_words(*group.finished_at - *group.started_at);
    return text;
}

std::string queued_at(std::int64_t position) {
    return fmt::format("Crawl queued at position {}", with_commas(position));
}

std::string progress_line(const Group& group, std::int64_t waiting) {
    const GroupCounters& counters = group.counters;
    const std::int64_t total = std::min(counters.discovered, group.page_limit);
    const bool embeds = group.state == JobState::completed && waiting > 0;
    return fmt::format("Progress: {}/{} pages ({})", counters.completed, std::max(total, counters.completed),
                       embeds ? "embedding" : name_of(group.state));
}

json::object crawl_record(const Group& group, store::Reader& reader) {
    json::object record = to_json(group, reader.salt());
    json::array urls;
    std::int64_t position = 0;
    if (!group.is_over()) {
        for (const std::string& url : reader.current_urls(group.id, 10).value_or(std::vector<std::string>{}))
            urls.push_back(json::value(url));
        position = reader.position(group.id).value_or(0);
    }
    record["current_url"] = urls.empty() ? json::value(nullptr) : urls.front();
    record["current_urls"] = std::move(urls);
    record["queue_position"] = position > 0 ? json::value(position) : json::value(nullptr);
    store::add_index_progress(record, group, reader);
    return record;
}

}  // namespace quarry::cli
