#include "cli/crawl_watch.h"

#include <memory>
#include <thread>

#include "app/reach_owner.h"
#include "cli/crawl_end.h"
#include "cli/crawl_view.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/place.h"

namespace quarry::cli {
namespace {

using namespace std::chrono_literals;

// Wakes up when something changes, and five times a second to redraw.
class ChangeWatch {
public:
    ChangeWatch(const app::Workplace& place, GroupId group) : place_(place), group_(group) {}

    void wait() {
        constexpr auto redraw_every = 200ms;
        if (!owner_) find_owner();
        if (!owner_) return std::this_thread::sleep_for(redraw_every);  // until a worker starts
        if (!owner_->next_event(redraw_every)) owner_.reset();
    }

private:
    void find_owner() {
        auto owner = app::connect_to_owner(place_);
        if (owner && (*owner)->follow(group_)) owner_ = *std::move(owner);
    }

    const app::Workplace& place_;
    GroupId group_;
    std::unique_ptr<app::OwnerLink> owner_;
};

Result<Group> look_on(const Session& session, const app::Workplace& place, GroupId id) {
    const auto reader = TRY(app::open_reader(place));
    CrawlView view(session.terminal, Narration::line_by_line);
    ChangeWatch changes(place, id);
    while (true) {
        Group group = TRY(view.update(*reader, id));
        if (!goes_on(group.state) || was_interrupted()) return group;
        changes.wait();
    }
}

}  // namespace

int watch_crawl(const Session& session, const app::Workplace& place, GroupId id) {
    stop_on_interrupt();
    const auto group = look_on(session, place, id);
    if (!group) return give_up(session, group.error());
    if (was_interrupted()) return exit_interrupted;
    return report_end(session, place, *group, "");
}

}  // namespace quarry::cli
