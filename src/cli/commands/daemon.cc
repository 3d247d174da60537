// `quarry daemon`: a worker in the background that stays.
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <boost/json.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "cli/commands.h"
#include "cli/commands/daemon_control.h"
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "cli/commands/log_tail.h"
#include "cli/output/files.h"
#include "cli/data_access.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;

struct DaemonArguments {
    bool follow = false;
    int lines = 20;
};

// Settings that the unit would not find again: those of this shell and of the command line. A worker has no
// use for what is meant for commands.
std::vector<std::string> lost_settings(const app::Settings& settings) {
    std::vector<std::string> keys;
    for (const app::SettingDefinition& definition : app::setting_table()) {
        const auto source = settings.value(definition.key).source;
        const bool is_lost = source == app::SettingSource::environment || source == app::SettingSource::flag;
        const bool is_for_commands = definition.key.starts_with("remote.") ||
                                     definition.key == "store.data" || definition.key == "fetch.basic_auth" ||
                                     definition.key == "fetch.bearer_token";
        if (is_lost && !is_for_commands) keys.emplace_back(definition.key);
    }
    return keys;
}

bool is_secret(const app::Settings& settings, const std::string& key) {
    return settings.masked(key) != settings.text(key);
}

// As systemd reads it, in a unit and in a file of variables alike: systemd.exec(5).
std::string assignment(const app::Settings& settings, const std::string& key) {
    std::string quoted;
    for (const char c : settings.text(key)) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return fmt::format("{}=\"{}\"", app::environment_name(key), quoted);
}

std::string environment_lines(const app::Settings& settings) {
    std::string lines;
    for (const std::string& key : lost_settings(settings)) {
        if (is_secret(settings, key)) continue;
        lines += "Environment=";
        for (const char c : assignment(settings, key)) {
            if (c == '%') lines += '%';  // which begins a specifier
            lines += c;
        }
        lines += '\n';
    }
    return lines;
}

std::string secret_lines(const app::Settings& settings) {
    std::string lines;
    for (const std::string& key : lost_settings(settings))
        if (is_secret(settings, key)) lines += assignment(settings, key) + "\n";
    return lines;
}

std::string unit_text(const app::Workplace& place, const std::string& secrets_file) {
    std::error_code error;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
    std::string command = fmt::format("\"{}\" --data \"{}\"", program, place.folder.root);
    if (!place.config_file.empty()) command += fmt::format(" --config \"{}\"", place.config_file);
    std::string environment = environment_lines(place.settings);
    if (!secrets_file.empty()) environment += fmt::format("EnvironmentFile={}\n", secrets_file);
    return fmt::format(
        "[Unit]\nDescription=quarry: works on crawls in {}\nAfter=network-online.target\n\n"
        "[Service]\n{}ExecStart={} worker\nRestart=on-failure\nRestartSec=5\nSuccessExitStatus=130\n"
        "TimeoutStopSec=90\n\n[Install]\nWantedBy=default.target\n",
        app::shown(place), environment, command);
}

// Nobody else may ever have read it: its rights come before its words.
Result<void> write_secrets(const std::string& path, const std::string& text) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    fs::remove(path, error);
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.is_open() || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return fail(ErrorCode::unavailable, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    return {};
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
    const std::string secrets = secret_lines(place.settings);
    const std::string secrets_file = secrets.empty() ? "" : home + "/quarry/service.env";
    if (!secrets.empty())
        if (const auto kept = write_secrets(secrets_file, secrets); !kept)
            return give_up(session, kept.error());
    const auto written = write_file(path, unit_text(place, secrets_file));
    if (!written) return give_up(session, written.error());
    if (!secrets.empty())
        say(fmt::format("Wrote {}, which only you can read: it has passwords or keys in it", secrets_file));
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
