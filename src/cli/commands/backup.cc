// `quarry backup`: a copy of everything, while work goes on.
#include <filesystem>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/data_folder.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "store/transfer/transfer.h"

namespace quarry::cli {

namespace {

namespace fs = std::filesystem;

int run_backup(const CommandContext& session, const std::string& file) {
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
    return exit_success;
}

}  // namespace

Command add_backup(CommandBuilder& builder) {
    Parser& parser =
        builder.add("backup", "Copy the database into a file, while work goes on",
                    "quarry backup ~/backups/quarry-monday.db\n"
                    "mkdir copy && quarry backup copy/quarry.db && quarry --data copy status --list");
    const auto file = std::make_shared<std::string>();
    parser.add_option("file", *file, "The file to write; it must not exist").required();
    return {&parser, [file](const CommandContext& session) { return run_backup(session, *file); }};
}

// `quarry migrate-store`: everything that is kept, from a data folder to PostgreSQL or back.

namespace {

struct MigrateArguments {
    std::string from{}, to{};
};

// One end, and the right to use it for as long as this is kept.
struct End {
    std::optional<app::FolderLock> lock{};
    std::unique_ptr<store::TransferEnd> end{};
};

bool is_url(const std::string& text) {
    return text.starts_with("postgres://") || text.starts_with("postgresql://");
}

Result<End> open_end(const std::string& text) {
    End end;
    if (is_url(text)) {
        end.end = TRY(store::open_postgres_end(text));
        return end;
    }
    const std::string path = std::filesystem::absolute(text).lexically_normal().string();
    const app::DataFolder folder{.path = path, .root = path};
    end.lock = TRY(app::FolderLock::take(folder, version));
    end.end = TRY(store::open_sqlite_end(folder.database()));
    return end;
}

Result<store::TransferReport> migrate(const MigrateArguments& arguments, bool is_shown) {
    std::error_code error;
    if (!is_url(arguments.from) && !std::filesystem::exists(arguments.from + "/quarry.db", error))
        return fail(ErrorCode::not_found, fmt::format("there is no database in {}", arguments.from));
    if (is_url(arguments.from) == is_url(arguments.to))
        return fail(
            ErrorCode::invalid_argument,
            "one of the two is a data folder and the other a database: postgres://USER@HOST/DATABASE");
    const End from = TRY(open_end(arguments.from));
    const End to = TRY(open_end(arguments.to));
    std::string table;
    const auto tell = [&](const store::TransferProgress& progress) {
        if (!is_shown || (progress.table == table && progress.rows < progress.of)) return;
        table = progress.table;
        say(progress.is_checking ? fmt::format("Comparing {}", progress.table)
                                 : fmt::format("{}: {} of {}", progress.table, with_commas(progress.rows),
                                               with_commas(progress.of)));
    };
    return store::transfer(*from.end, *to.end, tell, stop_on_interrupt());
}

int run_migrate_store(const CommandContext& session, const MigrateArguments& arguments) {
    const auto moved = migrate(arguments, true);
    if (!moved) return give_up(session, moved.error());
    say(fmt::format("{} rows in {} tables are there, and compared. Nothing was changed at the source",
                    with_commas(moved->rows), moved->tables));
    if (session.json)
        write_data(boost::json::serialize(boost::json::object{{"success", true},
                                                              {"tables", moved->tables},
                                                              {"rows", moved->rows},
                                                              {"taken_up", moved->taken_up}}) +
                   "\n");
    return exit_success;
}

}  // namespace

Command add_migrate_store(CommandBuilder& builder) {
    Parser& parser =
        builder.add("migrate-store", "Move everything that is kept from a data folder to PostgreSQL, or back",
                    "quarry migrate-store ~/.local/share/quarry postgres://quarry@db.example/quarry\n"
                    "quarry migrate-store postgres://quarry@db.example/quarry copy/\n"
                    "# Stop the workers first. Interrupted, the same command goes on where it was.\n"
                    "# The search index is made again from the pages.");
    const auto arguments = std::make_shared<MigrateArguments>();
    parser.add_option("from", arguments->from, "A data folder, or the URL of a database").required();
    parser.add_option("to", arguments->to, "Where to: the other kind, and empty").required();
    return {&parser,
            [arguments](const CommandContext& session) { return run_migrate_store(session, *arguments); }};
}

}  // namespace quarry::cli
