// Staying with a crawl until it is over. If nobody owns the data folder, the crawl runs in this process.
// Otherwise the owner runs it and this process watches; should the owner die, this process takes over.
// CrawlView shows how the crawl goes: lines that redraw themselves on a terminal, or a line for every
// change elsewhere. report_end says what came of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "app/data_source.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/commands/crawl_progress.h"
#include "cli/output/terminal.h"
#include "model/group.h"
#include "store/reader.h"

namespace quarry::cli {

// How a crawl goes, while one waits for it: lines that redraw themselves on a terminal, or a line for every
// change elsewhere.

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

// What a command says and leaves behind when a crawl it waited for has ended.

struct CrawlReport {
    std::string output{};  // the folder that pages are written to; "": none are
    bool record = false;   // print the crawl's record also without --json
};

// Writes pages, says a summary, prints the record, and returns the exit code: 1 if a URL failed, there is no
// page, or pages wait for embedding; 130 if it was interrupted.
int report_end(const CommandContext& session, const app::DataSource& place, const Group& group,
               const CrawlReport& wanted);

// Says how many pages of the crawl are not in the index, why, and what to do. 0, or 1 if there are any.
int report_index(const CommandContext& session, const Group& group, store::Reader& reader);

// Staying with a crawl until it is over. If nobody owns the data folder the crawl runs in this very process,
// else the owner runs it and this process looks on; should the owner die, this process takes over.

// What to ask of the owner first, and of which crawl, if that is known already.
struct CrawlBeginning {
    std::string method{};  // "crawl", "resume"; "" to only look on
    boost::json::object params{};
    std::optional<GroupId> group{};
};

// Returns the crawl when it is over or paused. Ctrl-C pauses it. Fails if it could not be begun, or if the
// store can take no more.
Result<Group> wait_for_crawl(const CommandContext& session, const app::DataSource& place,
                             CrawlBeginning beginning, Narration narration);

}  // namespace quarry::cli
