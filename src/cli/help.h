// Help that leads with examples: people copy a line before they read a paragraph.
#pragma once

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

}  // namespace quarry::cli
