#include "cli/commands/crawl_wait.h"

#include <algorithm>
#include <ranges>
#include <thread>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/owner/background.h"
#include "app/owner/methods.h"
#include "app/owner/process.h"
#include "base/clock.h"
#include "base/threads.h"
#include "cli/commands/index_wait.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/files.h"
#include "cli/output/terminal.h"
#include "model/json/fields.h"
#include "model/json/readable.h"
#include "store/reader.h"
#include "url/url.h"

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
    if (narration_ == Narration::line_by_line)
        narrate(group, left, retries_in_words(group, reader, wall_clock()));
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
    // The line is said once, not whenever the time left has changed.
    if (!retries.empty() && !waits_ && !terminal_.progress) lines.push_back(retries);
    waits_ = !retries.empty();
    std::string line = progress_line(group, left);
    // On a terminal the bar shows it.
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

namespace {

// Writes every page of the crawl, including pages that have not changed since an earlier crawl. It reads a
// few at a time, since a crawl may be larger than memory.
Result<std::int64_t> write_tree(store::Reader& reader, GroupId group, const std::string& folder) {
    FolderOutput output(folder, ".md");
    store::PageQuery wanted{.group = group, .limit = 50, .with_content = true};
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

// Says each reason once: "HTTP 404 Not Found: https://a.example/x and 2 more".
void say_reasons(const CommandContext& session, const Group& group, store::Reader& reader) {
    constexpr int most_read = 1'000;
    constexpr std::ptrdiff_t most_reasons = 5;
    constexpr std::size_t longest_url = 120;
    const auto urls = urls_without_page(reader, group.id, most_read);
    if (!urls || urls->empty()) return;
    using Urls = std::vector<const FrontierUrl*>;
    std::vector<std::pair<std::string, Urls>> reasons;
    for (const FrontierUrl& url : *urls) {
        const bool failed = url.state == UrlState::failed;
        // Pages that robots.txt forbids are not reported.
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

// Says what to do next, in the last line, since that is the line people read.
void say_next(const Group& group, const store::Reader& reader) {
    const std::string id = id_of(group, reader);
    const GroupCounters& counters = group.counters;
    if (group.state == JobState::paused)
        return say(fmt::format("Go on with: quarry crawl {} --resume --wait", id));
    if (counters.failed > 0)
        say(fmt::format("All that gave no page, and why: quarry status {} --errors", id));
    // Pages that have not changed are in the index since an earlier crawl.
    if (counters.indexed > 0 || (group.index_pages && counters.unchanged > 0)) {
        say(fmt::format("Try: quarry search \"how do I …\"{}", collection_flag(group)));
    } else if (counters.completed > 0) {
        say(fmt::format("Read the pages: quarry export pages {}", id));
        if (!group.index_pages) say(fmt::format("Make them searchable: quarry crawl {} --embed", id));
    }
}

void say_summary(const CommandContext& session, const Group& group, store::Reader& reader) {
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
    return all_went_well && group.counters.completed > 0 ? exit_success : exit_incomplete;
}

}  // namespace

int report_end(const CommandContext& session, const app::DataSource& place, const Group& group,
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
    return std::max(exit_code_of(group),
                    was_interrupted() ? exit_interrupted : report_index(session, group, **reader));
}

int report_index(const CommandContext& session, const Group& group, store::Reader& reader) {
    const auto counts = reader.outbox_counts("", group.id);
    if (!counts) return give_up(session, counts.error());
    const int exit_code = report_index(session, *counts);
    if (counts->pending + counts->failed > 0 && !was_interrupted())
        say(fmt::format("Embed what waits: quarry crawl {} --embed", id_of(group, reader)));
    return exit_code;
}

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto redraw_every = 200ms;

// Shows the crawl from a thread of its own, while the calling thread works on it.
class ProgressView {
public:
    ProgressView(const app::DataSource& place, CrawlView& view, GroupId group)
        : thread_([&place, &view, group](std::stop_token stop) { look_on(place, view, group, stop); }) {}

private:
    static void look_on(const app::DataSource& place, CrawlView& view, GroupId group, std::stop_token stop) {
        if (view.is_silent()) return;
        const auto reader = app::open_reader(place);
        while (reader && view.update(**reader, group) && pause_for(redraw_every, stop)) {
        }
    }

    std::jthread thread_;
};

class CrawlWait {
public:
    CrawlWait(const CommandContext& session, const app::DataSource& place, CrawlBeginning beginning,
              Narration narration)
        : place_(place), beginning_(std::move(beginning)), view_(session.terminal, narration) {}

    Result<Group> run() {
        while (true) {
            auto reached = TRY(app::reach_owner(place_, stop_on_interrupt()));
            if (auto* owner = std::get_if<std::unique_ptr<app::OwnerLink>>(&reached)) {
                TRY(look_on(**owner));
            } else {
                TRY(work(std::get<app::FolderLock>(std::move(reached))));
            }
            if (!is_begun_) continue;  // the owner left before it heard
            const auto reader = TRY(app::open_reader(place_));
            Group group = TRY(view_.update(*reader, *beginning_.group));
            view_.clear();
            if (!goes_on(group.state) || was_interrupted()) return group;
        }
    }

private:
    // The owner works. Returns when the crawl is over or the owner has left.
    Result<void> look_on(app::OwnerLink& owner) {
        if (!is_begun_ && !beginning_.method.empty()) {
            const auto answer = owner.call(beginning_.method, beginning_.params);
            if (!answer && !owner.was_heard()) return {};
            if (!answer) return std::unexpected(answer.error());
            TRY(note_begun(*answer));
        }
        TRY(note_begun({}));
        // If the owner leaves between these calls, the wait for the next event fails.
        const auto hears = view_.embedded() ? app::Hears::pages : app::Hears::changes;
        if (!owner.follow(beginning_.group, hears)) return {};
        const auto reader = TRY(app::open_reader(place_));
        while (true) {
            const Group group = TRY(view_.update(*reader, *beginning_.group));
            if (!goes_on(group.state)) {
                // The pages are here; now they have to be found.
                IndexWork indexing{.group = group.id, .embedded = view_.embedded()};
                indexing.look = [&]() -> Result<void> {
                    TRY(view_.update(*reader, group.id));
                    return {};
                };
                TRY(look_on_until_indexed(owner, *reader, indexing));
                return {};
            }
            if (was_interrupted()) {
                TRY(owner.call("pause", {{"group", number(*beginning_.group)}}));
                return {};
            }
            if (!hear(owner)) return {};
        }
    }

    // Until it is time to look again. False once the owner has left.
    bool hear(app::OwnerLink& owner) {
        const auto until = std::chrono::steady_clock::now() + redraw_every;
        while (std::chrono::steady_clock::now() < until) {
            const auto event = owner.next_event(redraw_every);
            if (!event) return false;
            if (*event && view_.embedded()) view_.embedded()->hear(**event);
            if (!*event || (*event)->what == store::Event::What::group_changed) return true;
        }
        return true;
    }

    // No other process works: this one does until the crawl is over.
    Result<void> work(app::FolderLock lock) {
        auto owner = TRY(app::OwnerProcess::open(place_, std::move(lock), app::OwnerRole::command));
        if (!is_begun_ && !beginning_.method.empty()) {
            const auto answer = TRY(app::perform(owner->store(), beginning_.method, beginning_.params));
            TRY(note_begun(answer));
        }
        TRY(note_begun({}));
        const GroupId group = *beginning_.group;
        const auto listening =
            view_.embedded() ? view_.embedded()->listen_to(owner->store(), group) : nullptr;
        Result<void> worked;
        {
            const ProgressView onlooker(place_, view_, group);
            worked =
                owner->work_until({.indexed = work::RunUntil::Indexed{.group = group}}, stop_on_interrupt());
        }
        view_.clear();
        if (was_interrupted()) {
            // The crawl may have ended while the work stopped: then there is nothing to pause.
            const auto paused = owner->store().pause(group);
            if (!paused && paused.error().code != ErrorCode::conflict) return paused;
        }
        TRY(std::move(worked));
        const bool work_is_left = TRY(owner->leave(app::Stalled::no));
        owner.reset();
        if (work_is_left)  // of other commands: this one waits only for its own
            TRY(app::start_background_worker(place_, place_.settings.duration("worker.idle_exit")));
        return {};
    }

    Result<void> note_begun(const json::value& answer) {
        if (is_begun_) return {};
        if (!beginning_.group) beginning_.group = GroupId{TRY(answered_number(answer, "group"))};
        is_begun_ = true;
        const auto reader = TRY(app::open_reader(place_));
        const Group group = TRY(reader->group(*beginning_.group));
        say(fmt::format("Crawling {} ({})", printable(start_of(group)), extent_of(group)));
        say(fmt::format("Job ID: {}", id_of(group, *reader)));
        if (const auto position = reader->position(group.id); position && *position > 0)
            say(queued_at(*position));
        return {};
    }

    const app::DataSource& place_;
    CrawlBeginning beginning_;
    CrawlView view_;
    bool is_begun_ = false;
};

}  // namespace

Result<Group> wait_for_crawl(const CommandContext& session, const app::DataSource& place,
                             CrawlBeginning beginning, Narration narration) {
    return CrawlWait(session, place, std::move(beginning), narration).run();
}

}  // namespace quarry::cli
