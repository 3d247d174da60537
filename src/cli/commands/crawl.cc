// `crawl --every`.
#include <map>
#include <string>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/data_source.h"
#include "app/owner/background.h"
#include "cli/command.h"
#include "cli/commands/crawl_progress.h"
#include "cli/commands/crawl_wait.h"
#include "cli/commands/index_wait.h"
#include "cli/commands/page_options.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/files.h"
#include "crawl/options/options.h"
#include "model/json/fields.h"
#include "model/json/output.h"
#include "model/json/readable.h"
#include "url/url.h"

namespace quarry::cli {

// Has the crawl come again at the times of `cron`, in place of an earlier schedule of its first URL.
int schedule_crawl(const CommandContext& session, const app::DataSource& place, const std::string& cron,
                   const crawl::CrawlOptions& options);

// `quarry schedule`: crawls that come again and again. `crawl --every` adds them.

namespace {

namespace json = boost::json;

int list_schedules(const CommandContext& session, const app::DataSource& place) {
    const auto reader = app::open_reader(place);
    const bool is_empty = !reader && reader.error().code == ErrorCode::not_found;
    const auto schedules = reader     ? (*reader)->schedules()
                           : is_empty ? Result<std::vector<store::Schedule>>(std::vector<store::Schedule>{})
                                      : std::unexpected(reader.error());
    if (!schedules) return give_up(session, schedules.error());
    json::array records;
    std::string lines;
    for (const store::Schedule& schedule : *schedules) {
        const std::string next = schedule.next_at ? iso_time(*schedule.next_at) : "never";
        lines += fmt::format("{:<24}  {:<16}  {}\n", next, schedule.cron, schedule.name);
        records.push_back(
            json::object{{"name", schedule.name},
                         {"cron", schedule.cron},
                         {"nextAt", schedule.next_at ? json::value(next) : json::value(nullptr)}});
    }
    write_data(session.json ? json::serialize(records) + "\n" : lines);
    if (schedules->empty()) say("Nothing is scheduled");
    return exit_success;
}

int remove(const CommandContext& session, const app::DataSource& place, const std::string& name) {
    const auto asked = app::ask(place, "unschedule", {{"name", name}});
    if (!asked) return give_up(session, asked.error());
    const auto removed = answered_flag(asked->answer, "removed");
    if (!removed) return give_up(session, removed.error());
    if (session.json) write_data(json::serialize(json::object{{"success", *removed}}) + "\n");
    say(*removed ? fmt::format("{} is not scheduled any more", name)
                 : fmt::format("Nothing of that name is scheduled: {}. See quarry schedule list", name));
    return *removed ? exit_success : exit_incomplete;
}

Result<void> add_schedule_of(const app::DataSource& place, const std::string& name, const std::string& cron,
                             json::object options) {
    const app::Asked asked =
        TRY(app::ask(place, "schedule", {{"name", name}, {"cron", cron}, {"options", std::move(options)}}));
    if (!asked.by_owner)
        TRY(app::start_background_worker(place, place.settings.duration("worker.idle_exit")));
    return {};
}

}  // namespace

int schedule_crawl(const CommandContext& session, const app::DataSource& place, const std::string& cron,
                   const crawl::CrawlOptions& options) {
    const std::string name = url::without_secrets(options.urls.front());
    const auto added = add_schedule_of(place, name, cron, to_json(options));
    if (!added) return give_up(session, added.error());
    say(fmt::format("{} will be crawled at \"{}\" (UTC) while a worker runs", name, cron));
    say("After a restart of the machine one runs again with: quarry daemon install");
    write_data(
        json::serialize(json::object{{"success", true}, {"data", {{"schedule", name}, {"cron", cron}}}}) +
        "\n");
    return exit_success;
}

Command add_schedule(CommandBuilder& builder) {
    Parser& parser = builder.add("schedule", "Crawls that come again and again",
                                 "quarry schedule list\n"
                                 "quarry schedule remove https://blog.example.com/\n"
                                 "quarry crawl https://blog.example.com --every '0 6 * * *'   # adds one");
    parser.add_command("list", "What is crawled when");
    Parser& removed = parser.add_command("remove", "Crawl it no more");
    const auto name = std::make_shared<std::string>();
    removed.add_option("name", *name, "Its name, as list shows it").required();
    parser.require_command();
    return {&parser, [name, &parser](const CommandContext& session) {
                const auto place = place_of(session);
                if (!place) return give_up(session, place.error());
                return parser.chose("remove") ? remove(session, *place, *name)
                                              : list_schedules(session, *place);
            }};
}

// `quarry crawl`: whole sites, fetched by a worker that outlives the command, or by the command itself when
// it waits.

namespace {

namespace json = boost::json;

struct CrawlArguments {
    CrawlFlags flags{};
    bool wait = false, progress = false;
    std::string output{}, every{};
    bool cancel = false, pause = false, resume = false, embed = false;

