#include "cli/commands/take_over.h"

#include <fmt/format.h>

#include "app/owner/reach_owner.h"
#include "cli/interrupt.h"
#include "cli/output/terminal.h"

namespace quarry::cli {

namespace {

void say_exposure(const app::Workplace& place) {
    if (const std::string exposure = place.folder.exposure(); !exposure.empty()) say("warning: " + exposure);
}

}  // namespace

Result<app::FolderLock> take_over(const app::Workplace& place) {
    say_exposure(place);
    while (true) {
        auto reached = TRY(app::reach_owner(place.folder, place.version, stop_on_interrupt()));
        auto* owner = std::get_if<app::OwnerClient>(&reached);
        if (!owner) return std::get<app::FolderLock>(std::move(reached));
        if (owner->owner().role != app::OwnerRole::background)
            return fail(
                ErrorCode::conflict,
                fmt::format("process {} works on the data folder {} already. Stop it, or use another folder "
                            "with --data",
                            owner->owner().process, place.folder.path));
        say(fmt::format("Taking over from the background worker (process {})", owner->owner().process));
        if (owner->call("handover")) owner->wait_until_left();
    }
}

Result<app::FolderLock> take_place(app::Workplace& place) {
    if (!place.store.is_shared()) return take_over(place);
    say_exposure(place);
    const std::string first = place.folder.path;
    for (int number = 2;; ++number) {
        auto lock = app::FolderLock::take(place.folder, place.version);
        if (lock || lock.error().code != ErrorCode::conflict) return lock;
        place.folder.path = fmt::format("{}/worker-{}", first, number);
        place.answers_searches = false;
    }
}

}  // namespace quarry::cli
