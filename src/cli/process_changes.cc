#include "cli/process_changes.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/crawl_text.h"
#include "cli/exit_code.h"
#include "cli/index_wait.h"
#include "cli/place.h"
#include "cli/work_off.h"
#include "store/filter_json.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;

// Zeros if there is no database yet.
Result<store::OutboxCounts> counts_of(const app::Workplace& place, const std::string& collection) {
    const auto reader = app::open_reader(place);
    if (!reader && reader.error().code == ErrorCode::not_found) return store::OutboxCounts{};
    if (!reader) return std::unexpected(reader.error());
    return (*reader)->outbox_counts(collection, std::nullopt);
}

int work(const Session& session, const app::Workplace& place, const ProcessWish& wish,
         const store::OutboxCounts& before) {
    if (!wish.only_embeds()) return work_off(session, place);
    IndexWork embedding{.collection = wish.collection};
    // Whoever asks by hand does not mean "in a minute": what failed or waits after an error is due now.
    embedding.begin = [&](const Perform& perform) -> Result<void> {
        TRY(perform("retry_jobs",
                    store::to_json(store::JobFilter{.kind = "embed_page",
                                                    .states = {JobState::queued, JobState::failed},
                                                    .collection = wish.collection})));
        return {};
    };
    const std::int64_t done_before = before.completed + before.failed;
    if (wish.at_most > 0)
        embedding.is_enough = [&](const store::OutboxCounts& counts) {
            return counts.completed + counts.failed - done_before >= wish.at_most;
        };
    const auto counts = work_until_indexed(session, place, embedding);
    if (!counts) return give_up(session, counts.error());
    // What is beyond the batch waits, and should.
    return wish.at_most > 0 && counts->last_error.empty() ? exit_yes : report_index(session, *counts);
}

void report(const Session& session, const store::OutboxCounts& before, const store::OutboxCounts& after) {
    const std::int64_t succeeded = std::max<std::int64_t>(0, after.completed - before.completed);
    const std::int64_t failed = std::max<std::int64_t>(0, after.failed - before.failed);
    if (session.json) {
        write_data(json::serialize(json::object{{"processed", succeeded + failed},
                                                {"succeeded", succeeded},
                                                {"failed", failed},
                                                {"pending", after.pending}}) +
                   "\n");
        return;
    }
    say(fmt::format("{} pages processed: {} succeeded, {} failed", with_commas(succeeded + failed),
                    with_commas(succeeded), with_commas(failed)));
}

}  // namespace

int process_queue(const Session& session, const app::Workplace& place, const ProcessWish& wish) {
    const auto before = counts_of(place, wish.collection);
    if (!before) return give_up(session, before.error());
    const int exit_code = work(session, place, wish, *before);
    const auto after = counts_of(place, wish.collection);
    if (!after) return give_up(session, after.error());
    report(session, *before, *after);
    return exit_code;
}

}  // namespace quarry::cli
