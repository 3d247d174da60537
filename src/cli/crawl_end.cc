#include "cli/crawl_end.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/crawl_record.h"
#include "cli/crawl_text.h"
#include "cli/exit_code.h"
#include "cli/index_wait.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/place.h"
#include "model/json_text.h"
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

void say_summary(const Session& session, const Group& group, store::Reader& reader) {
    const std::string id = id_of(group, reader);
    if (group.state == JobState::failed) say_error(session.terminal, printable(group.error));
    if (group.state == JobState::cancelled) say("The crawl was cancelled");
    say(summary_of(group, reader));
    if (group.state == JobState::completed && !group.error.empty()) say("note: " + printable(group.error));
    if (group.state == JobState::paused) {
        say(fmt::format("Paused. Go on with: quarry crawl {} --resume --wait", id));
    } else if (group.counters.failed > 0) {
        say(fmt::format("What failed: quarry status {} --errors", id));
    } else if (group.counters.indexed > 0) {
        say(fmt::format("Try: quarry search \"how do I …\"{}", collection_flag(group)));
    } else if (group.counters.completed > 0) {
        say(fmt::format("Read the pages: quarry export pages {}", id));
    }
}

int exit_code_of(const Group& group) {
    if (was_interrupted()) return exit_interrupted;
    const bool all_went_well = group.state == JobState::completed && group.counters.failed == 0;
    return all_went_well && group.counters.completed > 0 ? exit_yes : exit_no;
}

}  // namespace

int report_end(const Session& session, const app::Workplace& place, const Group& group,
               const std::string& output) {
    const auto reader = app::open_reader(place);
    if (!reader) return give_up(session, reader.error());
    if (!output.empty() && !was_interrupted()) {
        const auto written = write_tree(**reader, group.id, output);
        if (!written) return give_up(session, written.error());
        say(fmt::format("{} files below {}", with_commas(*written), output));
    }
    say_summary(session, group, **reader);
    if (session.json) write_data(json_text(crawl_record(group, **reader)) + "\n");
    const auto counts = (*reader)->outbox_counts("", group.id);
    if (!counts) return give_up(session, counts.error());
    return std::max(exit_code_of(group),
                    was_interrupted() ? exit_interrupted : report_index(session, *counts));
}

}  // namespace quarry::cli
