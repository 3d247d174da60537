#include "cli/commands/crawl_watch.h"

#include <memory>
#include <thread>

#include "app/owner/reach_owner.h"
#include "cli/commands/crawl_end.h"
#include "cli/commands/crawl_wait.h"
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "cli/data_access.h"
#include "store/index_progress.h"

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
        if (owner && (*owner)->follow(group_, app::Hears::changes)) owner_ = *std::move(owner);
    }

    const app::Workplace& place_;
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

Result<Group> look_on(const Session& session, const app::Workplace& place, GroupId id) {
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

int watch_crawl(const Session& session, const app::Workplace& place, GroupId id) {
    stop_on_interrupt();
    const auto group = look_on(session, place, id);
    if (!group) return give_up(session, group.error());
    if (was_interrupted()) return exit_interrupted;
    return report_end(session, place, *group, {});
}

}  // namespace quarry::cli
