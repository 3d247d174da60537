// `quarry collections`: named sets of pages, each with one embedder.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/index_report.h"
#include "cli/command.h"
#include "cli/commands/index_wait.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/terminal.h"
#include "model/json/readable.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;
using app::CollectionReport;

struct CollectionArguments {
    std::string name{}, embedder = "builtin";
    bool yes = false;
};

std::string embedder_of(const CollectionReport& report) {
    const EmbedderFacts& facts = report.collection.embedder;
    std::string text = facts.provider.empty() ? "not chosen yet" : facts.provider;
    if (!facts.model.empty()) text += " " + facts.model;
    const int dimensions = static_cast<int>(to_json(report).at("dimensions").to_number<int>());
    if (dimensions > 0) text += fmt::format(" ({})", dimensions);
    return printable(text);
}

// Columns as wide as their widest cell; all but the first and the embedder are numbers.
std::string table_of(const CommandContext& session, const std::vector<CollectionReport>& reports) {
    std::vector<std::vector<std::string>> rows = {
        {"NAME", "PAGES", "CHUNKS", "WAITING", "FAILED", "EMBEDDER"}};
    for (const CollectionReport& report : reports)
        rows.push_back({printable(report.collection.name), with_commas(report.collection.pages),
                        with_commas(report.indexed.chunks),
                        with_commas(report.outbox.pending + report.outbox.processing),
                        with_commas(report.outbox.failed), embedder_of(report)});
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (std::size_t line = 0; line < rows.size(); ++line) {
        const auto& row = rows[line];
        std::string cells = fmt::format("{:<{}}", row[0], widths[0]);
        for (std::size_t i = 1; i + 1 < row.size(); ++i) cells += fmt::format("  {:>{}}", row[i], widths[i]);
        cells += "  " + row.back();
        text += (line == 0 ? session.terminal.paint_data(Colour::bold, cells) : cells) + "\n";
    }
    return text;
}

int list_collections(const CommandContext& session, const app::DataSource& place) {
    const auto reports = app::report_collections(place);
    if (!reports) return give_up(session, reports.error());
    if (session.json) {
        json::array records;
        for (const CollectionReport& report : *reports) records.push_back(to_json(report));
        write_data(readable_json(records) + "\n");
        return exit_success;
    }
    if (reports->empty()) {
        say("There are no collections yet. A crawl or an import makes one");
        return exit_success;
    }
    write_data(table_of(session, *reports));
    return exit_success;
}

int show_collection(const CommandContext& session, const app::DataSource& place,
                    const CollectionArguments& arguments) {
    const auto report = app::report_collection(place, arguments.name);
    if (!report) return give_up(session, report.error());
    const json::object record = to_json(*report);
    if (session.json) {
        write_data(readable_json(record) + "\n");
        return exit_success;
    }
    for (const auto& [name, value] : record) {
        if (value.is_null()) continue;
        const std::string text = value.is_string()  ? printable(value.get_string())
                                 : value.is_int64() ? with_commas(value.get_int64())
                                                    : readable_json(value);
        write_data(fmt::format("{:<12} {}\n", std::string_view(name), text));
    }
    return exit_success;
}

int create(const CommandContext& session, const app::DataSource& place,
           const CollectionArguments& arguments) {
    const auto known = app::report_collection(place, arguments.name);
    if (known)
        return give_up(session, {ErrorCode::conflict,
                                 fmt::format("the collection \"{0}\" exists already. To give it another "
                                             "embedder: quarry reindex --collection {0} --embedder …",
                                             arguments.name)});
    if (known.error().code != ErrorCode::not_found) return give_up(session, known.error());
    const auto asked =
        app::ask(place, "set_collection", {{"name", arguments.name}, {"provider", arguments.embedder}});
    if (!asked) return give_up(session, asked.error());
    say(fmt::format("Created \"{}\", embedded by {}", printable(arguments.name), arguments.embedder));
    if (session.json)
        write_data(readable_json(json::object{{"success", true}, {"name", arguments.name}}) + "\n");
    return exit_success;
}

int remove(const CommandContext& session, const app::DataSource& place,
           const CollectionArguments& arguments) {
    const auto report = app::report_collection(place, arguments.name);
    if (!report) return give_up(session, report.error());
    const std::string pages = counted(report->collection.pages, "page");
    if (!arguments.yes) {
        const auto wanted = confirmed(fmt::format("\"{}\" will be deleted with {}.", arguments.name, pages));
        if (!wanted) return give_up(session, wanted.error());
        if (!*wanted) return exit_incomplete;
    }
    const auto begin = [&](const Perform& perform) -> Result<void> {
        TRY(perform("remove_collection", {{"name", arguments.name}}));
        return {};
    };
    const auto counts = work_until_indexed(
        session, place, {.collection = arguments.name, .begin = begin, .what = "Deleting"});
    if (!counts) return give_up(session, counts.error());
    say(fmt::format("Deleted \"{}\" with {}", printable(arguments.name), pages));
    if (session.json)
        write_data(readable_json(json::object{
                       {"success", true}, {"name", arguments.name}, {"count", report->collection.pages}}) +
                   "\n");
    return exit_success;
}

int run_collections(const CommandContext& session, const Parser& parser,
                    const CollectionArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (parser.chose("show")) return show_collection(session, *place, arguments);
    if (parser.chose("create")) return create(session, *place, arguments);
    if (parser.chose("delete")) return remove(session, *place, arguments);
    return list_collections(session, *place);
}

}  // namespace

Command add_collections(CommandBuilder& builder) {
    Parser& parser = builder.add("collections", "Named sets of pages that are searched together",
                                 "quarry collections list\n"
                                 "quarry collections show news --json\n"
                                 "quarry collections create papers --embedder tei\n"
                                 "quarry collections delete papers --yes\n"
                                 "quarry reindex --collection papers --embedder builtin");
    const auto arguments = std::make_shared<CollectionArguments>();
    parser.add_command("list", "All of them, with their pages, chunks and embedders");
    parser.add_command("show", "One of them").add_option("name", arguments->name, "Its name").required();
    Parser& created = parser.add_command("create", "Begin one, with an embedder of your choice");
    created.add_option("name", arguments->name, "Its name").required();
    created
        .add_option("--embedder", arguments->embedder,
                    "builtin (no service), tei, openai, or none: by words alone (builtin)")
        .one_of({"builtin", "tei", "openai", "none"});
    Parser& removed = parser.add_command("delete", "Delete one with all its pages");
    removed.add_option("name", arguments->name, "Its name").required();
    removed.add_flag("--yes", arguments->yes, "Do not ask");
    parser.require_command();
    return {&parser, [arguments, &parser](const CommandContext& session) {
                return run_collections(session, parser, *arguments);
            }};
}

}  // namespace quarry::cli
