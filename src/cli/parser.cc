// Help that leads with examples: people copy a line before they read a paragraph.
#include "cli/parser.h"

#include <algorithm>
#include <sstream>
#include <string>

#include <CLI/CLI.hpp>

namespace quarry::cli {

// "quarry config show": a parser's name with those of its parents.
std::string full_name(const CLI::App& parser);

// What follows an option: "VALUE", "INT". "TEXT" says nothing that the description does not.
std::string value_of(const CLI::Option& option);

class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter() { column_width(34); }
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
};

namespace {

std::string indented(const std::string& lines) {
    std::istringstream in(lines);
    std::string out, line;
    while (std::getline(in, line)) out += "  " + line + "\n";
    return out;
}

}  // namespace

std::string full_name(const CLI::App& parser) {
    if (!parser.get_parent()) return parser.get_name();
    return full_name(*parser.get_parent()) + " " + parser.get_name();
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                     CLI::AppFormatMode mode) const {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    std::string out = app->get_description() + "\n";
    if (!app->get_footer().empty()) out += "\nExamples:\n" + indented(app->get_footer());
    out += "\n" + make_usage(app, full_name(*app));
    out += make_positionals(app);
    out += make_groups(app, mode);
    out += make_subcommands(app, mode);
    return out;
}

std::string value_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    return type.empty() || type == "TEXT" ? "VALUE" : type;
}

// Required options are said in words.
std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    if (option->get_items_expected_max() == 0 || option->get_positional()) return "";
    return " " + value_of(*option);
}

Option& Option::required() {
    option_.required();
    return *this;
}

Option& Option::hidden() {
    option_.group("");
    return *this;
}

Option& Option::between(std::int64_t least, std::int64_t most) {
    if (option_.get_type_name() == "UINT")  // help says so of the range as well
        option_.check(CLI::Range(static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)));
    else
        option_.check(CLI::Range(least, most));
    return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
    option_.check(CLI::IsMember(words));
    return *this;
}

Option& Option::check(const std::function<std::string(const std::string&)>& error_of) {
    option_.check(error_of);
    return *this;
}

Parser::Parser(const std::string& name, const std::string& summary, const std::string& examples)
    : program_(std::make_unique<CLI::App>(summary, name)), app_(program_.get()) {
    app_->footer(examples);
    app_->formatter(std::make_shared<HelpFormatter>());
    app_->require_subcommand(0, 1);
}

Parser::Parser(CLI::App& app, const Parser& parent) : app_(&app), parent_(&parent) {}

Parser::~Parser() = default;

Parser& Parser::add_command(const std::string& name, const std::string& summary,
                            const std::string& examples) {
    CLI::App& command = *app_->add_subcommand(name, summary);
    if (!examples.empty()) command.footer(examples);
    command.fallthrough();
    commands_.push_back(std::unique_ptr<Parser>(new Parser(command, *this)));
    return *commands_.back();
}

void Parser::require_command() {
    app_->require_subcommand(1);
}

Option Parser::add_option(const std::string& name, std::string& value, const std::string& help) {
    return Option(*app_->add_option(name, value, help));
}

Option Parser::add_option(const std::string& name, int& value, const std::string& help) {
    return Option(*app_->add_option(name, value, help));
}

Option Parser::add_option(const std::string& name, std::int64_t& value, const std::string& help) {
    return Option(*app_->add_option(name, value, help));
}

Option Parser::add_option(const std::string& name, std::size_t& value, const std::string& help) {
    return Option(*app_->add_option(name, value, help));
}

Option Parser::add_option(const std::string& name, std::optional<std::int64_t>& value,
                          const std::string& help) {
    return Option(*app_->add_option(name, value, help));
}

Option Parser::add_option(const std::string& name, std::vector<std::string>& values,
                          const std::string& help) {
    CLI::Option& option = *app_->add_option(name, values, help);
    if (name.starts_with('-')) option.allow_extra_args(false);
    return Option(option);
}

Option Parser::add_flag(const std::string& name, bool& value, const std::string& help) {
    return Option(*app_->add_flag(name, value, help));
}

void Parser::on_option(const std::string& name, const std::function<void(const std::string&)>& take,
                       const std::string& help) {
    app_->add_option_function<std::string>(name, take, help);
}

void Parser::on_flag(const std::string& name, const std::function<void()>& take, const std::string& help) {
    app_->add_flag_function(name, [take](std::int64_t) { take(); }, help);
}

void Parser::add_version_flag(const std::string& name) {
    app_->set_version_flag(name);
}

Result<Request> Parser::parse(std::vector<std::string> words) {
    std::ranges::reverse(words);  // as CLI11 wants them
    try {
        app_->parse(std::move(words));
        return Request::run;
    } catch (const CLI::CallForHelp&) {
        return Request::help;
    } catch (const CLI::CallForVersion&) {
        return Request::version;
    } catch (const CLI::ParseError& error) {
        return fail(ErrorCode::invalid_argument, error.what());
    }
}

bool Parser::given() const {
    return app_->parsed();
}

bool Parser::chose(std::string_view command) const {
    return std::ranges::any_of(commands_,
                               [&](const auto& known) { return known->name() == command && known->given(); });
}

const Parser& Parser::chosen() const {
    for (const auto& command : commands_)
        if (command->given()) return command->chosen();
    return *this;
}

std::vector<std::string> Parser::unknown_words() const {
    return app_->remaining(true);
}

std::string Parser::name() const {
    return app_->get_name();
}

std::string Parser::full_name() const {
    return cli::full_name(*app_);
}

std::string Parser::summary() const {
    return app_->get_description();
}

std::string Parser::examples() const {
    return app_->get_footer();
}

std::string Parser::help() const {
    return app_->help();
}

std::vector<OptionDescription> Parser::options() const {
    std::vector<OptionDescription> all;
    for (const CLI::Option* option : app_->get_options()) {
        OptionDescription& one = all.emplace_back();
        for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) one.short_names.push_back("-" + name);
        const bool takes_value = option->get_items_expected_max() > 0;
        if (option->get_positional()) one.argument = option->get_name(true);
        if (takes_value && one.argument.empty()) one.value = value_of(*option);
        one.help = option->get_description();
        one.hidden = option->get_group().empty();
        one.required = option->get_required();
        one.repeats = option->get_items_expected_max() > 1;
    }
    return all;
}

}  // namespace quarry::cli
