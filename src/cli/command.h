// What a command is: a name with options and examples, and a function that runs it and returns an exit
// code.
// A function per command adds it; files in cli/commands hold them. add_commands lists each once.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/settings/settings.h"
#include "cli/output/terminal.h"
#include "cli/parser.h"

namespace quarry::cli {

// What a command is: a name with options and examples, and a function that runs it and returns an exit code.
// Each command lives in a file of its own and is listed once, in commands.cc.

// What every command gets: the options that all commands share, and the settings they lead to.
struct CommandContext {
    bool json = false;
    bool verbose = false;
    Terminal terminal{};
    app::Settings settings;
    std::string config_file{};  // --config; "" if not given
};

struct Command {
    const Parser* parser = nullptr;
    std::function<int(const CommandContext&)> run{};
};

// Collects flags that stand for settings ("--timeout 5s" is "fetch.timeout"), to be loaded above all other
// sources.
using SettingFlags = std::vector<std::pair<std::string, std::string>>;

struct SettingFlag {
    std::string flag{};  // "--timeout", or with a short form "-c,--concurrency"
    std::string key{};   // "fetch.timeout"
    std::string help{};
};

// Builds commands: knows what many of them would repeat.
class CommandBuilder {
public:
    CommandBuilder(Parser& root, SettingFlags& flags) : root_(root), flags_(flags) {}

    // Adds a subcommand whose help leads with the examples (lines without indentation).
    Parser& add(const std::string& name, const std::string& summary, const std::string& examples);
    void setting(Parser& parser, const SettingFlag& flag);
    void setting_switch(Parser& parser, const SettingFlag& flag);  // a flag without a value: "true"
    // The flags of everything that goes to the network: timeouts, proxy, user agent, private addresses …
    void network_settings(Parser& parser);

    Parser& root() { return root_; }

private:
    Parser& root_;
    SettingFlags& flags_;
};

// All commands, in the order of `quarry --help`.
std::vector<Command> add_commands(CommandBuilder& builder);

// The commands, one function each; the file of the same name implements it.

Command add_demo(CommandBuilder& builder);
Command add_scrape(CommandBuilder& builder);
Command add_screenshot(CommandBuilder& builder);
Command add_extract(CommandBuilder& builder);
Command add_crawl(CommandBuilder& builder);
Command add_search(CommandBuilder& builder);
Command add_status(CommandBuilder& builder);
Command add_queue(CommandBuilder& builder);
Command add_embed_queue(CommandBuilder& builder);
Command add_collections(CommandBuilder& builder);
Command add_forget(CommandBuilder& builder);
Command add_reindex(CommandBuilder& builder);
Command add_export(CommandBuilder& builder);
Command add_schedule(CommandBuilder& builder);
Command add_serve(CommandBuilder& builder);
Command add_keys(CommandBuilder& builder);
Command add_worker(CommandBuilder& builder);
Command add_daemon(CommandBuilder& builder);
Command add_embed_daemon(CommandBuilder& builder);
Command add_backup(CommandBuilder& builder);
Command add_migrate_store(CommandBuilder& builder);
Command add_import(CommandBuilder& builder);
Command add_watch(CommandBuilder& builder);
Command add_convert(CommandBuilder& builder);
Command add_map(CommandBuilder& builder);
Command add_robots(CommandBuilder& builder);
Command add_config(CommandBuilder& builder);
Command add_doctor(CommandBuilder& builder);
Command add_completion(CommandBuilder& builder);
Command add_manual(CommandBuilder& builder);

}  // namespace quarry::cli
