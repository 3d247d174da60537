// `quarry completion bash|zsh|fish`: scripts made from the parser itself, so that they never lag behind it.
#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit_code.h"

namespace quarry::cli {
namespace {

std::vector<const CLI::App*> visible_commands(const CLI::App& root) {
    return root.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<std::string> flags_of(const CLI::App& parser) {
    std::vector<std::string> flags;
    for (const CLI::Option* option : parser.get_options())
        for (const std::string& name : option->get_lnames())
            if (!option->get_group().empty())
                flags.push_back("--" + name);  // what help hides is hidden here too
    return flags;
}

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

std::string shell_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// What may follow a command: its own subcommands, its and their flags, and those of the root.
std::string words_after(const CLI::App& root, const CLI::App& command) {
    std::vector<std::string> words;
    const auto add = [&](const std::string& word) {
        if (std::ranges::find(words, word) == words.end()) words.push_back(word);
    };
    for (const CLI::App* nested : visible_commands(command)) add(nested->get_name());
    for (const CLI::App* nested : visible_commands(command))
        for (const auto& flag : flags_of(*nested)) add(flag);
    for (const auto& flag : flags_of(command)) add(flag);
    for (const auto& flag : flags_of(root)) add(flag);
    return joined(words);
}

std::string bash_script(const CLI::App& root) {
    std::string cases;
    std::vector<std::string> first = flags_of(root);
    for (const CLI::App* command : visible_commands(root)) {
        first.push_back(command->get_name());
        cases +=
            fmt::format("        {}) words=\"{}\" ;;\n", command->get_name(), words_after(root, *command));
    }
    return fmt::format(
        "_quarry() {{\n"
        "    local words current=${{COMP_WORDS[COMP_CWORD]}}\n"
        "    case ${{COMP_WORDS[1]}} in\n{}"
        "        *) words=\"{}\" ;;\n"
        "    esac\n"
        "    [ \"$COMP_CWORD\" -eq 1 ] && words=\"{}\"\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
        "}}\n"
        "complete -o default -F _quarry quarry\n",
        cases, joined(first), joined(first));
}

std::string zsh_script(const CLI::App& root) {
    return "#compdef quarry\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(root);
}

std::string fish_script(const CLI::App& root) {
    std::string out;
    for (const CLI::App* command : visible_commands(root)) {
        out += fmt::format("complete -c quarry -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                           shell_quoted(command->get_description()));
        for (const CLI::App* nested : visible_commands(*command))
            out +=
                fmt::format("complete -c quarry -n '__fish_seen_subcommand_from {}' -a {} -d {}\n",
                            command->get_name(), nested->get_name(), shell_quoted(nested->get_description()));
        for (const CLI::Option* option : command->get_options())
            for (const std::string& name : option->get_lnames())
                if (!option->get_group().empty())
                    out += fmt::format("complete -c quarry -n '__fish_seen_subcommand_from {}' -l {} -d {}\n",
                                       command->get_name(), name, shell_quoted(option->get_description()));
    }
    for (const std::string& flag : flags_of(root))
        out += fmt::format("complete -c quarry -l {}\n", flag.substr(2));
    return out;
}

}  // namespace

Command add_completion(CommandBuilder& builder) {
    CLI::App& completion =
        builder.add("completion", "Print a completion script for your shell",
                    "quarry completion bash > ~/.local/share/bash-completion/completions/quarry\n"
                    "quarry completion zsh > ~/.zfunc/_quarry\n"
                    "quarry completion fish > ~/.config/fish/completions/quarry.fish");
    completion.require_subcommand(1);
    completion.add_subcommand("bash", "For bash");
    completion.add_subcommand("zsh", "For zsh");
    completion.add_subcommand("fish", "For fish");
    const CLI::App* root = &builder.root();
    return {&completion, [&completion, root](const Session&) {
                if (completion.got_subcommand("bash")) write_data(bash_script(*root));
                if (completion.got_subcommand("zsh")) write_data(zsh_script(*root));
                if (completion.got_subcommand("fish")) write_data(fish_script(*root));
                return static_cast<int>(exit_yes);
            }};
}

}  // namespace quarry::cli
