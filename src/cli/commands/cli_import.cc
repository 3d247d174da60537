// `quarry import`: JSON lines, folders and files, into the store and the index.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/index_report.h"
#include "app/services/index_access.h"
#include "cli/commands.h"
#include "cli/output/crawl_text.h"
#include "cli/exit.h"
#include "cli/commands/import_run.h"
#include "cli/commands/index_wait.h"
#include "cli/interrupt.h"
#include "cli/data_access.h"
#include "model/job.h"
#include "model/json/readable.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

// All chunks of the collection; nothing if nobody can tell without waiting.
std::optional<std::int64_t> chunks_in(const app::Workplace& place, const std::string& collection) {
    if (place.remote) {
        const auto report = app::report_collection(place, collection);
        return report ? std::optional(report->indexed.chunks) : std::nullopt;
    }
    const auto library = app::Library::open_to_read(place);
    if (!library) return std::nullopt;
    const auto facts = (*library)->index().facts(collection);
    return facts ? std::optional(facts->chunks) : std::nullopt;
}

// "5,183 documents (5,000 new, 2 changed), 3 failed, 6,204 chunks, 3.1 s"
std::string summary_of(const ImportTally& tally, std::optional<std::int64_t> chunks,
                       std::chrono::milliseconds duration) {
    std::string states;
    const auto add_state = [&](std::int64_t count, std::string_view word) {
        if (count > 0) states += fmt::format("{}{} {}", states.empty() ? "" : ", ", with_commas(count), word);
    };
    add_state(tally.pages.added, "new");
    add_state(tally.pages.changed, "changed");
    add_state(tally.pages.unchanged, "unchanged");
    std::string line = counted(tally.documents(), "document");
    if (!states.empty()) line += fmt::format(" ({})", states);
    if (tally.failed > 0) line += fmt::format(", {} failed", with_commas(tally.failed));
    if (tally.forgotten > 0) line += fmt::format(", {} forgotten", with_commas(tally.forgotten));
    if (chunks && *chunks > 0) line += ", " + counted(*chunks, "chunk");
    return fmt::format("{}, {}", line, in_words(duration));
}

json::object record_of(const ImportTally& tally, const ImportArguments& arguments,
                       std::optional<std::int64_t> chunks, std::chrono::milliseconds duration) {
    json::object record = {{"success", tally.failed == 0},
                           {"collection", arguments.collection},
                           {"documents", tally.documents()},
                           {"added", tally.pages.added},
                           {"changed", tally.pages.changed},
                           {"unchanged", tally.pages.unchanged},
                           {"failed", tally.failed},
                           {"forgotten", tally.forgotten},
                           {"seconds", static_cast<double>(duration.count()) / 1000}};
    if (chunks) record["chunks"] = *chunks;
    return record;
}

void report(const Session& session, const app::Workplace& place, const ImportArguments& arguments,
            const ImportTally& tally, Clock::time_point started) {
    const auto duration = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started);
    const auto chunks = chunks_in(place, arguments.collection);
    if (session.json) write_data(readable_json(record_of(tally, arguments, chunks, duration)) + "\n");
    say(summary_of(tally, chunks, duration));
    if (tally.other_files > 0)
        say(fmt::format("Left out {} that are no markdown, text, HTML or PDF",
                        counted(tally.other_files, "file")));
    if (!arguments.no_embed && tally.documents() > 0)
        say(fmt::format(
            "Try: quarry search \"…\"{}",
            arguments.collection == "default" ? "" : " --collection " + printable(arguments.collection)));
}

int run_import(const Session& session, const ImportArguments& arguments) {
    const Clock::time_point started = Clock::now();
    stop_on_interrupt();
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (!place->remote) {
        if (const auto made = place->folder.create(); !made) return give_up(session, made.error());
        work::remove_abandoned_words(place->folder.path);
    }
    ImportRun run(session, *place, arguments);
    // A file that is not there was wrongly named.
    if (const auto opened = run.open(); !opened) {
        const bool is_misnamed = opened.error().code == ErrorCode::not_found;
        return give_up(session, {is_misnamed ? ErrorCode::invalid_argument : opened.error().code,
                                 opened.error().message});
    }
    const auto counts = work_until_indexed(
        session, *place, {.collection = arguments.collection, .begin = [&](const Perform& perform) {
                              return run.run(perform);
                          }});
    if (!counts && counts.error().code != ErrorCode::interrupted) return give_up(session, counts.error());
    report(session, *place, arguments, run.tally(), started);
    if (!counts || was_interrupted()) {
        say("Interrupted. What was written is kept: the same command goes on from there");
        return exit_interrupted;
    }
    const int indexed = arguments.no_embed ? exit_yes : report_index(session, *counts);
    return run.tally().failed > 0 ? std::max<int>(indexed, exit_no) : indexed;
}

}  // namespace

Command add_import(CommandBuilder& builder) {
    Parser& parser = builder.add(
        "import", "Make local documents searchable: JSON lines, folders, files",
        "quarry import notes/                        # markdown, text, HTML and PDF, with folders below\n"
        "quarry import corpus.jsonl --collection scifact   # lines {\"_id\", \"title\", \"text\"}\n"
        "quarry import paper.pdf README.md --priority high\n"
        "zstdcat dump.jsonl.zst | quarry import -\n"
        "quarry import notes/ --delete               # forget what is no longer there");
    const auto arguments = std::make_shared<ImportArguments>();
    parser
        .add_option("source", arguments->sources,
                    "Files (.jsonl or .ndjson are lines), folders, or - for lines")
        .required();
    parser.add_option("--collection", arguments->collection, "Which set of pages they belong to (default)");
    parser.add_option("--ignore", arguments->ignored_globs,
                      "Leave out what matches, as in .gitignore; repeatable");
    parser
        .add_option("--priority", arguments->priority,
                    "high (1), normal (2) or low (3): in the embedding queue the smaller comes first (normal)")
        .check([](const std::string& word) {
            const auto priority = parse_embedding_priority(word);
            return priority ? std::string() : priority.error().message;
        });
    parser.add_flag("--no-embed", arguments->no_embed, "Keep the pages, but out of the search index");
    parser.add_flag("--delete", arguments->forget_vanished,
                    "Forget files of these folders that are no longer there");
    return {&parser, [arguments](const Session& session) { return run_import(session, *arguments); }};
}

}  // namespace quarry::cli
