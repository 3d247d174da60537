// `quarry backup`: a copy of everything, while work goes on.
#include <filesystem>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/units.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/data_access.h"

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

int run_backup(const Session& session, const std::string& file) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (place->store.is_shared())
        return give_up(session, {ErrorCode::unsupported,
                                 fmt::format("{} is PostgreSQL's to back up: use pg_dump, or its archive",
                                             app::shown(*place))});
    std::error_code error;
    if (!fs::exists(place->folder.database(), error))
        return give_up(session,
                       {ErrorCode::not_found, fmt::format("There is nothing in {} yet", place->folder.path)});
    // The owner writes it, and has another current folder.
    const std::string path = fs::absolute(file).lexically_normal().string();
    const auto asked = app::ask(*place, "backup", {{"file", path}});
    if (!asked) return give_up(session, asked.error());
    const auto bytes = fs::file_size(path, error);
    say(fmt::format("{} in {}", format_bytes(error ? 0 : bytes), path));
    if (session.json)
        write_data(
            boost::json::serialize(boost::json::object{{"success", true}, {"file", path}, {"bytes", bytes}}) +
            "\n");
    return exit_yes;
}

}  // namespace

Command add_backup(CommandBuilder& builder) {
    Parser& parser =
        builder.add("backup", "Copy the database into a file, while work goes on",
                    "quarry backup ~/backups/quarry-monday.db\n"
                    "mkdir copy && quarry backup copy/quarry.db && quarry --data copy status --list");
    const auto file = std::make_shared<std::string>();
    parser.add_option("file", *file, "The file to write; it must not exist").required();
    return {&parser, [file](const Session& session) { return run_backup(session, *file); }};
}

}  // namespace quarry::cli
