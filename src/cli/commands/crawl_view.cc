#include "cli/commands/crawl_wait.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/base_clock.h"
#include "cli/output/crawl_text.h"
#include "cli/output/progress.h"

namespace quarry::cli {
namespace {

using namespace std::chrono_literals;

constexpr int urls_shown = 3;

}  // namespace

Result<Group> CrawlView::update(store::Reader& reader, GroupId id) {
    Group group = TRY(reader.group(id));
    if (is_silent()) return group;
    const auto waiting = goes_on(group.state) ? Result<store::OutboxCounts>() : reader.outbox_counts("", id);
    const std::int64_t left = waiting ? waiting->pending + waiting->processing : 0;
    if (narration_ == Narration::line_by_line) narrate(group, left, retries_in_words(group, reader, wall_clock()));
    if (!terminal_.progress) return group;
    if (left > 0) {
        draw_indexing(group, left);
    } else {
        auto urls = reader.current_urls(id, urls_shown).value_or(std::vector<std::string>{});
        if (urls.empty()) urls.push_back(retries_in_words(group, reader, wall_clock()));
        std::erase(urls, "");
        draw(group, urls);
    }
    return group;
}

void CrawlView::narrate(const Group& group, std::int64_t left, const std::string& retries) {
    std::vector<std::string> lines = embedded_.take();
    // Once, not whenever the time that is left has changed.
    if (!retries.empty() && !waits_ && !terminal_.progress) lines.push_back(retries);
    waits_ = !retries.empty();
    std::string line = progress_line(group, left);
    // On a terminal the bar says it.
    if (line != last_line_ && !terminal_.progress) lines.insert(lines.begin(), line);
    last_line_ = std::move(line);
    if (!lines.empty()) lines_.clear();
    for (const std::string& said : lines) say(said);
}

void CrawlView::draw(const Group& group, const std::vector<std::string>& urls) {
    const GroupCounters& counters = group.counters;
    const std::int64_t done = counters.completed + counters.failed + counters.skipped;
    const std::int64_t left =
        std::min(counters.queued + counters.running, group.page_limit - counters.completed);
    const std::int64_t total = done + std::max<std::int64_t>(left, 0);
    std::string counts = fmt::format("{}/{} URLs", with_commas(done), with_commas(total));
    if (counters.failed > 0) counts += fmt::format(", {} failed", with_commas(counters.failed));
    if (group.state == JobState::running) {
        const double rate = urls_per_second(done);
        counts += fmt::format(", {:.0f}/s, {}", rate, in_words(running_time(group, wall_clock())));
        if (rate > 0 && left > 0)
            counts +=
                fmt::format(", about {} left", in_words(std::chrono::milliseconds(static_cast<std::int64_t>(
                                                   1'000.0 * static_cast<double>(left) / rate))));
    }
    show(group.state, name_of(group.state), {done, total}, counts, urls);
}

// The pages are here; now they have to be found.
void CrawlView::draw_indexing(const Group& group, std::int64_t left) {
    const GroupCounters& counters = group.counters;
    const std::int64_t done = counters.indexed + counters.index_failed;
    show(JobState::running, "indexing", {done, done + left},
         fmt::format("{}/{}, {}", with_commas(done), counted(done + left, "page"),
                     counted(counters.chunks, "chunk")),
         {});
}

void CrawlView::show(JobState colour, std::string_view what, const Share& share, const std::string& counts,
                     const std::vector<std::string>& urls) {
    const auto columns = static_cast<std::size_t>(std::max(terminal_.columns, 60));
    const std::size_t taken = what.size() + bar_columns + 4;
    std::vector<std::string> lines = {
        fmt::format("{}  {}  {}", terminal_.paint(colour_of(colour), what),
                    terminal_.paint(Colour::blue, progress_bar(static_cast<std::size_t>(share.done),
                                                               static_cast<std::size_t>(share.total))),
                    shorten(counts, columns - taken))};
    for (const std::string& url : urls)
        lines.push_back(terminal_.paint(Colour::grey, "  " + shorten(url, columns - 3)));
    lines_.show(lines);
}

double CrawlView::urls_per_second(std::int64_t urls) {
    const auto now = std::chrono::steady_clock::now();
    samples_.push_back({now, urls});
    while (samples_.size() > 2 && now - samples_.front().at > 3s) samples_.erase(samples_.begin());
    const std::chrono::duration<double> span = now - samples_.front().at;
    return span.count() > 0 ? static_cast<double>(urls - samples_.front().urls) / span.count() : 0;
}

}  // namespace quarry::cli