    bool waits() const { return wait || progress || !output.empty(); }
    bool controls() const { return cancel || pause || resume; }
};

Narration narration_of(const CrawlArguments& arguments) {
    return arguments.progress ? Narration::line_by_line : Narration::silent;
}

int wait_and_report(const CommandContext& session, const app::DataSource& place,
                    const CrawlArguments& arguments, CrawlBeginning beginning) {
    const auto group = wait_for_crawl(session, place, std::move(beginning), narration_of(arguments));
    if (!group) return give_up(session, group.error());
    return report_end(session, place, *group, {.output = arguments.output, .record = arguments.progress});
}

// Human lines for people, one JSON object for programs.
Result<void> announce(const app::DataSource& place, GroupId id) {
    const auto reader = TRY(app::open_reader(place));
    const Group group = TRY(reader->group(id));
    const std::string public_id = id_of(group, *reader);
    const std::int64_t position = reader->position(id).value_or(0);
    say(fmt::format("Queued the crawl of {}: {}", printable(start_of(group)), public_id));
    if (position > 0) say(queued_at(position));
    say(group.index_pages
            ? fmt::format("Its pages are embedded in the background. To have that done now: "
                          "quarry crawl {} --embed",
                          public_id)
            : fmt::format("Its pages are not embedded. To do that later: quarry crawl {} --embed",
                          public_id));
    say(fmt::format("Follow it with: quarry status {} --watch", public_id));
    json::object data{{"jobId", public_id}, {"url", group.name}, {"status", name_of(group.state)}};
    if (position > 0) data["queuePosition"] = position;
    write_data(json::serialize(json::object{{"success", true}, {"data", std::move(data)}}) + "\n");
    return {};
}

Result<void> start_in_background(const app::DataSource& place, json::object options) {
    const app::Asked asked = TRY(app::ask(place, "crawl", std::move(options)));
    // The crawl is safe in the store by now. An owner that answered works on it; without one a worker is
    // started, and finds it there.
    if (!asked.by_owner)
        TRY(app::start_background_worker(place, place.settings.duration("worker.idle_exit")));
    return announce(place, GroupId{TRY(answered_number(asked.answer, "group"))});
}

int start(const CommandContext& session, const app::DataSource& place, const CrawlArguments& arguments) {
    auto options = crawl_options(session, arguments.flags);
    if (!options) return give_up(session, {ErrorCode::invalid_argument, options.error().message});
    if (place.remote && (options->allow_private || !options->allow_networks.empty()))
        say("note: which addresses may be reached is the server's to say (its setting fetch.allow_private)");
    if (!arguments.every.empty()) return schedule_crawl(session, place, arguments.every, *options);
    if (arguments.waits())
        return wait_and_report(session, place, arguments, {.method = "crawl", .params = to_json(*options)});
    const auto started = start_in_background(place, to_json(*options));
    return started ? exit_success : give_up(session, started.error());
}

Result<void> control_one(const app::DataSource& place, const std::string& method, const std::string& id) {
    const auto reader = TRY(app::open_reader(place));
    const Group group = TRY(find_crawl(*reader, id));
    const auto answer = app::ask(place, method, {{"group", number(group.id)}});
    if (!answer && answer.error().code == ErrorCode::conflict)
        return fail(ErrorCode::conflict,
                    fmt::format("crawl {}: {}", id_of(group, *reader), answer.error().message));
    const app::Asked asked = TRY(answer);
    if (method == "resume" && !asked.by_owner)
        TRY(app::start_background_worker(place, place.settings.duration("worker.idle_exit")));
    const Group after = TRY(reader->group(group.id));
    say(fmt::format("{} is {}", id_of(after, *reader), name_of(after.state)));
    write_data(
        json::serialize(json::object{
            {"success", true},
            {"data",
             {{"jobId", id_of(after, *reader)}, {"url", after.name}, {"status", name_of(after.state)}}}}) +
        "\n");
    return {};
}

int resume_and_wait(const CommandContext& session, const app::DataSource& place,
                    const CrawlArguments& arguments) {
    const auto reader = app::open_reader(place);
    if (!reader) return give_up(session, reader.error());
    const auto group = find_crawl(**reader, arguments.flags.targets.front());
    if (!group) return give_up(session, group.error());
    return wait_and_report(
        session, place, arguments,
        {.method = "resume", .params = {{"group", number(group->id)}}, .group = group->id});
}

int control(const CommandContext& session, const app::DataSource& place, const CrawlArguments& arguments) {
    const std::string method = arguments.cancel ? "cancel" : arguments.pause ? "pause" : "resume";
    if (arguments.cancel + arguments.pause + arguments.resume > 1 || arguments.flags.targets.empty())
        return give_up(session,
                       {ErrorCode::invalid_argument,
                        "name a crawl and one of --cancel, --pause and --resume. See quarry crawl --help"});
    if (arguments.resume && arguments.waits() && arguments.flags.targets.size() == 1)
        return resume_and_wait(session, place, arguments);
    int exit_code = exit_success;
    for (const std::string& id : arguments.flags.targets)
        if (const auto done = control_one(place, method, id); !done)
            exit_code = std::max(exit_code, give_up(session, done.error()));
    return exit_code;
}

// "Embedding 98 pages of https://a.example/ (attempt 1/3)", a line for each number of attempts that they had.
Result<void> announce_embedding(store::Reader& reader, const Group& group) {
    constexpr int pages_at_once = 1'000;
    std::map<std::pair<int, int>, std::int64_t>
        pages;  // by the attempt that comes, and the most there may be
    store::JobQuery wanted{
        .filter = {.group = group.id, .kind = "embed_page", .states = {JobState::queued, JobState::running}},
        .limit = pages_at_once};
    for (bool more = true; more;) {
        const auto jobs = TRY(reader.jobs(wanted));
        for (const Job& job : jobs) ++pages[{job.attempts + 1, job.max_attempts}];
        more = std::ssize(jobs) == pages_at_once;
        if (more) wanted.after = jobs.back().id;
    }
    for (const auto& [attempt, count] : pages)
        say(fmt::format("Embedding {} of {} (attempt {}/{})", counted(count, "page"),
                        printable(start_of(group)), attempt.first, attempt.second));
    return {};
}

// What the crawl has in the index now, compared with before.
void say_embedded(const Group& before, const Group& now) {
    const std::int64_t pages = now.counters.indexed - before.counters.indexed;
    const std::int64_t chunks = now.counters.chunks - before.counters.chunks;
    if (pages > 0)
        return say(fmt::format("Embedded {} in {}", counted(pages, "page"), counted(chunks, "chunk")));
    say(fmt::format("Nothing to embed: the index has {} of the crawl in {}",
                    counted(now.counters.indexed, "page"), counted(now.counters.chunks, "chunk")));
}

// `crawl ID --embed`: the pages of a crawl that are not in the index: they were kept out of it, wait for
// their time, or have failed.
Result<int> embed_crawl(const CommandContext& session, const app::DataSource& place,
                        const CrawlArguments& arguments) {
    const auto reader = TRY(app::open_reader(place));
    const Group group = TRY(find_crawl(*reader, arguments.flags.targets.front()));
    EmbeddedLines embedded;
    const bool narrates = arguments.progress || session.verbose;
    IndexWork work{.group = group.id, .embedded = narrates ? &embedded : nullptr};
    work.begin = [&](const Perform& perform) -> Result<void> {
        TRY(perform("embed", {{"group", number(group.id)}}));
        if (narrates) TRY(announce_embedding(*reader, group));
        return {};
    };
    const auto counts = TRY(work_until_indexed(session, place, work));
    const Group now = TRY(reader->group(group.id));
    if (counts.pending + counts.failed == 0 || now.counters.indexed > group.counters.indexed)
        say_embedded(group, now);
    if (session.json || arguments.progress) write_data(readable_json(crawl_record(now, *reader)) + "\n");
    return report_index(session, counts);
}

int run_crawl(const CommandContext& session, const CrawlArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (arguments.controls()) return control(session, *place, arguments);
    if (arguments.embed) {
        if (arguments.flags.targets.size() == 1) {
            const auto code = embed_crawl(session, *place, arguments);
            return code ? *code : give_up(session, code.error());
        }
        return give_up(session, {ErrorCode::invalid_argument, "--embed takes the id of one crawl"});
    }
    for (const std::string& target : arguments.flags.targets)
        if (looks_like_id(target) && target.size() == 36)
            return give_up(
                session,
                {ErrorCode::invalid_argument,
                 fmt::format("{} is the id of a crawl: say --cancel, --pause, --resume or --embed, or see "
                             "quarry status {}",
                             target, target)});
    if (!arguments.output.empty() && !names_folder(arguments.output))
        return give_up(
            session, {ErrorCode::invalid_argument,
                      fmt::format("the pages of a crawl need a folder to go to: -o {}/", arguments.output)});
    return start(session, *place, arguments);
}

}  // namespace

Command add_crawl(CommandBuilder& builder) {
    Parser& parser = builder.add("crawl", "Fetch whole sites and keep their pages",
                                 "quarry crawl https://docs.example.com --wait\n"
                                 "quarry crawl https://docs.example.com --limit 200 --exclude '^/archive/'\n"
                                 "quarry crawl https://docs.example.com -o pages/\n"
                                 "quarry crawl -f urls.txt --only-these --collection news\n"
                                 "quarry crawl http://localhost:8000/ --allow-private --max-concurrency 32\n"
                                 "quarry crawl https://blog.example.com --every '0 6 * * *'\n"
                                 "quarry crawl 0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10 --pause\n"
                                 "quarry crawl 0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10 --embed --progress");
    const auto arguments = std::make_shared<CrawlArguments>();
    add_crawl_flags(builder, parser, arguments->flags);
    parser.add_flag("--wait", arguments->wait, "Stay until it is done");
    parser.add_flag("--progress", arguments->progress,
                    "Stay, say how far it is, page by page, and end with the crawl's record");
    parser.add_option("-o,--output", arguments->output,
                      "Stay, then write the pages as files in this folder (DIR/)");
    parser.add_option("--every", arguments->every,
                      "Crawl again and again: a cron expression in UTC, or @daily");
    parser.add_flag("--cancel", arguments->cancel, "End the crawl of this id");
    parser.add_flag("--pause", arguments->pause, "Let the crawl of this id rest");
    parser.add_flag("--resume", arguments->resume, "Let the crawl of this id go on");
    parser.add_flag("--embed", arguments->embed,
                    "Embed now what is not in the search index yet of the crawl of this id");
    return {&parser, [arguments](const CommandContext& session) { return run_crawl(session, *arguments); }};
}

}  // namespace quarry::cli
