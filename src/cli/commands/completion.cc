// `quarry completion bash|zsh|fish`: scripts made from the parser itself, so that they never lag behind it.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit.h"

namespace quarry::cli {
namespace {

std::vector<std::string> flags_of(const Parser& parser) {
    std::vector<std::string> flags;
    for (const OptionDescription& option : parser.options())
        if (!option.hidden) flags.insert(flags.end(), option.names.begin(), option.names.end());
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
std::string words_after(const Parser& root, const Parser& command) {
    std::vector<std::string> words;
    const auto add = [&](const std::string& word) {
        if (std::ranges::find(words, word) == words.end()) words.push_back(word);
    };
    for (const auto& nested : command.commands()) add(nested->name());
    for (const auto& nested : command.commands())
        for (const auto& flag : flags_of(*nested)) add(flag);
    for (const auto& flag : flags_of(command)) add(flag);
    for (const auto& flag : flags_of(root)) add(flag);
    return joined(words);
}

std::string bash_script(const Parser& root) {
    std::string cases;
    std::vector<std::string> first = flags_of(root);
    for (const auto& command : root.commands()) {
        first.push_back(command->name());
        cases += fmt::format("        {}) words=\"{}\" ;;\n", command->name(), words_after(root, *command));
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

std::string zsh_script(const Parser& root) {
    return "#compdef quarry\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(root);
}

std::string fish_script(const Parser& root) {
    std::string out;
    for (const auto& command : root.commands()) {
        out += fmt::format("complete -c quarry -n __fish_use_subcommand -a {} -d {}\n", command->name(),
                           shell_quoted(command->summary()));
        for (const auto& nested : command->commands())
            out += fmt::format("complete -c quarry -n '__fish_seen_subcommand_from {}' -a {} -d {}\n",
                               command->name(), nested->name(), shell_quoted(nested->summary()));
        for (const OptionDescription& option : command->options())
            for (const std::string& name : option.names)
                if (!option.hidden)
                    out += fmt::format("complete -c quarry -n '__fish_seen_subcommand_from {}' -l {} -d {}\n",
                                       command->name(), name.substr(2), shell_quoted(option.help));
    }
    for (const std::string& flag : flags_of(root))
        out += fmt::format("complete -c quarry -l {}\n", flag.substr(2));
    return out;
}

}  // namespace

Command add_completion(CommandBuilder& builder) {
    Parser& completion =
        builder.add("completion", "Print a completion script for your shell",
                    "quarry completion bash > ~/.local/share/bash-completion/completions/quarry\n"
                    "quarry completion zsh > ~/.zfunc/_quarry\n"
                    "quarry completion fish > ~/.config/fish/completions/quarry.fish");
    completion.require_command();
    completion.add_command("bash", "For bash");
    completion.add_command("zsh", "For zsh");
    completion.add_command("fish", "For fish");
    const Parser* root = &builder.root();
    return {&completion, [&completion, root](const Session&) {
                if (completion.chose("bash")) write_data(bash_script(*root));
                if (completion.chose("zsh")) write_data(zsh_script(*root));
                if (completion.chose("fish")) write_data(fish_script(*root));
                return static_cast<int>(exit_yes);
            }};
}

}  // namespace quarry::cli
