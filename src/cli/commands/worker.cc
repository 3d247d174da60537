#include "cli/commands/worker.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/owner/background.h"
#include "app/owner/client.h"
#include "app/owner/process.h"
#include "app/services/web_access.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/terminal.h"
#include "store/change_batch.h"

namespace quarry::cli {

namespace {

void say_exposure(const app::DataSource& place) {
    if (const std::string exposure = place.folder.exposure(); !exposure.empty()) say("warning: " + exposure);
}

}  // namespace

Result<app::FolderLock> take_over(const app::DataSource& place) {
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

Result<app::FolderLock> take_place(app::DataSource& place) {
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

namespace {

using namespace std::chrono_literals;

// True if there is work left. Changes that wait for an unreachable service do not count.
Result<bool> is_busy(store::Reader& reader) {
    const bool has_jobs = TRY(app::has_jobs(reader));
    return has_jobs ? Result<bool>(true) : app::has_changes(reader, app::Stalled::no);
}

// Returns when no crawl or job is left, or when the owner has left.
Result<void> wait_for(app::OwnerLink& owner, const app::DataSource& place) {
    if (!owner.follow(std::nullopt, app::Hears::changes)) return {};
    const auto reader = TRY(app::open_reader(place));
    while (!was_interrupted()) {
        const bool goes_on = TRY(is_busy(*reader));
        if (!goes_on) return {};
        // A job outside of a crawl ends without an event that every process receives, so this loop also
        // polls.
        if (!owner.next_event(500ms)) return {};
    }
    return {};
}

Result<void> work_here(const app::DataSource& place, app::FolderLock lock) {
    const auto owner = TRY(app::OwnerProcess::open(place, std::move(lock), app::OwnerRole::foreground,
                                                   [](std::string_view line) { say_line(line); }));
    const auto reader = TRY(app::open_reader(place));
    // A schedule never ends, so the engine would wait for its next time.
    const auto is_done = [&] { return !owner->is_indexing() && !is_busy(*reader).value_or(true); };
    while (true) {
        TRY(owner->work_until({.drained = true, .enough = is_done}, stop_on_interrupt()));
        TRY(owner->leave());
        const bool more_has_come = TRY(is_busy(*reader));
        if (!more_has_come || was_interrupted() || owner->was_asked_to_stop()) return {};
        // New work has arrived at the last moment. Without a socket, other processes would have to wait for
        // the whole next round.
        TRY(owner->listen());
    }
}

Result<void> work_until_nothing_is_left(const app::DataSource& place) {
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

int work_off(const CommandContext& session, const app::DataSource& place) {
    stop_on_interrupt();
    const auto worked = work_until_nothing_is_left(place);
    if (was_interrupted()) {
        say("Interrupted: what was under way is finished, the rest waits for the next worker");
        return exit_interrupted;
    }
    return worked ? exit_success : give_up(session, worked.error());
}

namespace {

namespace json = boost::json;

constexpr std::chrono::milliseconds look_at_batch_every{100};

json::object to_json(const ProcessWish& wish) {
    json::object params{{"batch", wish.all ? most_processed : wish.batch}};
    if (!wish.collection.empty()) params["collection"] = wish.collection;
    if (!wish.provider.empty()) params["provider"] = wish.provider;
    return params;
}

// One batch. Its pages are chosen once. Then this process works on them, or waits for the process that owns
// the data folder. The owner may change meanwhile.
class BatchRun {
public:
    BatchRun(const app::DataSource& place, const ProcessWish& wish) : place_(place), wish_(wish) {}

    Result<store::BatchProgress> run() {
        while (!is_done_ && !was_interrupted()) {
            auto reached = TRY(app::reach_owner(place_, stop_on_interrupt()));
            if (auto* owner = std::get_if<std::unique_ptr<app::OwnerLink>>(&reached)) {
                TRY(look_on(**owner));
            } else {
                TRY(work(std::get<app::FolderLock>(std::move(reached))));
            }
        }
        if (answered_) return *answered_;
        if (!batch_) return store::BatchProgress{};
        const auto reader = TRY(app::open_reader(place_));
        return store::progress_of(*reader, *batch_);
    }

private:
    // The owner works on the batch. Returns when the batch is done, or when the owner has left.
    Result<void> look_on(app::OwnerLink& owner) {
        if (!batch_) {
            const auto answer = owner.call("process_changes", to_json(wish_));
            if (!answer && !owner.was_heard()) return {};
            TRY(take(answer));
        }
        if (is_done_ || !owner.follow(std::nullopt)) return {};
        const auto reader = TRY(app::open_reader(place_));
        while (!was_interrupted()) {
            is_done_ = TRY(store::progress_of(*reader, *batch_)).left == 0;
            if (is_done_ || !owner.next_event(look_at_batch_every)) return {};
        }
        return {};
    }

    // No other process owns the data folder, so this process works on the batch. It leaves everything beyond
    // the batch to the next worker.
    Result<void> work(app::FolderLock lock) {
        auto owner = TRY(app::OwnerProcess::open(place_, std::move(lock), app::OwnerRole::command));
        if (!batch_) TRY(take(owner->handle("process_changes", to_json(wish_))));
        const auto reader = TRY(app::open_reader(place_));
        const auto is_over = [&] {
            const auto progress = store::progress_of(*reader, *batch_);
            return progress && progress->left == 0;
        };
        if (!is_over())
            TRY(owner->work_until(
                {.enough = is_over,
                 .changes = work::RunUntil::Changes{.at_most = static_cast<int>(batch_->ids.size()),
                                                    .collection = wish_.collection}},
                stop_on_interrupt()));
        is_done_ = true;
        TRY(owner->leave());
        owner.reset();
        if (TRY(app::has_jobs(*reader)))
            TRY(app::start_background_worker(place_, place_.settings.duration("worker.idle_exit")));
        return {};
    }

    // A worker answers with the pages that it has chosen. A server answers with what became of them.
    Result<void> take(const Result<json::value>& answer) {
        if (!answer) return std::unexpected(answer.error());
        if (answer->is_object() && answer->get_object().contains("processed")) {
            answered_ = TRY(store::parse_batch_progress(*answer));
            is_done_ = true;
            return {};
        }
        if (place_.remote) return fail(ErrorCode::corrupt, "the server does not say what was processed");
        batch_ = TRY(store::parse_change_batch(*answer));
        return {};
    }

    const app::DataSource& place_;
    const ProcessWish& wish_;
    std::optional<store::ChangeBatch> batch_;
    std::optional<store::BatchProgress> answered_;
    bool is_done_ = false;
};

// A page that fails is tried again with the next batch until its attempts are used up. A batch in which no
// page succeeds is the last: going on would be pointless.
Result<store::BatchProgress> process(const app::DataSource& place, const ProcessWish& wish) {
    store::BatchProgress sum;
    while (true) {
        const store::BatchProgress batch = TRY(BatchRun(place, wish).run());
        sum.succeeded += batch.succeeded;
        sum.failed += batch.failed;
        sum.left = batch.left;
        if (!batch.last_error.empty()) sum.last_error = batch.last_error;
        if (!wish.all || batch.succeeded == 0 || was_interrupted()) return sum;
    }
}

void say_progress(const CommandContext& session, const store::BatchProgress& progress,
                  const store::OutboxCounts& after) {
    if (progress.failed > 0)
        say_error(session.terminal,
                  fmt::format("{} could not be embedded: {}. What has attempts left is tried again: quarry "
                              "embed-queue list",
                              counted(progress.failed, "page"), printable(progress.last_error)));
    const std::int64_t waiting = after.pending + after.processing;
    say(fmt::format("{} processed: {} succeeded, {} failed{}",
                    counted(progress.succeeded + progress.failed, "page"), with_commas(progress.succeeded),
                    with_commas(progress.failed),
                    waiting > 0 ? fmt::format("; {} in the queue", with_commas(waiting)) : ""));
}

}  // namespace

int process_queue(const CommandContext& session, const app::DataSource& place, const ProcessWish& wish) {
    stop_on_interrupt();
    const auto progress = process(place, wish);
    if (!progress) return give_up(session, progress.error());
    const auto reader = app::open_reader(place);
    if (!reader) return give_up(session, reader.error());
    const auto after = (*reader)->outbox_counts(wish.collection, std::nullopt);
    if (!after) return give_up(session, after.error());
    if (session.json) {
        json::object record = store::record_of(*progress);
        record["pending"] = after->pending;
        write_data(json::serialize(record) + "\n");
    } else {
        say_progress(session, *progress, *after);
    }
    if (was_interrupted()) return exit_interrupted;
    return progress->failed + progress->left > 0 ? exit_incomplete : exit_success;
}

// `quarry worker`: works on what is due, in the foreground. `crawl` starts it in the background.

namespace {

struct WorkerArguments {
    bool once = false, background = false;
    std::string idle_exit{};
};

constexpr auto never = std::chrono::milliseconds(0);

Result<void> work_in_background(const app::DataSource& place, std::chrono::milliseconds idle) {
    auto reached = TRY(app::reach_owner(place.folder, place.version, stop_on_interrupt()));
    // The process that answers is already working, and has found in the store the work for which this worker
    // was started.
    if (std::holds_alternative<app::OwnerClient>(reached)) return {};
    auto log = TRY(app::WorkerLog::open(place.folder.log(), place.settings.bytes("worker.log_size")));
    log.take_standard_error();
    log.write(fmt::format("worker: started version={}", place.version));
    if (const std::string exposure = place.folder.exposure(); !exposure.empty())
        log.write("worker: warning: " + exposure);
    // The owner's thread writes to the log only while the owner runs. This thread writes before and after.
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

Result<void> work_in_foreground(app::DataSource place, std::chrono::milliseconds idle) {
    auto lock = TRY(take_place(place));
    auto owner = TRY(app::OwnerProcess::open(place, std::move(lock), app::OwnerRole::foreground,
                                             [](std::string_view line) { say_line(line); }));
    say(fmt::format("Working on {}. Ctrl-C finishes what is under way and stops", app::shown(place)));
    return owner->work_until_idle(idle, stop_on_interrupt());
}

int run_worker(const CommandContext& session, const WorkerArguments& arguments) {
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
    return was_interrupted() && !arguments.background ? exit_interrupted : exit_success;
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
    return {&parser, [arguments](const CommandContext& session) { return run_worker(session, *arguments); }};
}

}  // namespace quarry::cli
