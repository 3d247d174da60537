// `status --watch`: looking on while others work. Changes nothing, whatever is pressed.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/data_source.h"
#include "app/owner/client.h"
#include "cli/command.h"
#include "cli/commands/crawl_wait.h"
#include "cli/commands/index_wait.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/terminal.h"
#include "model/ids.h"
#include "model/json/output.h"
#include "model/json/readable.h"
#include "store/index_progress.h"

namespace quarry::cli {

// Returns when the crawl is over or paused, with the exit code of report_end; 130 after Ctrl-C.
int watch_crawl(const CommandContext& session, const app::DataSource& place, GroupId group);

namespace {

using namespace std::chrono_literals;

// Wakes up when something changes, and five times a second to redraw.
class ChangeWatch {
public:
    ChangeWatch(const app::DataSource& place, GroupId group) : place_(place), group_(group) {}

    void wait() {
        constexpr auto redraw_every = 200ms;
        if (!owner_) find_owner();
        if (!owner_) return std::this_thread::sleep_for(redraw_every);  // until a worker starts
        if (!owner_->next_event(redraw_every)) owner_.reset();
    }

private:
    void find_owner() {
        auto owner = app::connect_to_owner(place_);
        if (owner && (*owner)->follow(group_, app::Hears::changes)) owner_ = *std::move(owner);
    }

