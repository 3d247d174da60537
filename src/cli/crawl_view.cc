#include "cli/crawl_view.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "cli/crawl_text.h"
#include "cli/progress.h"

namespace quarry::cli {
namespace {

using namespace std::chrono_literals;

constexpr int urls_shown = 3;

Timestamp wall_clock() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace

Result<Group> CrawlView::update(store::Reader& reader, GroupId id) {
    Group group = TRY(reader.group(id));
    if (terminal_.progress) {
        draw(group, reader.current_urls(id, urls_shown).value_or(std::vector<std::string>{}));
    } else if (narration_ == Narration::line_by_line) {
        std::string line = progress_line(group);
        if (line != last_line_) say(line);
        last_line_ = std::move(line);
    }
    return group;
}

void CrawlView::draw(const Group& group, const std::vector<std::string>& urls) {
    const GroupCounters& counters = group.counters;
    const auto columns = static_cast<std::size_t>(std::max(terminal_.columns, 20));
    std::string counts =
        fmt::format("{} done, {} queued, {} failed", with_commas(counters.completed),
                    with_commas(counters.queued + counters.running), with_commas(counters.failed));
    if (group.state == JobState::running)
        counts += fmt::format(", {:.0f} pages/s, {}", pages_per_second(counters.completed),
                              in_words(running_time(group, wall_clock())));
    std::vector<std::string> lines = {terminal_.paint(colour_of(group.state), name_of(group.state)) + "  " +
                                      shorten(counts, columns - 12)};
    for (const std::string& url : urls)
        lines.push_back(terminal_.paint(Colour::grey, "  " + shorten(url, columns - 3)));
    lines_.show(lines);
}

double CrawlView::pages_per_second(std::int64_t pages) {
    const auto now = std::chrono::steady_clock::now();
    samples_.push_back({now, pages});
    while (samples_.size() > 2 && now - samples_.front().at > 3s) samples_.erase(samples_.begin());
    const std::chrono::duration<double> span = now - samples_.front().at;
    return span.count() > 0 ? static_cast<double>(pages - samples_.front().pages) / span.count() : 0;
}

}  // namespace quarry::cli
