// `quarry worker`: works on what is due, in the foreground; in the background it is what `crawl` starts.
#include <fmt/format.h>
#include <unistd.h>

#include "app/owner/process.h"
#include "app/services/web_access.h"
#include "app/owner/background.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "cli/data_access.h"
#include "cli/commands/take_over.h"
#include "cli/commands/work_off.h"

namespace quarry::cli {
namespace {

struct WorkerArguments {
    bool once = false, background = false;
    std::string idle_exit{};
};

constexpr auto never = std::chrono::milliseconds(0);

Result<void> work_in_background(const app::Workplace& place, std::chrono::milliseconds idle) {
    auto reached = TRY(app::reach_owner(place.folder, place.version, stop_on_interrupt()));
    // Whoever answers works already, and found in the store what this worker was started for.
    if (std::holds_alternative<app::OwnerClient>(reached)) return {};
    auto log = TRY(app::WorkerLog::open(place.folder.log(), place.settings.bytes("worker.log_size")));
    log.take_standard_error();
    log.write(fmt::format("worker: started version={}", place.version));
    if (const std::string exposure = place.folder.exposure(); !exposure.empty())
        log.write("worker: warning: " + exposure);
    // Written to by the owner's thread only while it runs, by this one before and after.
    auto owner =
        app::OwnerProcess::open(place, std::get<app::FolderLock>(std::move(reached)),
                                app::OwnerRole::background, [&](std::string_view line) { log.write(line); });
    Result<void> worked;
    if (owner) worked = (*owner)->work_until_idle(idle, stop_on_interrupt());
    if (!owner) worked = std::unexpected(owner.error());
    if (owner) owner->reset();
    log.write(worked ? "worker: left" : fmt::format("worker: left error=\"{}\"", worked.error().message));
    return worked;
}

Result<void> work_in_foreground(app::Workplace place, std::chrono::milliseconds idle) {
    auto lock = TRY(take_place(place));
    auto owner = TRY(app::OwnerProcess::open(place, std::move(lock), app::OwnerRole::foreground,
                                             [](std::string_view line) { say_line(line); }));
    say(fmt::format("Working on {}. Ctrl-C finishes what is under way and stops", app::shown(place)));
    return owner->work_until_idle(idle, stop_on_interrupt());
}

int run_worker(const Session& session, const WorkerArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    auto idle = arguments.idle_exit.empty() ? Result<std::chrono::milliseconds>(never)
                                            : parse_duration(arguments.idle_exit);
    if (!idle) return give_up(session, {ErrorCode::invalid_argument, "--idle-exit: " + idle.error().message});
    const std::string note = app::note_on_ignored_credentials(session.settings);
    if (!note.empty() && !arguments.background) say("warning: " + note);
    if (arguments.once) return work_off(session, *place);
    if (arguments.background && chdir("/") != 0) return exit_error;
    const auto worked =
        arguments.background ? work_in_background(*place, *idle) : work_in_foreground(*place, *idle);
    if (!worked) return give_up(session, worked.error());
    return was_interrupted() && !arguments.background ? exit_interrupted : exit_yes;
}

}  // namespace

Command add_worker(CommandBuilder& builder) {
    Parser& parser =
        builder.add("worker", "Work on crawls and jobs in the foreground",
                    "quarry worker                  # until Ctrl-C\n"
                    "quarry worker --once           # until nothing is left\n"
                    "quarry worker --idle-exit 5m   # until there was nothing to do for so long");
    const auto arguments = std::make_shared<WorkerArguments>();
    parser.add_flag("--once", arguments->once, "Until nothing is left, delayed and running jobs included");
    parser.add_option("--idle-exit", arguments->idle_exit, "Leave after so long without work");
    parser.add_flag("--background", arguments->background, "").hidden();  // only for start_background_worker
    return {&parser, [arguments](const Session& session) { return run_worker(session, *arguments); }};
}

}  // namespace quarry::cli