    const app::DataSource& place_;
    GroupId group_;
    std::unique_ptr<app::OwnerLink> owner_;
};

// Over, and in the index but for what waits for a service that is not there.
Result<bool> is_settled(store::Reader& reader, const Group& group) {
    if (goes_on(group.state)) return false;
    const store::OutboxCounts counts = TRY(reader.outbox_counts("", group.id));
    return store::shown_state(group, counts) != JobState::running ||
           (counts.processing == 0 && store::waits_for_embedder(counts));
}

Result<Group> look_on(const CommandContext& session, const app::DataSource& place, GroupId id) {
    const auto reader = TRY(app::open_reader(place));
    CrawlView view(session.terminal, Narration::line_by_line);
    ChangeWatch changes(place, id);
    while (true) {
        Group group = TRY(view.update(*reader, id));
        if (was_interrupted() || TRY(is_settled(*reader, group))) return group;
        changes.wait();
    }
}

}  // namespace

int watch_crawl(const CommandContext& session, const app::DataSource& place, GroupId id) {
    stop_on_interrupt();
    const auto group = look_on(session, place, id);
    if (!group) return give_up(session, group.error());
    if (was_interrupted()) return exit_interrupted;
    return report_end(session, place, *group, {});
}

// `quarry status`: how crawls are doing.

namespace {

namespace json = boost::json;

struct StatusArguments {
    std::string id{}, kind = "crawl";
    bool list = false, active = false, watch = false, errors = false;
};

const std::vector<JobState> active_states = {JobState::queued, JobState::running};

std::string coloured_state(const Terminal& terminal, JobState state) {
    return terminal.paint_data(colour_of(state), fmt::format("{:<9}", name_of(state)));
}

// Those whose pages wait to be indexed are not over for those who want to search them.
constexpr int waiting_looked_for = 20;

Result<std::vector<Group>> active_groups(store::Reader& reader, const std::string& kind) {
    std::vector<Group> active = TRY(reader.groups({.kind = kind, .states = active_states, .limit = 100}));
    const store::OutboxCounts all = TRY(reader.outbox_counts("", std::nullopt));
    if (all.pending + all.processing == 0) return active;
    for (Group& group :
         TRY(reader.groups({.kind = kind, .states = {JobState::completed}, .limit = waiting_looked_for}))) {
        const store::OutboxCounts counts = TRY(reader.outbox_counts("", group.id));
        if (store::shown_state(group, counts) == JobState::running) active.push_back(std::move(group));
    }
    std::ranges::sort(active, std::greater(), &Group::id);
    return active;
}

// What a list cannot show beside each crawl.
void say_what_waits(store::Reader& reader) {
    const auto counts = reader.outbox_counts("", std::nullopt);
    if (counts && store::waits_for_embedder(*counts))
        say(waiting_in_words(*counts) + ". See: quarry queue list --kind embed_page");
}

int print_list(const CommandContext& session, store::Reader& reader, const std::vector<Group>& groups) {
    if (session.json) {
        json::array records;
        for (const Group& group : groups) records.push_back(crawl_record(group, reader));
        write_data(readable_json(records) + "\n");
        return exit_success;
    }
    std::string table = fmt::format("{:<36}  {:<9}  {:>4}  {:>15}  {:>6}  {:>7}  {}\n", "ID", "STATUS", "%",
                                    "PAGES/URLS", "FAILED", "CHUNKS", "URL");
    for (const Group& group : groups) {
        const auto counts = reader.outbox_counts("", group.id).value_or(store::OutboxCounts{});
        table += fmt::format("{}  {}  {:>3}%  {:>15}  {:>6}  {:>7}  {}\n", id_of(group, reader),
                             coloured_state(session.terminal, store::shown_state(group, counts)),
                             store::shown_percent(group, counts),
                             fmt::format("{}/{}", group.counters.completed, group.counters.discovered),
                             group.counters.failed, group.counters.chunks, shorten(start_of(group), 80));
    }
    write_data(table);
    say_what_waits(reader);
    return exit_success;
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
        fmt::format("{} in {}", counted(counters.indexed, "page"), counted(counters.chunks, "chunk"));
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

std::string lines_about(const CommandContext& session, const Group& group, store::Reader& reader) {
    const GroupCounters& counters = group.counters;
    const auto outbox = reader.outbox_counts("", group.id).value_or(store::OutboxCounts{});
    std::string text = fmt::format(
        "{} {}  {}%\n  url       {}\n  pages     {} of {} URLs, {} failed, {} skipped, {} queued\n",
        id_of(group, reader), coloured_state(session.terminal, store::shown_state(group, outbox)),
        store::shown_percent(group, outbox), printable(start_of(group)), with_commas(counters.completed),
        with_commas(counters.discovered), with_commas(counters.failed), with_commas(counters.skipped),
        with_commas(counters.queued + counters.running));
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) text += fmt::format("  {:<9} {}\n", name, printable(value));
    };
    add("skipped", skipped_in_words(group, reader));
    add("created", iso_time(group.created_at));
    add("started", group.started_at ? iso_time(*group.started_at) : "");
    const bool waits = outbox.pending + outbox.processing > 0;
    add(waits ? "fetched" : "ended", group.finished_at ? iso_time(*group.finished_at) : "");
    add("error", group.error);
    add("index", index_line(group));
    add("waiting", waiting_in_words(outbox));
    add("time", timing_line(group.timings));
    for (const auto& page : reader.slowest_pages(group.id, 3).value_or(std::vector<store::SlowPage>{}))
        add("slowest", fmt::format("{} {}", in_words(rounded(page.timings.total())), page.url));
    if (group.is_over()) return text;
    const std::int64_t position = reader.position(group.id).value_or(0);
    add("position", position > 0 ? fmt::format("{}", position) : "");
    add("retrying", retries_in_words(group, reader, wall_clock()));
    for (const std::string& url : reader.current_urls(group.id, 5).value_or(std::vector<std::string>{}))
        add("fetching", url);
    return text;
}

// A crawl that is not over, or whose pages wait, and that nobody works on: say how it goes on.
void hint_at_worker(const CommandContext& session, const app::DataSource& place, const Group& group,
                    store::Reader& reader) {
    const auto outbox = reader.outbox_counts("", group.id).value_or(store::OutboxCounts{});
    if (session.json || (group.is_over() && outbox.pending + outbox.processing == 0)) return;
    if (group.state == JobState::paused)
        say(fmt::format("Go on with: quarry crawl {} --resume", id_of(group, reader)));
    else if (nobody_works(place, reader, group.created_at))
        say(how_to_work);
}

int print_errors(const CommandContext& session, store::Reader& reader, const Group& group) {
    const auto urls = urls_without_page(reader, group.id, std::numeric_limits<int>::max());
    if (!urls) return give_up(session, urls.error());
    json::array records;
    std::string lines;
    for (const FrontierUrl& url : *urls) {
        if (session.json) {
            records.push_back(to_json(url));
            continue;
        }
        const bool skipped = url.state == UrlState::skipped;
        const std::string said =
            session.terminal.paint_data(skipped ? Colour::yellow : Colour::red, printable(reason_of(url)));
        lines += fmt::format("{}  {}\n", url.url, said);
    }
    write_data(session.json ? readable_json(records) + "\n" : lines);
    if (urls->empty()) say(group.is_over() ? "Nothing failed" : "Nothing has failed so far");
    return exit_success;
}

int show_one(const CommandContext& session, const app::DataSource& place, store::Reader& reader,
             const StatusArguments& arguments) {
    const auto group = find_crawl(reader, arguments.id);
    if (!group) return give_up(session, group.error());
    if (arguments.watch) {
        hint_at_worker(session, place, *group, reader);
        return watch_crawl(session, place, group->id);
    }
    if (arguments.errors) return print_errors(session, reader, *group);
    if (session.json) {
        write_data(readable_json(crawl_record(*group, reader)) + "\n");
    } else {
        write_data(lines_about(session, *group, reader));
    }
    hint_at_worker(session, place, *group, reader);
    return exit_success;
}

int show_many(const CommandContext& session, const app::DataSource& place, store::Reader& reader,
              const StatusArguments& arguments) {
    const std::string kind = arguments.kind == "all" ? "" : arguments.kind;
    const auto active = active_groups(reader, kind);
    if (!active) return give_up(session, active.error());
    if (arguments.watch && !active->empty()) return watch_crawl(session, place, active->front().id);
    const bool show_active = arguments.active || (!arguments.list && !active->empty());
    if (show_active) {
        if (active->empty()) say("No active crawl");
        if (!active->empty()) hint_at_worker(session, place, active->front(), reader);
        return active->empty() && !session.json ? exit_success : print_list(session, reader, *active);
    }
    const auto recent = reader.groups({.kind = kind, .limit = 10});
    if (!recent) return give_up(session, recent.error());
    if (recent->empty()) say("No recent crawls");
    return recent->empty() && !session.json ? exit_success : print_list(session, reader, *recent);
}

int run_status(const CommandContext& session, const StatusArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    const auto reader = app::open_reader(*place);
    if (!reader && reader.error().code == ErrorCode::not_found) {
        if (!arguments.id.empty())
            return give_up(session, {ErrorCode::not_found, "Crawl not found: " + arguments.id});
        say(arguments.active ? "No active crawl" : "No recent crawls");
        if (session.json) write_data("[]\n");
        return exit_success;
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
    parser
        .add_option("--kind", arguments->kind,
                    "What to list: crawl, batch_scrape, scrape, extract, rescrape or all (crawl)")
        .one_of({"crawl", "batch_scrape", "scrape", "extract", "rescrape", "all"});
    parser.add_flag("-w,--watch", arguments->watch, "Stay until it is over");
    parser.add_flag("-e,--errors", arguments->errors, "List the URLs that gave no page, and why");
    return {&parser, [arguments](const CommandContext& session) { return run_status(session, *arguments); }};
}

}  // namespace quarry::cli
