#include "cli/help.h"

#include <sstream>

namespace quarry::cli {
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

}  // namespace quarry::cli
