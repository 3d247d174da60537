#include "cli/commands/cli_crawl_wait.h"

#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/owner/app_background.h"
#include "app/owner/methods.h"
#include "app/owner/process.h"
#include "base/pause.h"
#include "cli/output/crawl_text.h"
#include "cli/commands/index_wait.h"
#include "cli/interrupt.h"
#include "cli/data_access.h"
#include "model/json/json_in.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto redraw_every = 200ms;

// Shows the crawl from a thread of its own, while the calling thread works on it.
class Onlooker {
public:
    Onlooker(const app::Workplace& place, CrawlView& view, GroupId group)
        : thread_([&place, &view, group](std::stop_token stop) { look_on(place, view, group, stop); }) {}

private:
    static void look_on(const app::Workplace& place, CrawlView& view, GroupId group, std::stop_token stop) {
        if (view.is_silent()) return;
        const auto reader = app::open_reader(place);
        while (reader && view.update(**reader, group) && pause_for(redraw_every, stop)) {
        }
    }

    std::jthread thread_;
};

class CrawlWait {
public:
    CrawlWait(const Session& session, const app::Workplace& place, CrawlBeginning beginning,
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
        // Whoever leaves between these calls is noticed by the next event.
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

    // Nobody else does: this process works until the crawl is over.
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
            const Onlooker onlooker(place_, view_, group);
            worked =
                owner->work_until({.indexed = work::RunUntil::Indexed{.group = group}}, stop_on_interrupt());
        }
        view_.clear();
        if (was_interrupted()) {
            // It may have ended while it stopped: then there is nothing to pause.
            const auto paused = owner->store().pause(group);
            if (!paused && paused.error().code != ErrorCode::conflict) return paused;
        }
        TRY(std::move(worked));
        const bool work_is_left = TRY(owner->leave(app::Stalled::no));
        owner.reset();
        if (work_is_left)  // of others: this command waits only for its own
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

    const app::Workplace& place_;
    CrawlBeginning beginning_;
    CrawlView view_;
    bool is_begun_ = false;
};

}  // namespace

Result<Group> wait_for_crawl(const Session& session, const app::Workplace& place, CrawlBeginning beginning,
                             Narration narration) {
    return CrawlWait(session, place, std::move(beginning), narration).run();
}

}  // namespace quarry::cli
