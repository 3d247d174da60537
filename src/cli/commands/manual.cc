// `quarry completion bash|zsh|fish`: scripts made from the parser itself, so that they never lag behind it.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/data_folder.h"
#include "cli/cli.h"
#include "cli/command.h"
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
    return {&completion, [&completion, root](const CommandContext&) {
                if (completion.chose("bash")) write_data(bash_script(*root));
                if (completion.chose("zsh")) write_data(zsh_script(*root));
                if (completion.chose("fish")) write_data(fish_script(*root));
                return static_cast<int>(exit_success);
            }};
}

// `quarry manual`: the page quarry(1), made from the parser that reads the command line and from the table of
// settings, so that it never lags behind them.

namespace {

// As roff prints it: a backslash would begin an escape, and a hyphen would become another character, which
// nobody can copy into a terminal.
std::string roff_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if (c == '\'')
            out += "\\(aq";
        else
            out += c;
    }
    return out;
}

// A line of text that begins with a dot or an apostrophe would be a request.
std::string roff_line(std::string_view text) {
    const std::string line = roff_text(text);
    return (line.starts_with('.') ? "\\&" : "") + line + "\n";
}

std::string sentence(const std::string& text) {
    return text.ends_with('.') || text.ends_with('?') ? text : text + ".";
}

std::string bold(std::string_view text) {
    return fmt::format("\\fB{}\\fR", roff_text(text));
}

std::string italic(std::string_view text) {
    return fmt::format("\\fI{}\\fR", roff_text(text));
}

std::string entry(const std::string& tag, std::string_view text) {
    return fmt::format(".TP\n{}\n{}", tag, roff_line(text));
}

std::string tag_of(const OptionDescription& option) {
    if (!option.argument.empty()) return italic(option.argument);
    std::string tag;
    for (const auto* names : {&option.short_names, &option.names})
        for (const std::string& name : *names) tag += (tag.empty() ? "" : ", ") + bold(name);
    return option.value.empty() ? tag : fmt::format("{} {}", tag, italic(option.value));
}

// --help is told once: all commands have it.
bool is_told_above(const Parser& parser, const OptionDescription& option) {
    return parser.parent() && !option.names.empty() && option.names.front() == "--help";
}

std::string options_of(const Parser& parser) {
    std::string out;
    for (const bool are_arguments : {true, false})
        for (const OptionDescription& option : parser.options())
            if (!option.hidden && !is_told_above(parser, option) && are_arguments == !option.argument.empty())
                out += entry(tag_of(option), option.help);
    return out;
}

std::string usage_of(const Parser& parser) {
    std::string usage = bold(parser.full_name()) + " [" + italic("options") + "]";
    for (const OptionDescription& option : parser.options()) {
        if (option.hidden || option.argument.empty()) continue;
        const std::string words = italic(option.argument) + (option.repeats ? "..." : "");
        usage += option.required ? " " + words : " [" + words + "]";
    }
    if (!parser.commands().empty()) usage += " " + italic("command");
    return usage + "\n";
}

std::string examples_of(const std::string& lines) {
    if (lines.empty()) return "";
    std::istringstream in(lines);
    std::string out = ".PP\n.RS 4\n.nf\n", line;
    while (std::getline(in, line)) out += roff_line(line);
    return out + ".fi\n.RE\n";
}

// A command, then the commands within it, which have no examples of their own.
std::string section_of(const Parser& command) {
    std::string out = fmt::format(".SS {}\n", bold(command.full_name()));
    out += roff_line(sentence(command.summary()));
    out += ".PP\n" + usage_of(command);
    if (command.parent() && command.examples() != command.parent()->examples())
        out += examples_of(command.examples());
    out += options_of(command);
    for (const auto& nested : command.commands()) out += section_of(*nested);
    return out;
}

std::string settings_section() {
    std::string out =
        ".SH SETTINGS\n"
        "A flag beats the environment, which beats the configuration file, which beats the default. In the "
        "file,\n"
        ".B fetch.timeout\nis\n.B timeout\nin the section\n.BR [fetch] ;\nin the environment it is\n"
        ".BR QUARRY_FETCH_TIMEOUT .\n"
        "Secrets may also be in a file that\n.IR key _file\nnames.\n";
    for (const app::SettingDefinition& setting : app::setting_table()) {
        std::string tag = bold(setting.key);
        if (!setting.standard.empty()) tag += fmt::format(" ({})", roff_text(setting.standard));
        std::string help(setting.help);
        if (!setting.also.empty()) help += fmt::format(" (also {})", setting.also);
        out += entry(tag, help);
    }
    return out;
}

std::string files_section() {
    return ".SH FILES\n" + entry(italic("~/.config/quarry/quarry.toml"), "Settings of a user.") +
           entry(italic("~/.local/share/quarry"),
                 "What a user has crawled and imported, unless --data or QUARRY_DATA name another folder.") +
           entry(italic("/etc/quarry/quarry.toml"), "Settings of the service (quarry.service).") +
           entry(italic(app::service_folder),
                 "What the service has. Commands of those who are in its group use it if they have no folder "
                 "of "
                 "their own.");
}

std::string exit_section() {
    return ".SH EXIT STATUS\n" + entry("0", "All succeeded.") +
           entry("1", "Some or all URLs failed, or nothing was found.") +
           entry("2", "Wrong usage, or it could not work.") + entry("130", "Interrupted.");
}

std::string manual_page(const Parser& root) {
    std::string out = fmt::format(
        ".\\\" Made by quarry manual.\n.TH QUARRY 1 \"\" \"quarry {}\" \"User Commands\"\n.nh\n.ad l\n",
        version);
    out += ".SH NAME\nquarry \\- a crawler and a search index in one program\n";
    out += ".SH SYNOPSIS\n" + usage_of(root);
    out += ".SH DESCRIPTION\n" + roff_line(sentence(root.summary()));
    out +=
        ".PP\nData goes to standard output, everything else to standard error. Each command has\n"
        ".BR \\-\\-help ,\nwhich leads with examples.\n";
    out += ".SH EXAMPLES\n" + examples_of(root.examples());
    out += ".SH OPTIONS\nThey may stand anywhere on the command line.\n" + options_of(root);
    out += ".SH COMMANDS\n";
    for (const auto& command : root.commands()) out += section_of(*command);
    return out + settings_section() + files_section() + exit_section();
}

}  // namespace

Command add_manual(CommandBuilder& builder) {
    Parser& manual = builder.add("manual", "Print the manual page, for man",
                                 "quarry manual | man -l -\n"
                                 "quarry manual > ~/.local/share/man/man1/quarry.1");
    const Parser* root = &builder.root();
    return {&manual, [root](const CommandContext&) {
                write_data(manual_page(*root));
                return static_cast<int>(exit_success);
            }};
}

}  // namespace quarry::cli
