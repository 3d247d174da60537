// `quarry daemon`: a worker in the background that stays.
#include <filesystem>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/daemon_control.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/log_tail.h"
#include "cli/output.h"
#include "cli/place.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;

struct DaemonArguments {
    bool follow = false;
    int lines = 20;
};

std::string unit_text(const app::Workplace& place) {
    std::error_code error;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
    std::string command = fmt::format("\"{}\" --data \"{}\"", program, place.folder.root);
    if (!place.config_file.empty()) command += fmt::format(" --config \"{}\"", place.config_file);
    return fmt::format(
        "[Unit]\nDescription=quarry: works on crawls in {}\nAfter=network-online.target\n\n"
        "[Service]\nExecStart={} worker\nRestart=on-failure\nRestartSec=5\nSuccessExitStatus=130\n"
        "TimeoutStopSec=90\n\n[Install]\nWantedBy=default.target\n",
        place.folder.path, command);
}

int install(const Session& session, const app::Workplace& place) {
    const auto environment = app::process_environment();
    const auto variable = [&](std::string_view name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::string() : found->second;
    };
    std::string home = variable("XDG_CONFIG_HOME");
    if (home.empty() && !variable("HOME").empty()) home = variable("HOME") + "/.config";
    if (home.empty())
        return give_up(session, {ErrorCode::invalid_argument, "neither HOME nor XDG_CONFIG_HOME is set"});
    const std::string path = home + "/systemd/user/quarry.service";
    const auto written = write_file(path, unit_text(place));
    if (!written) return give_up(session, written.error());
    say(fmt::format("Wrote {}. Now run:", path));
    say("  systemctl --user daemon-reload");
    say("  systemctl --user enable --now quarry");
    say("  loginctl enable-linger      # to have it run while you are logged out");
    if (session.json) write_data(json::serialize(json::object{{"success", true}, {"file", path}}) + "\n");
    return exit_yes;
}

int run_daemon(const Session& session, const Parser& parser, const DaemonArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (parser.chose("start")) return start_daemon(session, *place);
    if (parser.chose("stop")) return stop_daemon(session, *place);
    if (parser.chose("install")) return install(session, *place);
    if (parser.chose("status")) return show_daemon(session, *place);
    const auto shown = arguments.follow
                           ? follow_log(place->folder.log(), arguments.lines, stop_on_interrupt())
                           : print_log(place->folder.log(), arguments.lines);
    return shown ? exit_yes : give_up(session, shown.error());
}

}  // namespace

Command add_daemon(CommandBuilder& builder) {
    Parser& parser = builder.add("daemon", "A worker in the background that stays",
                                 "quarry daemon start\n"
                                 "quarry daemon status\n"
                                 "quarry daemon logs -f\n"
                                 "quarry daemon stop\n"
                                 "quarry daemon install        # as a service of your user, by systemd");
    const auto arguments = std::make_shared<DaemonArguments>();
    parser.add_command("start", "Start one, or have the one that runs stay");
    parser.add_command("stop", "Finish what is under way and leave");
    parser.add_command("status", "Is one running, and what does it do?");
    Parser& logs = parser.add_command("logs", "What background workers did");
    logs.add_flag("-f,--follow", arguments->follow, "Go on until Ctrl-C");
    logs.add_option("-n,--lines", arguments->lines, "How many lines (20)").between(0, 1'000'000);
    parser.add_command("install", "Write a systemd unit");
    parser.require_command();
    return {&parser,
            [arguments, &parser](const Session& session) { return run_daemon(session, parser, *arguments); }};
}

}  // namespace quarry::cli
