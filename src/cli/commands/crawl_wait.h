// How a crawl goes, while one waits for it: lines that redraw themselves on a terminal, or a line for every
// change elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/crawl_progress.h"
#include "cli/output/live_lines.h"
#include "cli/output/terminal.h"
#include "model/group.h"
#include "store/reader.h"

namespace quarry::cli {

enum class Narration : std::uint8_t {
    silent,       // nothing where nothing can be redrawn
    line_by_line  // "Progress: …" for every change, and a line for each page that was embedded
};

class CrawlView {
public:
    CrawlView(const Terminal& terminal, Narration narration)
        : terminal_(terminal), lines_(terminal), narration_(narration) {}

    // Reads how far the crawl is and shows it. Asked for about five times a second.
    Result<Group> update(store::Reader& reader, GroupId id);
    void clear() { lines_.clear(); }
    bool is_silent() const { return !terminal_.progress && narration_ == Narration::silent; }

    // Hears of pages that were embedded, to show them with the next update. Nothing if they are not shown.
    EmbeddedLines* embedded() { return narration_ == Narration::silent ? nullptr : &embedded_; }

private:
    struct Share {
        std::int64_t done = 0, total = 0;
    };
    void narrate(const Group& group, std::int64_t left, const std::string& retries);
    void draw(const Group& group, const std::vector<std::string>& urls);
    void draw_indexing(const Group& group, std::int64_t left);
    void show(JobState colour, std::string_view what, const Share& share, const std::string& counts,
              const std::vector<std::string>& urls);
    double urls_per_second(std::int64_t urls);

    const Terminal& terminal_;
    LiveLines lines_;
    EmbeddedLines embedded_;
    Narration narration_;
    std::string last_line_;
    bool waits_ = false;  // for URLs that are to be tried again
    struct Sample {
        std::chrono::steady_clock::time_point at{};
        std::int64_t urls = 0;
    };
    std::vector<Sample> samples_;  // of the last seconds, the oldest first
};

}  // namespace quarry::cli
