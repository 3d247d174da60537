// What a command understands of the words after its name: options, flags and commands of its own, and where
// their values go. CLI11 does the work, behind this header: its templates are compiled once, not in every
// command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace quarry::cli {

// An option or argument that was just added, to say more about: `.required()`, `.between(1, 100)`.
class Option {
public:
    explicit Option(CLI::Option& option) : option_(option) {}

    Option& required();
    Option& hidden();  // from help and completion
    Option& between(std::int64_t least, std::int64_t most);
    Option& one_of(const std::vector<std::string>& words);
    // `error_of` says what is wrong with a value; "" if nothing is.
    Option& check(const std::function<std::string(const std::string&)>& error_of);

private:
    CLI::Option& option_;
};

// What help, completion and the manual tell of an option or argument.
struct OptionDescription {
    std::vector<std::string> names{};        // the long ones: "--limit"; none of an argument
    std::vector<std::string> short_names{};  // "-o"
    std::string argument{};                  // the name of an argument: "url"
    std::string value{};  // what follows an option, as help writes it: "INT:INT in [1 - 100]"
    std::string help{};
    bool hidden = false;
    bool required = false;
    bool repeats = false;  // an argument that takes all words
};

// What a command line asks for.
enum class Request { run, help, version };

// The parser of a program or of one of its commands. A parser owns those of its commands; what values are
// written to must outlive it. Options are named "--limit" or "-o,--output", arguments "url".
class Parser {
public:
    // A program. Its help, and that of each command, leads with examples: lines without indentation.
    Parser(const std::string& name, const std::string& summary, const std::string& examples);
    ~Parser();
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;

    // A command, after whose name the options of its parents may stand too: --json, --config. One without
    // examples shows those of its parent.
    Parser& add_command(const std::string& name, const std::string& summary,
                        const std::string& examples = "");
    void require_command();  // it does nothing without one of its commands

    Option add_option(const std::string& name, std::string& value, const std::string& help);
    Option add_option(const std::string& name, int& value, const std::string& help);
    Option add_option(const std::string& name, std::int64_t& value, const std::string& help);
    Option add_option(const std::string& name, std::size_t& value, const std::string& help);
    Option add_option(const std::string& name, std::optional<std::int64_t>& value, const std::string& help);
    // A list: the option may be repeated, with one value each time; the argument takes all words.
    Option add_option(const std::string& name, std::vector<std::string>& values, const std::string& help);
    Option add_flag(const std::string& name, bool& value, const std::string& help);
    // `take` is called when it was given, once parsing succeeds.
    void on_option(const std::string& name, const std::function<void(const std::string&)>& take,
                   const std::string& help);
    void on_flag(const std::string& name, const std::function<void()>& take, const std::string& help);
    void add_version_flag(const std::string& name);

    // `invalid_argument`, in CLI11's words and without a full stop, if they are not understood;
    // unknown_words() may then know better.
    Result<Request> parse(std::vector<std::string> words);

    // Of the last parse:
    bool given() const;  // the name of this command was there
    bool chose(std::string_view command) const;
    const Parser& chosen() const;  // the innermost command that was given; itself if none was
    std::vector<std::string> unknown_words() const;

    std::string name() const;
    std::string full_name() const;  // with those of its parents: "quarry config show"
    std::string summary() const;
    std::string examples() const;  // lines; those of its parent if it has none of its own
    std::string help() const;
    const Parser* parent() const { return parent_; }
    const std::vector<std::unique_ptr<Parser>>& commands() const { return commands_; }
    std::vector<OptionDescription> options() const;

private:
    Parser(CLI::App& app, const Parser& parent);

    std::unique_ptr<CLI::App> program_;  // only in that of the program, and owns those of all others
    CLI::App* app_;
    const Parser* parent_ = nullptr;
    std::vector<std::unique_ptr<Parser>> commands_;
};

}  // namespace quarry::cli
