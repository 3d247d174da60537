// `quarry config show`: every setting, its value, and where the value came from.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit.h"

namespace quarry::cli {
namespace {

int show_as_json(const Session& session) {
    boost::json::object all;
    for (const app::SettingDefinition& definition : app::setting_table()) {
        const std::string key(definition.key);
        all[key] = {{"value", session.settings.masked(key)}, {"source", session.settings.value(key).origin}};
    }
    write_data(boost::json::serialize(all) + "\n");
    return exit_yes;
}

int show_settings(const Session& session) {
    if (session.json) return show_as_json(session);
    for (const app::SettingDefinition& definition : app::setting_table()) {
        const std::string key(definition.key);
        const std::string value = fmt::format("{} = \"{}\"", key, session.settings.masked(key));
        if (!write_data(
                fmt::format("{:<44} # {}: {}\n", value, session.settings.value(key).origin, definition.help)))
            break;
    }
    return exit_yes;
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

}  // namespace quarry::cli
