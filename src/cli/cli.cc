#include "cli/cli.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/suggest.h"
#include "browser/supervisor.h"
#include "cli/command.h"
#include "cli/exit.h"
#include "fetch/pdf/pdf.h"

namespace quarry::cli {
namespace {

constexpr const char* root_examples =
    "quarry demo                                         # see it at work, offline\n"
    "quarry crawl https://docs.example.com --wait        # a whole site, kept and indexed\n"
    "quarry search \"how do I set a rate limit\"           # ask it\n"
    "quarry import notes/ --collection notes             # folders and JSON lines, too\n"
    "quarry scrape https://docs.example.com/guide        # one page as markdown\n"
    "quarry map https://docs.example.com                 # the URLs of a site\n"
    "quarry convert page.html --url https://a.example/   # a local file, no network\n"
    "quarry robots https://a.example/private             # may we fetch it?";

struct GlobalOptions {
    bool json = false, verbose = false, no_colour = false;
    std::string config_file{};
};

void add_global_options(Parser& root, GlobalOptions& options, CommandBuilder& builder) {
    root.add_flag("--json", options.json, "Print machine-readable JSON on standard output");
    root.add_flag("-v,--verbose", options.verbose, "Say more on standard error");
    root.add_flag("--no-color,--no-colour", options.no_colour, "No colours (also NO_COLOR=1)");
    root.add_option("--config", options.config_file,
                    "Read settings from this file instead of the default one");
    builder.setting(root, {"--data", "store.data", "Where crawls and pages are kept (also QUARRY_DATA)"});
    builder.setting(root, {"--store", "store.url", "postgres://… or redis://… instead (also QUARRY_STORE)"});
    builder.setting_switch(root,
                           {"--local", "store.fallback", "Go on without Redis when it cannot be reached"});
    builder.setting(root, {"--server", "remote.url", "Speak to this server instead (also QUARRY_URL)"});
    builder.setting(root, {"--api-key-file", "remote.key_file",
                           "File that holds the server's key (also QUARRY_API_KEY)"});
    root.add_version_flag("--version");
}

std::vector<std::string> option_names(const Parser& parser) {
    std::vector<std::string> names;
    for (const Parser* level = &parser; level; level = level->parent())
        for (const OptionDescription& option : level->options())
            names.insert(names.end(), option.names.begin(), option.names.end());
    return names;
}

std::vector<std::string> command_names(const Parser& parser) {
    std::vector<std::string> names;
    for (const auto& command : parser.commands()) names.push_back(command->name());
    return names;
}

// What is to say about a word that no command knows: the nearest known one.
std::string unexpected_argument(const Parser& root) {
    const Parser& parser = root.chosen();
    const std::string word = root.unknown_words().front();
    const bool is_option = word.starts_with("-");
    const bool wants_command = !is_option && !command_names(parser).empty();
    const std::string kind = is_option ? "option" : wants_command ? "command" : "argument";
    const std::string plain = word.substr(0, word.find('='));
    const std::string near = nearest_word(plain, is_option ? option_names(parser) : command_names(parser));
    const std::string hint = near.empty() ? "." : fmt::format(", did you mean \"{}\"?", near);
    return fmt::format("unknown {} \"{}\"{} See {} --help", kind, word, hint, parser.full_name());
}

// A mistyped command also leaves its parent without one; the typing error is the better explanation.
std::string usage_error(const Parser& root, const Error& error) {
    if (!root.unknown_words().empty()) return unexpected_argument(root);
    return fmt::format("{}. See {} --help", error.message, root.chosen().full_name());
}

// Commands about this machine, its data folder or its files. The first list keeps out of the way of a server
// that the environment names: they have nothing to do with one.
constexpr std::array<std::string_view, 6> without_data = {"convert", "robots",     "config",
                                                          "doctor",  "completion", "manual"};
constexpr std::array<std::string_view, 8> only_here = {"keys",   "demo",         "serve",  "worker",
                                                       "daemon", "embed-daemon", "backup", "migrate-store"};

// Why a command cannot be run with a server; nothing if it can.
std::string refusal_of(const std::string& name, const app::Settings& settings) {
    const app::SettingValue& server = settings.value("remote.url");
    const bool is_asked_for = server.source == app::SettingSource::flag;
    const bool is_refused = std::ranges::count(only_here, name) > 0 ||
                            (is_asked_for && std::ranges::count(without_data, name) > 0);
    if (server.text.empty() || !is_refused) return "";
    return fmt::format("quarry {} works on this machine only: run it where the server is, or without {}",
                       name, is_asked_for ? "--server" : server.origin);
}

int run_command(const Command& command, const GlobalOptions& options, const SettingFlags& flags) {
    const Terminal terminal = Terminal::inspect(options.no_colour);
    app::SettingsRequest request{.environment = app::process_environment(), .flags = flags};
    if (!options.config_file.empty()) request.config_file = options.config_file;
    auto settings = app::Settings::load(request);
    if (!settings) {
        say_error(terminal, settings.error().message);
        return exit_error;
    }
    if (const std::string refusal = refusal_of(command.parser->name(), *settings); !refusal.empty()) {
        say_error(terminal, refusal);
        return exit_error;
    }
    set_longest_stop(settings->duration("worker.stop"));
    return command.run({.json = options.json,
                        .verbose = options.verbose,
                        .terminal = terminal,
                        .settings = *std::move(settings),
                        .config_file = options.config_file});
}

std::string version_line(std::string_view commit) {
    return fmt::format("quarry {} ({})\n", version, commit.empty() ? "no commit" : commit);
}

int run_arguments(const std::vector<std::string>& arguments, GlobalOptions& options,
                  std::string_view commit) {
    Parser root("quarry", "Digs websites and folders into clean markdown and a search index you own.",
                root_examples);
    SettingFlags flags;
    CommandBuilder builder(root, flags);
    add_global_options(root, options, builder);
    const std::vector<Command> commands = add_commands(builder);
    const auto request = root.parse(arguments);
    if (!request) {
        say_error(Terminal::inspect(options.no_colour), usage_error(root, request.error()));
        return exit_error;
    }
    if (*request == Request::run)
        for (const Command& command : commands)
            if (command.parser->given()) return run_command(command, options, flags);
    write_data(*request == Request::version ? version_line(commit) : root.chosen().help());
    return exit_success;
}

}  // namespace

int run(int argc, char** argv, std::string_view commit) {
    hold_standard_streams();
    if (argc == 2 && argv[1] == fetch::pdf_child_command) return fetch::run_pdf_child();
    if (argc == 2 && argv[1] == browser::keeper_command) return browser::run_keeper();
    std::signal(SIGPIPE,
                SIG_IGN);  // A reader that left is noticed by write_data; a server's by the HTTP client.
    GlobalOptions options;
    const int exit_code = run_arguments({argv + std::min(argc, 1), argv + argc}, options, commit);
    const auto finished = finish_data();
    if (finished) return exit_code;
    say_error(Terminal::inspect(options.no_colour), finished.error().message);
    return exit_code == exit_interrupted ? exit_interrupted : exit_codes_of(finished.error().code).of_command;
}

}  // namespace quarry::cli
