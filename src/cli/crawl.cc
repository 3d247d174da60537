// `quarry crawl`: whole sites, fetched by a worker that outlives the command, or by the command itself when
// it waits.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/background.h"
#include "cli/commands.h"
#include "cli/crawl_end.h"
#include "cli/crawl_options.h"
#include "cli/crawl_text.h"
#include "cli/crawl_wait.h"
#include "cli/exit_code.h"
#include "cli/index_wait.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/place.h"
#include "cli/schedule.h"
#include "model/json_in.h"
#include "store/filter_json.h"

namespace quarry::cli {
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

int wait_and_report(const Session& session, const app::Workplace& place, const CrawlArguments& arguments,
                    CrawlBeginning beginning) {
    const auto group = wait_for_crawl(session, place, std::move(beginning), narration_of(arguments));
    if (!group) return give_up(session, group.error());
    return report_end(session, place, *group, arguments.output);
}

// Human lines for people, one JSON object for programs.
Result<void> announce(const app::Workplace& place, GroupId id) {
    const auto reader = TRY(app::open_reader(place));
    const Group group = TRY(reader->group(id));
    const std::string public_id = id_of(group, *reader);
    const std::int64_t position = reader->position(id).value_or(0);
    say(fmt::format("Queued the crawl of {}: {}", printable(start_of(group)), public_id));
    if (position > 0) say(fmt::format("Crawl queued at position {}", position));
    say(fmt::format("Follow it with: quarry status {} --watch", public_id));
    json::object data{{"jobId", public_id}, {"url", group.name}, {"status", name_of(group.state)}};
    if (position > 0) data["queuePosition"] = position;
    write_data(json::serialize(json::object{{"success", true}, {"data", std::move(data)}}) + "\n");
    return {};
}

Result<void> start_in_background(const app::Workplace& place, json::object options) {
    const app::Asked asked = TRY(app::ask(place, "crawl", std::move(options)));
    // The crawl is safe in the store by now. An owner that answered works on it; without one a worker is
    // started, and finds it there.
    if (!asked.by_owner)
        TRY(app::start_background_worker(place, place.settings.duration("worker.idle_exit")));
    return announce(place, GroupId{TRY(answered_number(asked.answer, "group"))});
}

int start(const Session& session, const app::Workplace& place, const CrawlArguments& arguments) {
    auto options = crawl_options(session, arguments.flags);
    if (!options) return give_up(session, {ErrorCode::invalid_argument, options.error().message});
    if (place.remote && (options->allow_private || !options->allow_networks.empty()))
        say("note: which addresses may be reached is the server's to say (its setting fetch.allow_private)");
    if (!arguments.every.empty()) return schedule_crawl(session, place, arguments.every, *options);
    if (arguments.waits())
        return wait_and_report(session, place, arguments, {.method = "crawl", .params = to_json(*options)});
    const auto started = start_in_background(place, to_json(*options));
    return started ? exit_yes : give_up(session, started.error());
}

Result<void> control_one(const app::Workplace& place, const std::string& method, const std::string& id) {
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

int resume_and_wait(const Session& session, const app::Workplace& place, const CrawlArguments& arguments) {
    const auto reader = app::open_reader(place);
    if (!reader) return give_up(session, reader.error());
    const auto group = find_crawl(**reader, arguments.flags.targets.front());
    if (!group) return give_up(session, group.error());
    return wait_and_report(
        session, place, arguments,
        {.method = "resume", .params = {{"group", number(group->id)}}, .group = group->id});
}

int control(const Session& session, const app::Workplace& place, const CrawlArguments& arguments) {
    const std::string method = arguments.cancel ? "cancel" : arguments.pause ? "pause" : "resume";
    if (arguments.cancel + arguments.pause + arguments.resume > 1 || arguments.flags.targets.empty())
        return give_up(session,
                       {ErrorCode::invalid_argument,
                        "name a crawl and one of --cancel, --pause and --resume. See quarry crawl --help"});
    if (arguments.resume && arguments.waits() && arguments.flags.targets.size() == 1)
        return resume_and_wait(session, place, arguments);
    int exit_code = exit_yes;
    for (const std::string& id : arguments.flags.targets)
        if (const auto done = control_one(place, method, id); !done)
            exit_code = std::max(exit_code, give_up(session, done.error()));
    return exit_code;
}

// `crawl ID --embed`: the pages of a crawl that kept them out of the index, or whose embedding had failed.
int embed_crawl(const Session& session, const app::Workplace& place, const std::string& id) {
    const auto reader = app::open_reader(place);
    if (!reader) return give_up(session, reader.error());
    const auto group = find_crawl(**reader, id);
    if (!group) return give_up(session, group.error());
    const auto begin = [&](const Perform& perform) -> Result<void> {
        TRY(perform("index_again", {{"group", number(group->id)}}));
        TRY(perform("retry_jobs",
                    store::to_json(store::JobFilter{.group = group->id, .kind = "embed_page"})));
        return {};
    };
    const IndexWork work{.group = group->id, .begin = begin};
    const auto counts = work_until_indexed(session, place, work);
    if (!counts) return give_up(session, counts.error());
    say(fmt::format("{} pages indexed", with_commas(counts->completed)));
    return report_index(session, *counts);
}

int run_crawl(const Session& session, const CrawlArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (arguments.controls()) return control(session, *place, arguments);
    if (arguments.embed) {
        if (arguments.flags.targets.size() == 1)
            return embed_crawl(session, *place, arguments.flags.targets.front());
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
                                 "quarry crawl 0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10 --pause");
    const auto arguments = std::make_shared<CrawlArguments>();
    add_crawl_flags(builder, parser, arguments->flags);
    parser.add_flag("--wait", arguments->wait, "Stay until it is done");
    parser.add_flag("--progress", arguments->progress, "Stay, and say how far it is");
    parser.add_option("-o,--output", arguments->output,
                      "Stay, then write the pages as files in this folder (DIR/)");
    parser.add_option("--every", arguments->every,
                      "Crawl again and again: a cron expression in UTC, or @daily");
    parser.add_flag("--cancel", arguments->cancel, "End the crawl of this id");
    parser.add_flag("--pause", arguments->pause, "Let the crawl of this id rest");
    parser.add_flag("--resume", arguments->resume, "Let the crawl of this id go on");
    parser.add_flag("--embed", arguments->embed,
                    "Put the pages of the crawl of this id into the search index");
    return {&parser, [arguments](const Session& session) { return run_crawl(session, *arguments); }};
}

}  // namespace quarry::cli
