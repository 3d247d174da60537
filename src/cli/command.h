// What a command is: a name with options and examples, and a function that runs it and returns an exit code.
// Each command lives in a file of its own and is listed once, in commands.cc.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/settings.h"
#include "cli/terminal.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace quarry::cli {

// What every command gets: the options that all commands share, and the settings they lead to.
struct Session {
    bool json = false;
    bool verbose = false;
    Terminal terminal{};
    app::Settings settings;
    std::string config_file{};  // --config; "" if not given
};

struct Command {
    CLI::App* parser = nullptr;
    std::function<int(const Session&)> run{};
};

// Collects flags that stand for settings ("--timeout 5s" is "fetch.timeout"), to be loaded above all other
// sources.
using SettingFlags = std::vector<std::pair<std::string, std::string>>;

struct SettingFlag {
    std::string flag{};  // "--timeout", or with a short form "-c,--concurrency"
    std::string key{};   // "fetch.timeout"
    std::string help{};
};

// Builds commands: hides CLI11's details that all of them would repeat.
class CommandBuilder {
public:
    CommandBuilder(CLI::App& root, SettingFlags& flags) : root_(root), flags_(flags) {}

    // Adds a subcommand whose help leads with the examples (lines without indentation).
    CLI::App& add(const std::string& name, const std::string& summary, const std::string& examples);
    void setting(CLI::App& parser, const SettingFlag& flag);
    void setting_switch(CLI::App& parser, const SettingFlag& flag);  // a flag without a value: "true"
    // The flags of everything that goes to the network: timeouts, proxy, user agent, private addresses …
    void network_settings(CLI::App& parser);

    CLI::App& root() { return root_; }

private:
    CLI::App& root_;
    SettingFlags& flags_;
};

// All commands, in the order of `quarry --help`.
std::vector<Command> add_commands(CommandBuilder& builder);

}  // namespace quarry::cli
