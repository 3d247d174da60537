#include "cli/commands/crawl_end.h"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/output/crawl_record.h"
#include "cli/output/crawl_text.h"
#include "cli/exit.h"
#include "cli/commands/index_wait.h"
#include "cli/interrupt.h"
#include "cli/output/files.h"
#include "cli/data_access.h"
#include "cli/output/progress.h"
#include "model/json/readable.h"
#include "store/reader.h"
#include "url/url.h"

namespace quarry::cli {
namespace {

// Every page of the crawl, also those that had not changed since an earlier one. A few at a time: a crawl may
// be larger than memory.
Result<std::int64_t> write_tree(store::Reader& reader, GroupId group, const std::string& folder) {
    FolderOutput output(folder, ".md");
    store::PagePage wanted{.group = group, .limit = 50, .with_content = true};
    std::int64_t written = 0;
    while (true) {
        const auto read = TRY(reader.pages(wanted));
        for (const StoredPage& page : read.pages) {
            const std::string& address = page.facts.final_url.empty() ? page.facts.url : page.facts.final_url;
            const auto url = url::Url::parse(address);
            if (!url || !page.content) continue;
            const std::string path = output.path_for(*url);
            TRY(write_file(path, page.content->markdown));
            ++written;
        }
        if (!read.next) return written;
        wanted.after = *read.next;
    }
}

std::string collection_flag(const Group& group) {
    return group.collection == "default" ? "" : " --collection " + printable(group.collection);
}

// The reasons, each once: "HTTP 404 Not Found: https://a.example/x and 2 more".
void say_reasons(const Session& session, const Group& group, store::Reader& reader) {
    constexpr int most_read = 1'000;
    constexpr std::ptrdiff_t most_reasons = 5;
    constexpr std::size_t longest_url = 120;
    const auto urls = urls_without_page(reader, group.id, most_read);
    if (!urls || urls->empty()) return;
    using Urls = std::vector<const FrontierUrl*>;
    std::vector<std::pair<std::string, Urls>> reasons;
    for (const FrontierUrl& url : *urls) {
        const bool failed = url.state == UrlState::failed;
        // What robots.txt forbids is no news.
        if (!failed && url.skipped != SkipReason::not_a_page && url.skipped != SkipReason::empty) continue;
        // Errors of the connection name the URL before the reason.
        std::string reason = reason_of(url);
        if (const std::size_t at = reason.find(url.url + ": "); at != std::string::npos)
            reason.erase(0, at + url.url.size() + 2);
        const auto known = std::ranges::find(reasons, reason, [](const auto& entry) { return entry.first; });
        auto& named =
            known == reasons.end() ? reasons.emplace_back(std::move(reason), Urls()).second : known->second;
        named.push_back(&url);
    }
    for (const auto& [reason, named] : reasons | std::views::take(most_reasons)) {
        const bool failed = named.front()->state == UrlState::failed;
        const std::string more =
            named.size() > 1 ? fmt::format(" and {} more", with_commas(std::ssize(named) - 1)) : "";
        say(fmt::format(
            "  {}  {}{}: {}",
            session.terminal.paint(failed ? Colour::red : Colour::yellow, failed ? "failed " : "skipped"),
            shorten(named.front()->url, longest_url), more, printable(reason)));
    }
    if (std::ssize(reasons) > most_reasons)
        say(fmt::format("  … and {}", counted(std::ssize(reasons) - most_reasons, "other reason")));
}

// What to do next; the last line is the one that is read.
void say_next(const Group& group, const store::Reader& reader) {
    const std::string id = id_of(group, reader);
    const GroupCounters& counters = group.counters;
    if (group.state == JobState::paused)
        return say(fmt::format("Go on with: quarry crawl {} --resume --wait", id));
    if (counters.failed > 0)
        say(fmt::format("All that gave no page, and why: quarry status {} --errors", id));
    // What has not changed is in the index since an earlier crawl.
    if (counters.indexed > 0 || (group.index_pages && counters.unchanged > 0)) {
        say(fmt::format("Try: quarry search \"how do I …\"{}", collection_flag(group)));
    } else if (counters.completed > 0) {
        say(fmt::format("Read the pages: quarry export pages {}", id));
        if (!group.index_pages) say(fmt::format("Make them searchable: quarry crawl {} --embed", id));
    }
}

void say_summary(const Session& session, const Group& group, store::Reader& reader) {
    if (group.state == JobState::failed) say_error(session.terminal, printable(group.error));
    if (group.state == JobState::cancelled) say("The crawl was cancelled");
    if (group.state == JobState::paused) say("The crawl is paused");
    say(summary_of(group, reader));
    say_reasons(session, group, reader);
    if (group.state == JobState::completed && !group.error.empty()) say("note: " + printable(group.error));
    say_next(group, reader);
}

int exit_code_of(const Group& group) {
    if (was_interrupted()) return exit_interrupted;
    const bool all_went_well = group.state == JobState::completed && group.counters.failed == 0;
    return all_went_well && group.counters.completed > 0 ? exit_yes : exit_no;
}

}  // namespace

int report_end(const Session& session, const app::Workplace& place, const Group& group,
               const CrawlReport& wanted) {
    const std::string& output = wanted.output;
    const auto reader = app::open_reader(place);
    if (!reader) return give_up(session, reader.error());
    if (!output.empty() && !was_interrupted()) {
        const auto written = write_tree(**reader, group.id, output);
        if (!written) return give_up(session, written.error());
        say(fmt::format("{} below {}", counted(*written, "file"), output));
    }
    say_summary(session, group, **reader);
    if (session.json || wanted.record) write_data(readable_json(crawl_record(group, **reader)) + "\n");
    return std::max(exit_code_of(group), was_interrupted() ? exit_interrupted
                                                           : report_index(session, group, **reader));
}

int report_index(const Session& session, const Group& group, store::Reader& reader) {
    const auto counts = reader.outbox_counts("", group.id);
    if (!counts) return give_up(session, counts.error());
    const int exit_code = report_index(session, *counts);
    if (counts->pending + counts->failed > 0 && !was_interrupted())
        say(fmt::format("Embed what waits: quarry crawl {} --embed", id_of(group, reader)));
    return exit_code;
}

}  // namespace quarry::cli
