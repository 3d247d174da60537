#include "cli/commands/worker.h"

#include <algorithm>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/owner/app_background.h"
#include "app/owner/process.h"
#include "cli/output/crawl_text.h"
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "cli/data_access.h"
#include "cli/output/progress.h"
#include "store/change_batch.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;

constexpr std::chrono::milliseconds look_at_batch_every{100};

json::object to_json(const ProcessWish& wish) {
    json::object params{{"batch", wish.all ? most_processed : wish.batch}};
    if (!wish.collection.empty()) params["collection"] = wish.collection;
    if (!wish.provider.empty()) params["provider"] = wish.provider;
    return params;
}

// One batch: chosen once, then worked on here or waited for, whoever owns the data folder meanwhile.
class BatchRun {
public:
    BatchRun(const app::Workplace& place, const ProcessWish& wish) : place_(place), wish_(wish) {}

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
    // The owner works. Returns when the batch is done, or the owner has left.
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

    // Nobody else does: this process works, and leaves what is beyond the batch to whoever comes next.
    Result<void> work(app::FolderLock lock) {
        auto owner = TRY(app::OwnerProcess::open(place_, std::move(lock), app::OwnerRole::command));
        if (!batch_) TRY(take(owner->handle("process_changes", to_json(wish_))));
        const auto reader = TRY(app::open_reader(place_));
        const auto is_over = [&] {
            const auto progress = store::progress_of(*reader, *batch_);
            return progress && progress->left == 0;
        };
        if (!is_over())
            TRY(owner->work_until({.enough = is_over,
                                   .changes =
                                       work::RunUntil::Changes{.at_most = static_cast<int>(batch_->ids.size()),
                                                               .collection = wish_.collection}},
                                  stop_on_interrupt()));
        is_done_ = true;
        TRY(owner->leave());
        owner.reset();
        if (TRY(app::has_jobs(*reader)))
            TRY(app::start_background_worker(place_, place_.settings.duration("worker.idle_exit")));
        return {};
    }

    // A worker says which pages it has chosen; a server, what became of them.
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

    const app::Workplace& place_;
    const ProcessWish& wish_;
    std::optional<store::ChangeBatch> batch_;
    std::optional<store::BatchProgress> answered_;
    bool is_done_ = false;
};

// A page that fails is tried again with the next batch until its attempts are used up; where none succeeds
// there is no point in going on.
Result<store::BatchProgress> process(const app::Workplace& place, const ProcessWish& wish) {
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

void say_progress(const Session& session, const store::BatchProgress& progress,
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

int process_queue(const Session& session, const app::Workplace& place, const ProcessWish& wish) {
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
    return progress->failed + progress->left > 0 ? exit_no : exit_yes;
}

}  // namespace quarry::cli
