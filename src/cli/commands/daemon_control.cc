#include "cli/commands/daemon_control.h"

#include <chrono>
#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/owner/app_background.h"
#include "app/owner/client.h"
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "cli/data_access.h"
#include "model/json/json_in.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

Result<app::OwnerClient> wait_for_worker(const app::Workplace& place) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (true) {
        auto owner = app::OwnerClient::connect(place.folder, place.version);
        if (owner || std::chrono::steady_clock::now() > deadline) return owner;
        std::this_thread::sleep_for(5ms);
    }
}

Result<std::int64_t> start_or_keep(const app::Workplace& place) {
    {
        auto reached = TRY(app::reach_owner(place.folder, place.version));
        if (auto* owner = std::get_if<app::OwnerClient>(&reached)) {
            TRY(owner->call("stay"));
            return owner->owner().process;
        }
        // A database that cannot be opened is better said here than in a log.
        TRY(app::open_store(place));
    }
    TRY(app::start_background_worker(place, std::nullopt));
    const auto owner = wait_for_worker(place);
    if (!owner)
        return fail(ErrorCode::unavailable,
                    fmt::format("the worker did not start. See {}", place.folder.log()));
    return owner->owner().process;
}

}  // namespace

int start_daemon(const Session& session, const app::Workplace& place) {
    const auto process = start_or_keep(place);
    if (!process) return give_up(session, process.error());
    say(fmt::format("A worker runs (process {}) on {}", *process, place.folder.path));
    if (session.json) write_data(json::serialize(json::object{{"success", true}, {"pid", *process}}) + "\n");
    return exit_yes;
}

int stop_daemon(const Session& session, const app::Workplace& place) {
    auto owner = app::OwnerClient::connect(place.folder, place.version);
    if (!owner && owner.error().code == ErrorCode::not_found) {
        say("No worker runs");
        return exit_yes;
    }
    const auto asked = owner ? owner->call("stop") : Result<json::value>(std::unexpected(owner.error()));
    if (!asked) return give_up(session, asked.error());
    say(fmt::format("Process {} finishes what is under way", owner->owner().process));
    owner->wait_until_left();
    // It has left when its lock is free: reached is that lock, or a worker that somebody started since.
    const auto reached = app::reach_owner(place.folder, place.version, stop_on_interrupt());
    if (!reached) return give_up(session, reached.error());
    say("Stopped");
    return exit_yes;
}

int show_daemon(const Session& session, const app::Workplace& place) {
    auto owner = app::OwnerClient::connect(place.folder, place.version);
    const auto answer = owner ? owner->call("status") : Result<json::value>(std::unexpected(owner.error()));
    auto about = answer ? answered_object(*answer) : std::unexpected(answer.error());
    if (!about) {
        say("No worker runs");
        if (session.json) write_data(json::serialize(json::object{{"running", false}}) + "\n");
        return exit_no;
    }
    json::object& record = *about;
    if (session.json) {
        record["running"] = true;
        write_data(json::serialize(record) + "\n");
        return exit_yes;
    }
    std::string text =
        fmt::format("A worker runs: process {}, version {}, {}, up {} s, data {}\n",
                    number_in(record, "pid").value_or(0), text_in(record, "version"), text_in(record, "role"),
                    number_in(record, "uptime_seconds").value_or(0), place.folder.path);
    const json::value* urls = record.if_contains("current_urls");
    for (const json::value& url : urls && urls->is_array() ? urls->get_array() : json::array())
        if (url.is_string()) text += fmt::format("  fetching {}\n", std::string_view(url.get_string()));
    write_data(text);
    return exit_yes;
}

}  // namespace quarry::cli
