// `quarry config show`: every setting, its value, and where the value came from.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/doctor/doctor.h"
#include "cli/command.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "model/json/readable.h"

namespace quarry::cli {

namespace {

int show_as_json(const CommandContext& session) {
    boost::json::object all;
    for (const app::SettingDefinition& definition : app::setting_table()) {
        const std::string key(definition.key);
        all[key] = {{"value", session.settings.masked(key)}, {"source", session.settings.value(key).origin}};
    }
    write_data(boost::json::serialize(all) + "\n");
    return exit_success;
}

int show_settings(const CommandContext& session) {
    if (session.json) return show_as_json(session);
    for (const app::SettingDefinition& definition : app::setting_table()) {
        const std::string key(definition.key);
        const std::string value = fmt::format("{} = \"{}\"", key, session.settings.masked(key));
        if (!write_data(
                fmt::format("{:<44} # {}: {}\n", value, session.settings.value(key).origin, definition.help)))
            break;
    }
    return exit_success;
}

}  // namespace

Command add_config(CommandBuilder& builder) {
    Parser& config = builder.add("config", "Show the settings and where each comes from",
                                 "quarry config show\n"
                                 "QUARRY_FETCH_TIMEOUT=5s quarry config show --json\n"
                                 "quarry --config ./quarry.toml config show");
    config.add_command("show", "Print every setting with its source");
    config.require_command();
    return {&config, show_settings};
}

// `quarry doctor`: looks at everything quarry depends on, and says what to do.

namespace {

namespace json = boost::json;
using app::Finding;
using app::Health;

Colour colour_of_health(Health health) {
    switch (health) {
        case Health::ok: return Colour::green;
        case Health::warn: return Colour::yellow;
        case Health::fail: return Colour::red;
    }
    return Colour::red;
}

// A warning is a "no" to the question whether all is well; a failure means that quarry cannot work.
int exit_code_of(Health worst) {
    switch (worst) {
        case Health::ok: return exit_success;
        case Health::warn: return exit_incomplete;
        case Health::fail: return exit_error;
    }
    return exit_error;
}

std::string lines_about(const CommandContext& session, const Finding& finding, std::size_t width) {
    const std::string mark = session.terminal.paint_data(colour_of_health(finding.health),
                                                         fmt::format("{:<4}", name_of(finding.health)));
    std::string lines =
        fmt::format("{}  {:<{}}  {}\n", mark, finding.subject, width, printable(finding.says));
    if (!finding.advice.empty())
        lines += fmt::format("{:{}}{}\n", "", width + 8,
                             session.terminal.paint_data(Colour::bold, printable(finding.advice)));
    return lines;
}

json::object record_of(std::span<const Finding> findings) {
    json::array checks;
    for (const Finding& finding : findings)
        checks.push_back(json::object{
            {"check", finding.subject},
            {"status", app::name_of(finding.health)},
            {"message", finding.says},
            {"advice", finding.advice.empty() ? json::value(nullptr) : json::value(finding.advice)}});
    return {{"status", app::name_of(app::worst_of(findings))}, {"checks", std::move(checks)}};
}

void say_verdict(std::span<const Finding> findings) {
    const auto count = [&](Health health) { return std::ranges::count(findings, health, &Finding::health); };
    const auto warnings = count(Health::warn), failures = count(Health::fail);
    if (warnings + failures == 0) return say("All is well");
    say(fmt::format("{} {} wrong, {} to look at", failures, failures == 1 ? "thing is" : "things are",
                    warnings));
}

int run_doctor(const CommandContext& session, bool thorough) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    const auto findings = app::examine(*place, thorough ? app::Care::thorough : app::Care::quick);
    if (session.json) {
        write_data(readable_json(record_of(findings)) + "\n");
        return exit_code_of(app::worst_of(findings));
    }
    std::size_t width = 0;
    for (const Finding& finding : findings) width = std::max(width, finding.subject.size());
    std::string text;
    for (const Finding& finding : findings) text += lines_about(session, finding, width);
    write_data(text);
    say_verdict(findings);
    return exit_code_of(app::worst_of(findings));
}

}  // namespace

Command add_doctor(CommandBuilder& builder) {
    Parser& parser = builder.add("doctor", "Check everything quarry depends on, and say what to do",
                                 "quarry doctor\n"
                                 "quarry doctor --thorough          # reads the databases whole\n"
                                 "quarry doctor --json | jq '.checks[] | select(.status != \"ok\")'");
    const auto thorough = std::make_shared<bool>(false);
    parser.add_flag("--thorough", *thorough, "Read the databases whole, however large they are");
    return {&parser, [thorough](const CommandContext& session) { return run_doctor(session, *thorough); }};
}

}  // namespace quarry::cli
