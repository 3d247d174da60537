#include "cli/commands/work_off.h"

#include <cctype>

#include <fmt/format.h>

#include "app/owner/process.h"
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "cli/data_access.h"

namespace quarry::cli {
namespace {

using namespace std::chrono_literals;

// What waits for a service that is not there is not waited for.
Result<bool> is_busy(store::Reader& reader) {
    const bool has_jobs = TRY(app::has_jobs(reader));
    return has_jobs ? Result<bool>(true) : app::has_changes(reader, app::Stalled::no);
}

// Until there is no crawl or job left, or the owner has left.
Result<void> wait_for(app::OwnerLink& owner, const app::Workplace& place) {
    if (!owner.follow(std::nullopt, app::Hears::changes)) return {};
    const auto reader = TRY(app::open_reader(place));
    while (!was_interrupted()) {
        const bool goes_on = TRY(is_busy(*reader));
        if (!goes_on) return {};
        // Jobs outside of crawls end without an event for all: look again now and then.
        if (!owner.next_event(500ms)) return {};
    }
    return {};
}

Result<void> work_here(const app::Workplace& place, app::FolderLock lock) {
    const auto owner = TRY(app::OwnerProcess::open(place, std::move(lock), app::OwnerRole::foreground,
                                                   [](std::string_view line) { say_line(line); }));
    const auto reader = TRY(app::open_reader(place));
    // A schedule is never done, so the engine would wait for its next time.
    const auto is_done = [&] { return !owner->is_indexing() && !is_busy(*reader).value_or(true); };
    while (true) {
        TRY(owner->work_until({.drained = true, .enough = is_done}, stop_on_interrupt()));
        TRY(owner->leave());
        const bool more_has_come = TRY(is_busy(*reader));
        if (!more_has_come || was_interrupted() || owner->was_asked_to_stop()) return {};
        // Something came in at the last moment: another round without a socket would keep others waiting.
        TRY(owner->listen());
    }
}

Result<void> work_until_nothing_is_left(const app::Workplace& place) {
    while (!was_interrupted()) {
        auto reached = TRY(app::reach_owner(place, stop_on_interrupt()));
        auto* owner = std::get_if<std::unique_ptr<app::OwnerLink>>(&reached);
        if (!owner) return work_here(place, std::get<app::FolderLock>(std::move(reached)));
        std::string name = (*owner)->name();
        name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
        say(fmt::format("{} works already; waiting for it", name));
        TRY(wait_for(**owner, place));
        const auto reader = TRY(app::open_reader(place));
        const bool goes_on = TRY(is_busy(*reader));
        if (!goes_on) return {};
    }
    return {};
}

}  // namespace

int work_off(const Session& session, const app::Workplace& place) {
    stop_on_interrupt();
    const auto worked = work_until_nothing_is_left(place);
    if (was_interrupted()) {
        say("Interrupted: what was under way is finished, the rest waits for the next worker");
        return exit_interrupted;
    }
    return worked ? exit_yes : give_up(session, worked.error());
}

}  // namespace quarry::cli
