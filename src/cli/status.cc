// `quarry status`: how crawls are doing.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/reach_owner.h"
#include "cli/commands.h"
#include "cli/crawl_end.h"
#include "cli/crawl_record.h"
#include "cli/crawl_text.h"
#include "cli/crawl_watch.h"
#include "cli/exit_code.h"
#include "cli/place.h"
#include "cli/progress.h"
#include "model/json_text.h"
#include "model/records_json.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;

struct StatusArguments {
    std::string id{};
    bool list = false, active = false, watch = false, errors = false;
};

const std::vector<JobState> active_states = {JobState::queued, JobState::running};

std::string coloured_state(const Terminal& terminal, JobState state) {
    return terminal.paint_data(colour_of(state), fmt::format("{:<9}", name_of(state)));
}

int print_list(const Session& session, store::Reader& reader, const std::vector<Group>& groups) {
    if (session.json) {
        json::array records;
        for (const Group& group : groups) records.push_back(crawl_record(group, reader));
        write_data(json_text(records) + "\n");
        return exit_yes;
    }
    std::string table = fmt::format("{:<36}  {:<9}  {:>4}  {:>15}  {:>6}  {}\n", "ID", "STATUS", "%",
                                    "PAGES/URLS", "FAILED", "URL");
    for (const Group& group : groups)
        table += fmt::format("{}  {}  {:>3}%  {:>15}  {:>6}  {}\n", id_of(group, reader),
                             coloured_state(session.terminal, group.state), percent_done(group),
                             fmt::format("{}/{}", group.counters.completed, group.counters.discovered),
                             group.counters.failed, shorten(group.name, 80));
    write_data(table);
    return exit_yes;
}

std::chrono::milliseconds rounded(std::chrono::microseconds time) {
    return std::chrono::round<std::chrono::milliseconds>(time);
}

// "1,169 pages in 6,202 chunks, 2 failed"
std::string index_line(const Group& group) {
    const GroupCounters& counters = group.counters;
    if (counters.indexed + counters.index_failed == 0)
        return group.index_pages ? "" : "kept out (--no-embed)";
    std::string line =
        fmt::format("{} pages in {} chunks", with_commas(counters.indexed), with_commas(counters.chunks));
    if (counters.index_failed > 0) line += fmt::format(", {} failed", with_commas(counters.index_failed));
    return line;
}

// Where it went, over all pages together: they overlap, so it is more than the crawl took.
std::string timing_line(const Timings& timings) {
    if (timings.is_empty()) return "";
    return fmt::format("fetch {}, extract {}, chunk {}, embed {}, index {}", in_words(rounded(timings.fetch)),
                       in_words(rounded(timings.extract)), in_words(rounded(timings.chunk)),
                       in_words(rounded(timings.embed)), in_words(rounded(timings.index)));
}

std::string lines_about(const Session& session, const Group& group, store::Reader& reader) {
    const GroupCounters& counters = group.counters;
    std::string text = fmt::format(
        "{} {}  {}%\n  url       {}\n  pages     {} of {} URLs, {} failed, {} skipped, {} queued\n",
        id_of(group, reader), coloured_state(session.terminal, group.state), percent_done(group), group.name,
        with_commas(counters.completed), with_commas(counters.discovered), with_commas(counters.failed),
        with_commas(counters.skipped), with_commas(counters.queued + counters.running));
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) text += fmt::format("  {:<9} {}\n", name, printable(value));
    };
    add("created", iso_time(group.created_at));
    add("started", group.started_at ? iso_time(*group.started_at) : "");
    add("ended", group.finished_at ? iso_time(*group.finished_at) : "");
    add("error", group.error);
    add("index", index_line(group));
    add("time", timing_line(group.timings));
    for (const auto& page : reader.slowest_pages(group.id, 3).value_or(std::vector<store::SlowPage>{}))
        add("slowest", fmt::format("{} {}", in_words(rounded(page.timings.total())), page.url));
    if (group.is_over()) return text;
    const std::int64_t position = reader.position(group.id).value_or(0);
    add("position", position > 0 ? fmt::format("{}", position) : "");
    for (const std::string& url : reader.current_urls(group.id, 5).value_or(std::vector<std::string>{}))
        add("fetching", url);
    return text;
}

// A worker that was just started may not answer yet.
bool is_long_ago(Timestamp time) {
    return std::chrono::system_clock::now() - time > std::chrono::seconds(5);
}

// A crawl that is not over and that nobody works on: say how it goes on.
void hint_at_worker(const Session& session, const app::Workplace& place, const Group& group,
                    const store::Reader& reader) {
    if (session.json || group.is_over()) return;
    if (group.state == JobState::paused)
        say(fmt::format("Go on with: quarry crawl {} --resume", id_of(group, reader)));
    else if (is_long_ago(group.created_at) && !app::connect_to_owner(place))
        say("No worker runs. It goes on with: quarry worker --once, or quarry daemon start");
}

