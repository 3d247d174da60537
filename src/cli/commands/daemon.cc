// The end of a log file.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>

#include <boost/json.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/data_source.h"
#include "app/local_socket.h"
#include "app/owner/background.h"
#include "app/owner/client.h"
#include "base/descriptors.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/files.h"
#include "cli/output/terminal.h"
#include "model/json/fields.h"

namespace quarry::cli {

// Prints the last lines to standard output. `not_found` if there is no such file.
Result<void> print_log(const std::string& path, int lines);

// The same, and then what is added, also when the file is replaced by a new one, until asked to stop.
Result<void> follow_log(const std::string& path, int lines, std::stop_token stop);

// Starting, stopping and looking at the worker that stays: `daemon` and `embed-daemon`.

// Each says what it did and returns the exit code.
int start_daemon(const CommandContext& session,
                 const app::DataSource& place);  // or has the one that runs stay
int stop_daemon(const CommandContext& session, const app::DataSource& place);  // returns when it has left
int show_daemon(const CommandContext& session, const app::DataSource& place);  // 1 if none runs

namespace {

using app::Descriptor;

// Logs are bounded, and nobody reads more than this of one.
constexpr off_t most_bytes = 16 << 20;

Result<Descriptor> open_log(const std::string& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return fail(ErrorCode::not_found, fmt::format("There is no log yet: {}", path));
    return file;
}

// From where the file has been read to its end.
std::string read_on(const Descriptor& file) {
    std::string text;
    char buffer[65536];
    for (ssize_t got = 1; (got = ::read(file.get(), buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    return text;
}

std::string_view last_lines(std::string_view text, int lines) {
    std::size_t start = text.size() - (text.ends_with('\n') ? 1 : 0);
    for (int i = 0; i < lines; ++i) {
        if (start == 0) return text;
        const std::size_t before = text.rfind('\n', start - 1);
        if (before == std::string_view::npos) return text;
        start = before;
    }
    return text.substr(std::min(start + 1, text.size()));
}

bool was_replaced(const Descriptor& file, const std::string& path) {
    struct stat opened{}, named{};
    if (::fstat(file.get(), &opened) != 0 || ::stat(path.c_str(), &named) != 0) return false;
    return opened.st_ino != named.st_ino;
}

Result<Descriptor> print_end(const std::string& path, int lines) {
    Descriptor file = TRY(open_log(path));
    struct stat status{};
    if (::fstat(file.get(), &status) == 0 && status.st_size > most_bytes)
        ::lseek(file.get(), status.st_size - most_bytes, SEEK_SET);
    write_data(last_lines(read_on(file), lines));
    return file;
}

}  // namespace

Result<void> print_log(const std::string& path, int lines) {
    TRY(print_end(path, lines));
    return {};
}

Result<void> follow_log(const std::string& path, int lines, std::stop_token stop) {
    Descriptor file = TRY(print_end(path, lines));
    while (!stop.stop_requested()) {
        if (!write_data(read_on(file))) return {};
        if (was_replaced(file, path)) {
            file = TRY(open_log(path));
            continue;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return {};
}

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

Result<app::OwnerClient> wait_for_worker(const app::DataSource& place) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (true) {
        auto owner = app::OwnerClient::connect(place.folder, place.version);
        if (owner || std::chrono::steady_clock::now() > deadline) return owner;
        std::this_thread::sleep_for(5ms);
    }
}

Result<std::int64_t> start_or_keep(const app::DataSource& place) {
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

int start_daemon(const CommandContext& session, const app::DataSource& place) {
    const auto process = start_or_keep(place);
    if (!process) return give_up(session, process.error());
    say(fmt::format("A worker runs (process {}) on {}", *process, place.folder.path));
    if (session.json) write_data(json::serialize(json::object{{"success", true}, {"pid", *process}}) + "\n");
    return exit_success;
}

int stop_daemon(const CommandContext& session, const app::DataSource& place) {
    auto owner = app::OwnerClient::connect(place.folder, place.version);
    if (!owner && owner.error().code == ErrorCode::not_found) {
        say("No worker runs");
        return exit_success;
    }
    const auto asked = owner ? owner->call("stop") : Result<json::value>(std::unexpected(owner.error()));
    if (!asked) return give_up(session, asked.error());
    say(fmt::format("Process {} finishes what is under way", owner->owner().process));
    owner->wait_until_left();
    // It has left when its lock is free: reached is that lock, or a worker that somebody started since.
    const auto reached = app::reach_owner(place.folder, place.version, stop_on_interrupt());
    if (!reached) return give_up(session, reached.error());
    say("Stopped");
    return exit_success;
}

int show_daemon(const CommandContext& session, const app::DataSource& place) {
    auto owner = app::OwnerClient::connect(place.folder, place.version);
    const auto answer = owner ? owner->call("status") : Result<json::value>(std::unexpected(owner.error()));
    auto about = answer ? answered_object(*answer) : std::unexpected(answer.error());
    if (!about) {
        say("No worker runs");
        if (session.json) write_data(json::serialize(json::object{{"running", false}}) + "\n");
        return exit_incomplete;
    }
    json::object& record = *about;
    if (session.json) {
        record["running"] = true;
        write_data(json::serialize(record) + "\n");
        return exit_success;
    }
    std::string text =
        fmt::format("A worker runs: process {}, version {}, {}, up {} s, data {}\n",
                    number_in(record, "pid").value_or(0), text_in(record, "version"), text_in(record, "role"),
                    number_in(record, "uptime_seconds").value_or(0), place.folder.path);
    const json::value* urls = record.if_contains("current_urls");
    for (const json::value& url : urls && urls->is_array() ? urls->get_array() : json::array())
        if (url.is_string()) text += fmt::format("  fetching {}\n", std::string_view(url.get_string()));
    write_data(text);
    return exit_success;
}

// `quarry daemon`: a worker in the background that stays.

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

std::string unit_text(const app::DataSource& place, const std::string& secrets_file) {
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
    quarry::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.is_open() || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return fail(ErrorCode::unavailable, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    return {};
}

int install(const CommandContext& session, const app::DataSource& place) {
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
    return exit_success;
}

int run_daemon(const CommandContext& session, const Parser& parser, const DaemonArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (parser.chose("start")) return start_daemon(session, *place);
    if (parser.chose("stop")) return stop_daemon(session, *place);
    if (parser.chose("install")) return install(session, *place);
    if (parser.chose("status")) return show_daemon(session, *place);
    const auto shown = arguments.follow
                           ? follow_log(place->folder.log(), arguments.lines, stop_on_interrupt())
                           : print_log(place->folder.log(), arguments.lines);
    return shown ? exit_success : give_up(session, shown.error());
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
    return {&parser, [arguments, &parser](const CommandContext& session) {
                return run_daemon(session, parser, *arguments);
            }};
}

// `quarry embed-daemon`: the daemon under the name that users of embedding queues look for. It embeds, and
// does everything else a worker does.

namespace {

int run_embed_daemon(const CommandContext& session, const Parser& parser) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (parser.chose("start")) return start_daemon(session, *place);
    if (parser.chose("stop")) return stop_daemon(session, *place);
    return show_daemon(session, *place);
}

}  // namespace

Command add_embed_daemon(CommandBuilder& builder) {
    Parser& parser = builder.add("embed-daemon", "The daemon, which also works on the embedding queue",
                                 "quarry embed-daemon start\n"
                                 "quarry embed-daemon status\n"
                                 "quarry embed-daemon stop\n"
                                 "quarry embed-queue list             # what it has to do");
    for (const auto& [name, help] : {std::pair{"start", "Start it, or have the one that runs stay"},
                                     std::pair{"stop", "Finish what is under way and leave"},
                                     std::pair{"status", "Is it running, and what does it do?"}})
        parser.add_command(name, help);
    parser.require_command();
    return {&parser, [&parser](const CommandContext& session) { return run_embed_daemon(session, parser); }};
}

}  // namespace quarry::cli
