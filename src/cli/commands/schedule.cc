// `quarry schedule`: crawls that come again and again. `crawl --every` adds them.
#include "cli/commands/schedule.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/owner/app_background.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/data_access.h"
#include "model/json/json_in.h"
#include "model/json/output.h"
#include "url/page_address.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;

int list_schedules(const Session& session, const app::Workplace& place) {
    const auto reader = app::open_reader(place);
    const bool is_empty = !reader && reader.error().code == ErrorCode::not_found;
    const auto schedules = reader     ? (*reader)->schedules()
                           : is_empty ? Result<std::vector<store::Schedule>>(std::vector<store::Schedule>{})
                                      : std::unexpected(reader.error());
    if (!schedules) return give_up(session, schedules.error());
    json::array records;
    std::string lines;
    for (const store::Schedule& schedule : *schedules) {
        const std::string next = schedule.next_at ? iso_time(*schedule.next_at) : "never";
        lines += fmt::format("{:<24}  {:<16}  {}\n", next, schedule.cron, schedule.name);
        records.push_back(
            json::object{{"name", schedule.name},
                         {"cron", schedule.cron},
                         {"nextAt", schedule.next_at ? json::value(next) : json::value(nullptr)}});
    }
    write_data(session.json ? json::serialize(records) + "\n" : lines);
    if (schedules->empty()) say("Nothing is scheduled");
    return exit_yes;
}

int remove(const Session& session, const app::Workplace& place, const std::string& name) {
    const auto asked = app::ask(place, "unschedule", {{"name", name}});
    if (!asked) return give_up(session, asked.error());
    const auto removed = answered_flag(asked->answer, "removed");
    if (!removed) return give_up(session, removed.error());
    if (session.json) write_data(json::serialize(json::object{{"success", *removed}}) + "\n");
    say(*removed ? fmt::format("{} is not scheduled any more", name)
                 : fmt::format("Nothing of that name is scheduled: {}. See quarry schedule list", name));
    return *removed ? exit_yes : exit_no;
}

Result<void> add_schedule_of(const app::Workplace& place, const std::string& name, const std::string& cron,
                             json::object options) {
    const app::Asked asked =
        TRY(app::ask(place, "schedule", {{"name", name}, {"cron", cron}, {"options", std::move(options)}}));
    if (!asked.by_owner)
        TRY(app::start_background_worker(place, place.settings.duration("worker.idle_exit")));
    return {};
}

}  // namespace

int schedule_crawl(const Session& session, const app::Workplace& place, const std::string& cron,
                   const crawl::CrawlOptions& options) {
    const std::string name = url::without_secrets(options.urls.front());
    const auto added = add_schedule_of(place, name, cron, to_json(options));
    if (!added) return give_up(session, added.error());
    say(fmt::format("{} will be crawled at \"{}\" (UTC) while a worker runs", name, cron));
    say("After a restart of the machine one runs again with: quarry daemon install");
    write_data(
        json::serialize(json::object{{"success", true}, {"data", {{"schedule", name}, {"cron", cron}}}}) +
        "\n");
    return exit_yes;
}

Command add_schedule(CommandBuilder& builder) {
    Parser& parser = builder.add("schedule", "Crawls that come again and again",
                                 "quarry schedule list\n"
                                 "quarry schedule remove https://blog.example.com/\n"
                                 "quarry crawl https://blog.example.com --every '0 6 * * *'   # adds one");
    parser.add_command("list", "What is crawled when");
    Parser& removed = parser.add_command("remove", "Crawl it no more");
    const auto name = std::make_shared<std::string>();
    removed.add_option("name", *name, "Its name, as list shows it").required();
    parser.require_command();
    return {&parser, [name, &parser](const Session& session) {
                const auto place = place_of(session);
                if (!place) return give_up(session, place.error());
                return parser.chose("remove") ? remove(session, *place, *name)
                                              : list_schedules(session, *place);
            }};
}

}  // namespace quarry::cli
