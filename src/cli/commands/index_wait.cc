#include "cli/commands/index_wait.h"

#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/owner/background.h"
#include "app/owner/process.h"
#include "base/threads.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/terminal.h"
#include "model/json/fields.h"
#include "store/index_progress.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto look_every = 100ms;

std::string pages(std::int64_t count) {
    return counted(count, "page");
}

void say_all(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) say(line);
}

// Says how many pages are left, from a thread of its own, while the calling thread works on them.
class Countdown {
public:
    Countdown(const CommandContext& session, const app::DataSource& place, const IndexWork& work)
        : lines_(session.terminal) {
        if (session.terminal.progress || work.embedded)
            thread_ = std::jthread([this, &place, &work](std::stop_token stop) { run(place, work, stop); });
    }

private:
    void run(const app::DataSource& place, const IndexWork& work, std::stop_token stop) {
        const auto reader = app::open_reader(place);
        if (!reader) return;
        do {
            const auto counts = (*reader)->outbox_counts(work.collection, work.group);
            if (work.embedded) {
                lines_.clear();
                say_all(work.embedded->take());
            }
            if (counts) lines_.show({line(work, counts->pending + counts->processing)});
        } while (pause_for(2 * look_every, stop));
        lines_.clear();
    }

    static std::string line(const IndexWork& work, std::int64_t left) {
        return left > 0 ? fmt::format("{}: {} left", work.what, pages(left))
                        : fmt::format("{}: learning how its words belong together", work.what);
    }

    LiveLines lines_;
    std::jthread thread_;
};

// What waits for its time after an error waits for a service that is not there.
bool is_over(const store::OutboxCounts& counts) {
    if (counts.processing > 0) return false;
    return counts.pending == 0 || (counts.next_due && !counts.last_error.empty());
}

class IndexWait {
public:
    IndexWait(const CommandContext& session, const app::DataSource& place, const IndexWork& work)
        : session_(session), place_(place), work_(work) {}

    Result<store::OutboxCounts> run() {
        while (!is_done_ && !was_interrupted()) {
            auto reached = TRY(app::reach_owner(place_, stop_on_interrupt()));
            if (auto* owner = std::get_if<std::unique_ptr<app::OwnerLink>>(&reached)) {
                TRY(look_on(**owner));
            } else {
                TRY(work(std::get<app::FolderLock>(std::move(reached))));
            }
        }
        if (work_.embedded) say_all(work_.embedded->take());
        const auto reader = TRY(app::open_reader(place_));
        return reader->outbox_counts(work_.collection, work_.group);
    }

private:
    // The owner works. Returns when all can be found, or the owner has left.
    Result<void> look_on(app::OwnerLink& owner) {
        bool has_left = false;
        if (!is_begun_) {
            const auto begun = begin([&](std::string_view method, json::object params) {
                auto answer = owner.call(method, std::move(params));
                has_left = !answer && !owner.was_heard();
                return answer;
            });
            if (has_left) return {};
            TRY(begun);
        }
        const Countdown countdown(session_, place_, work_);
        const auto reader = TRY(app::open_reader(place_));
        is_done_ = TRY(look_on_until_indexed(owner, *reader, work_));
        // Nobody takes the place of a server.
        if (!is_done_ && place_.remote && !was_interrupted())
            return fail(ErrorCode::unavailable, owner.name() + " does not answer any more");
        return {};
    }

    // Nobody else does: this process works.
    Result<void> work(app::FolderLock lock) {
        auto owner = TRY(app::OwnerProcess::open(place_, std::move(lock), app::OwnerRole::command));
        if (!is_begun_)
            TRY(begin([&](std::string_view method, const json::object& params) {
                return owner->handle(std::string(method), params);
            }));
        const auto listening =
            work_.embedded ? work_.embedded->listen_to(owner->store(), work_.group) : nullptr;
        std::optional<Countdown> countdown(std::in_place, session_, place_, work_);
        TRY(owner->work_until({.indexed = work::RunUntil::Indexed{work_.collection, work_.group}},
                              stop_on_interrupt()));
        countdown.reset();
        is_done_ = true;
        const bool work_is_left = TRY(owner->leave(app::Stalled::no));
        owner.reset();
        if (work_is_left)  // of others: this command waits only for its own
            TRY(app::start_background_worker(place_, place_.settings.duration("worker.idle_exit")));
        return {};
    }

    Result<void> begin(const Perform& perform) {
        if (work_.begin) TRY(work_.begin(perform));
        is_begun_ = true;
        return {};
    }

    const CommandContext& session_;
    const app::DataSource& place_;
    const IndexWork& work_;
    bool is_begun_ = false, is_done_ = false;
};

}  // namespace

std::string waiting_in_words(const store::OutboxCounts& counts) {
    const std::int64_t left = counts.pending + counts.processing;
    if (left == 0) return "";
    std::string words = fmt::format("{} {} for embedding", pages(left), left == 1 ? "waits" : "wait");
    if (store::waits_for_embedder(counts)) words += ": " + printable(counts.last_error);
    return words;
}

Result<bool> look_on_until_indexed(app::OwnerLink& owner, store::Reader& reader, const IndexWork& work) {
    // What is told of has been in the store for a moment.
    constexpr auto longest_way = 20ms;
    // False once the owner has left.
    const auto hear = [&](std::chrono::milliseconds patience) -> Result<bool> {
        const auto event = TRY(owner.next_event(patience));
        if (event && work.embedded) work.embedded->hear(*event);
        return event.has_value();
    };
    if (!owner.follow(work.group, work.embedded ? app::Hears::pages : app::Hears::changes)) return false;
    while (!was_interrupted()) {
        if (work.look) TRY(work.look());
        const auto answer = owner.call("indexing");
        if (!answer) return false;
        const bool is_busy = TRY(answered_flag(*answer, "is_busy"));
        const store::OutboxCounts counts = TRY(reader.outbox_counts(work.collection, work.group));
        if (!is_busy && is_over(counts)) break;
        const auto until = std::chrono::steady_clock::now() + look_every;
        while (std::chrono::steady_clock::now() < until) {
            const auto has_heard = hear(look_every);
            if (!has_heard) return false;
            if (!*has_heard) break;
        }
    }
    while (work.embedded && hear(longest_way).value_or(false)) {
    }
    return true;
}

Result<store::OutboxCounts> work_until_indexed(const CommandContext& session, const app::DataSource& place,
                                               const IndexWork& work) {
    stop_on_interrupt();
    return IndexWait(session, place, work).run();
}

int report_index(const CommandContext& session, const store::OutboxCounts& counts) {
    if (was_interrupted()) {
        say("Interrupted: the rest is indexed by the next worker");
        return exit_interrupted;
    }
    if (counts.pending > 0) say_error(session.terminal, waiting_in_words(counts));
    if (counts.failed > 0)
        say_error(
            session.terminal,
            fmt::format("{} could not be indexed. See: quarry queue list --kind embed_page --state failed",
                        pages(counts.failed)));
    return counts.pending + counts.failed > 0 ? exit_incomplete : exit_success;
}

}  // namespace quarry::cli
