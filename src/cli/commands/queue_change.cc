#include "cli/commands/queue_change.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/owner/app_background.h"
#include "cli/output/crawl_text.h"
#include "cli/exit.h"
#include "cli/data_access.h"
#include "model/json/json_in.h"
#include "store/filter_json.h"

namespace quarry::cli {

namespace json = boost::json;

int change_jobs(const Session& session, const app::Workplace& place, const QueueFlags& flags,
                const QueueChange& change) {
    const auto reader = app::open_reader(place);
    if (!reader) return give_up(session, reader.error());
    auto filter = job_filter(**reader, flags);
    if (!filter) return give_up(session, filter.error());
    const auto asked = app::ask(place, change.method, store::to_json(*filter));
    if (!asked) return give_up(session, asked.error());
    const auto count = answered_number(asked->answer, "count");
    if (!count) return give_up(session, count.error());
    const std::int64_t changed = *count;
    if (session.json) {
        write_data(json::serialize(json::object{{"success", true}, {"count", changed}}) + "\n");
    } else {
        say(fmt::format("{} {} {}", with_commas(changed), changed == 1 ? "job" : "jobs", change.done));
    }
    if (change.brings_work && changed > 0 && !asked->by_owner)
        if (const auto started =
                app::start_background_worker(place, place.settings.duration("worker.idle_exit"));
            !started)
            return give_up(session, started.error());
    return exit_yes;
}

}  // namespace quarry::cli