Result<std::vector<FrontierUrl>> urls_not_fetched(store::Reader& reader, GroupId group) {
    std::vector<FrontierUrl> all;
    for (const bool failed : {true, false}) {
        store::UrlPage wanted{.group = group, .limit = 1'000};
        wanted.states = {failed ? UrlState::failed : UrlState::skipped};
        if (!failed) wanted.skipped = SkipReason::robots;
        while (true) {
            auto urls = TRY(reader.urls(wanted));
            if (urls.empty()) break;
            wanted.after = urls.back().id;
            std::ranges::move(urls, std::back_inserter(all));
        }
    }
    return all;
}

int print_errors(const Session& session, store::Reader& reader, const Group& group) {
    const auto urls = urls_not_fetched(reader, group.id);
    if (!urls) return give_up(session, urls.error());
    json::array records;
    std::string lines;
    for (const FrontierUrl& url : *urls) {
        if (session.json) {
            records.push_back(to_json(url));
            continue;
        }
        const bool robots = url.state == UrlState::skipped;
        const std::string reason = !url.note.empty() ? url.note
                                   : robots          ? "forbidden by robots.txt"
                                                     : "failed";
        const std::string said =
            session.terminal.paint_data(robots ? Colour::yellow : Colour::red, printable(reason));
        lines += fmt::format("{}  {}\n", url.url, said);
    }
    write_data(session.json ? json_text(records) + "\n" : lines);
    if (urls->empty()) say("Nothing failed");
    return exit_yes;
}

int show_one(const Session& session, const app::Workplace& place, store::Reader& reader,
             const StatusArguments& arguments) {
    const auto group = find_crawl(reader, arguments.id);
    if (!group) return give_up(session, group.error());
    if (arguments.watch) return watch_crawl(session, place, group->id);
    if (arguments.errors) return print_errors(session, reader, *group);
    if (session.json) {
        write_data(json_text(crawl_record(*group, reader)) + "\n");
    } else {
        write_data(lines_about(session, *group, reader));
    }
    hint_at_worker(session, place, *group, reader);
    return exit_yes;
}

int show_many(const Session& session, const app::Workplace& place, store::Reader& reader,
              const StatusArguments& arguments) {
    const auto active = reader.groups({.states = active_states, .limit = 100});
    if (!active) return give_up(session, active.error());
    if (arguments.watch && !active->empty()) return watch_crawl(session, place, active->front().id);
    const bool show_active = arguments.active || (!arguments.list && !active->empty());
    if (show_active) {
        if (active->empty()) say("No active crawl");
        if (!active->empty()) hint_at_worker(session, place, active->front(), reader);
        return active->empty() && !session.json ? exit_yes : print_list(session, reader, *active);
    }
    const auto recent = reader.groups({.limit = 10});
    if (!recent) return give_up(session, recent.error());
    if (recent->empty()) say("No recent crawls");
    return recent->empty() && !session.json ? exit_yes : print_list(session, reader, *recent);
}

int run_status(const Session& session, const StatusArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    const auto reader = app::open_reader(*place);
    if (!reader && reader.error().code == ErrorCode::not_found) {
        if (!arguments.id.empty())
            return give_up(session, {ErrorCode::not_found, "Crawl not found: " + arguments.id});
        say(arguments.active ? "No active crawl" : "No recent crawls");
        if (session.json) write_data("[]\n");
        return exit_yes;
    }
    if (!reader) return give_up(session, reader.error());
    if (!arguments.id.empty()) return show_one(session, *place, **reader, arguments);
    if (arguments.errors)
        return give_up(session, {ErrorCode::invalid_argument, "--errors needs the id of a crawl"});
    return show_many(session, *place, **reader, arguments);
}

}  // namespace

Command add_status(CommandBuilder& builder) {
    Parser& parser = builder.add("status", "Show how crawls are doing",
                                 "quarry status                      # what runs, else what ran last\n"
                                 "quarry status 0199c5a0 --watch     # a crawl by the beginning of its id\n"
                                 "quarry status 0199c5a0 --errors    # what failed, and why\n"
                                 "quarry status --list --json");
    const auto arguments = std::make_shared<StatusArguments>();
    parser.add_option("id", arguments->id, "A crawl's id, or its beginning");
    parser.add_flag("-l,--list", arguments->list, "The 10 most recent crawls");
    parser.add_flag("-a,--active", arguments->active, "Crawls that run or wait");
    parser.add_flag("-w,--watch", arguments->watch, "Stay until it is over");
    parser.add_flag("-e,--errors", arguments->errors, "List the URLs that failed or that robots.txt forbids");
    return {&parser, [arguments](const Session& session) { return run_status(session, *arguments); }};
}

}  // namespace quarry::cli
