// One import from beginning to end: what was named on the command line becomes pages of the store.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/data_source.h"
#include "app/services/index_access.h"
#include "app/services/index_report.h"
#include "app/services/web_access.h"
#include "base/ascii.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/commands/index_wait.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/terminal.h"
#include "model/job.h"
#include "model/json/fields.h"
#include "model/json/readable.h"
#include "model/json/records.h"
#include "work/import/documents.h"
#include "work/import/files.h"
#include "work/import/writer.h"

namespace quarry::cli {

struct ImportArguments {
    std::vector<std::string> sources{};  // files, folders, "-"
    std::string collection = "default";
    std::vector<std::string> ignored_globs{};
    std::string priority = "normal";  // in the embedding queue
    bool no_embed = false;
    bool forget_vanished = false;  // files that are no longer in a folder
};

struct ImportTally {
    store::PagesWritten pages{};  // unchanged ones with those that need not even be read
    std::int64_t failed = 0;      // documents that could not be read
    std::int64_t forgotten = 0;
    std::int64_t other_files = 0;  // of kinds that are not read

    std::int64_t documents() const { return pages.added + pages.changed + pages.unchanged; }
};

class ImportRun {
public:
    ImportRun(const CommandContext& session, const app::DataSource& place, ImportArguments arguments);

    // Looks for everything that was named, so that a slip is told before anything is done. `not_found`.
    Result<void> open();

    // Writes all of it; if it fails because the owner of the store has left, the next call goes on where this
    // one was. Fails with `interrupted` after Ctrl-C: what was written until then stays.
    Result<void> run(const Perform& perform);

    const ImportTally& tally() const { return tally_; }

private:
    // What one argument leads to.
    struct Part {
        std::string site{};
        std::unique_ptr<work::ImportSource> source{};
        std::vector<std::string> vanished{};  // URLs to be forgotten
    };

    Result<Part> open_folder(const std::string& path);
    Result<Part> open_file(const std::string& path);
    Result<const work::StoredFiles*> stored_below_root();
    std::unique_ptr<work::ImportSource> files_source(std::vector<std::string> paths) const;
    Result<void> run_part(Part& part, const Perform& perform);
    Result<void> send(const Perform& perform);
    Result<void> forget(Part& part, const Perform& perform);
    void note(const Perform& perform) const;
    void note_failure(const Error& error);
    void show_progress();

    const CommandContext& session_;
    const app::DataSource& place_;
    const ImportArguments arguments_;
    std::vector<Part> parts_;
    std::size_t part_ = 0;  // the one that is being written
    std::unique_ptr<work::ImportWriter> writer_;
    std::optional<work::StoredFiles> stored_;
    ImportTally tally_;
    std::int64_t read_ = 0;
    LiveLines lines_;
    std::chrono::steady_clock::time_point shown_at_{};
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::int64_t most_failures_told = 20;
constexpr std::size_t forgotten_at_once = 500;

bool holds_lines(std::string_view path) {
    const std::string name = lower_case(path);
    return path == "-" || name.ends_with(".jsonl") || name.ends_with(".ndjson");
}

// The path without links and dots, so that a file has one name however it was reached.
std::string real_path(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? fs::absolute(path).lexically_normal().string() : real.string();
}

int reading_threads() {
    return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
}

}  // namespace

ImportRun::ImportRun(const CommandContext& session, const app::DataSource& place, ImportArguments arguments)
    : session_(session), place_(place), arguments_(std::move(arguments)), lines_(session.terminal) {}

Result<void> ImportRun::open() {
    for (const std::string& argument : arguments_.sources) {
        std::error_code error;
        if (argument != "-" && fs::is_directory(argument, error)) {
            parts_.push_back(TRY(open_folder(real_path(argument))));
        } else if (holds_lines(argument)) {
            auto source = TRY(work::open_lines(argument));
            parts_.push_back({.site = argument == "-" ? "" : work::file_url(real_path(argument)),
                              .source = std::move(source)});
        } else {
            parts_.push_back(TRY(open_file(argument)));
        }
    }
    return {};
}

Result<ImportRun::Part> ImportRun::open_folder(const std::string& path) {
    work::IgnoreRules rules(path, arguments_.ignored_globs);
    const work::FolderContent content = TRY(work::look_into_folder(path, rules));
    for (const std::string& problem : content.problems) note_failure({ErrorCode::unavailable, problem});
    tally_.other_files += content.other_files;
    const work::StoredFiles& stored = *TRY(stored_below_root());
    std::vector<std::string> changed;
    for (const work::FileSeen& file : content.files) {
        const auto former = stored.find(file.path);
        if (former == stored.end() || former->second != file.etag())
            changed.push_back(file.path);
        else
            ++tally_.pages.unchanged;
    }
    Part part{.site = work::file_url(path), .source = files_source(std::move(changed))};
    // A folder that cannot be read has not lost its files.
    if (!arguments_.forget_vanished || !content.problems.empty()) return part;
    std::vector<std::string> there;
    for (const work::FileSeen& file : content.files) there.push_back(file.path);
    std::ranges::sort(there);
    for (const auto& [file, etag] : stored)
        if (work::is_inside(file, path) && !std::ranges::binary_search(there, file))
            part.vanished.push_back(work::file_url(file));
    return part;
}

Result<ImportRun::Part> ImportRun::open_file(const std::string& argument) {
    // A link that was named is meant, unlike one that is met in a folder.
    const work::FileSeen file = TRY(work::look_at_file(real_path(argument)));
    const work::StoredFiles& stored = *TRY(stored_below_root());
    const auto former = stored.find(file.path);
    std::vector<std::string> changed;
    if (former == stored.end() || former->second != file.etag())
        changed.push_back(file.path);
    else
        ++tally_.pages.unchanged;
    return Part{.site = work::file_url(file.path), .source = files_source(std::move(changed))};
}

Result<const work::StoredFiles*> ImportRun::stored_below_root() {
    if (stored_) return &*stored_;
    const auto reader = app::open_reader(place_);
    if (!reader && reader.error().code != ErrorCode::not_found) return std::unexpected(reader.error());
    stored_ = reader ? TRY(work::stored_files(**reader, arguments_.collection, "/")) : work::StoredFiles();
    return &*stored_;
}

std::unique_ptr<work::ImportSource> ImportRun::files_source(std::vector<std::string> paths) const {
    return std::make_unique<work::FilesSource>(std::move(paths), app::pdf_limits(place_.settings),
                                               reading_threads());
}

Result<void> ImportRun::run(const Perform& perform) {
    for (; part_ < parts_.size(); ++part_) TRY(run_part(parts_[part_], perform));
    lines_.clear();
    const std::int64_t untold = tally_.failed - most_failures_told;
    if (untold > 0) say(fmt::format("… and {} more", with_commas(untold)));
    note(perform);
    return {};
}

// For the metrics. One that cannot be kept is no reason to fail.
void ImportRun::note(const Perform& perform) const {
    const std::int64_t documents = tally_.documents();
    const quarry::Session done{
        .operation = "import",
        .base_url = arguments_.sources.empty() ? std::string() : arguments_.sources.front(),
        .success = tally_.failed == 0,
        .auto_index = !arguments_.no_embed,
        .counts = {.total_urls = documents + tally_.failed,
                   .completed_urls = documents,
                   .failed_urls = tally_.failed,
                   .duration = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::steady_clock::now() - started_)},
        .error =
            tally_.failed > 0 ? fmt::format("{} of them could not be read", tally_.failed) : std::string()};
    (void)perform("add_session", record_of(done));
}

Result<void> ImportRun::run_part(Part& part, const Perform& perform) {
    if (!writer_) {
        writer_ = std::make_unique<work::ImportWriter>(work::ImportTarget{
            .collection = arguments_.collection,
            .site = part.site,
            .priority = parse_embedding_priority(arguments_.priority).value_or(priority_normal),
            .index_pages = !arguments_.no_embed,
            .folder = place_.folder.path});
    } else if (writer_->is_full()) {
        TRY(send(perform));  // what the former owner did not hear
    }
    while (auto document = part.source->next()) {
        if (was_interrupted()) return fail(ErrorCode::interrupted, "Interrupted");
        const auto added = *document ? writer_->add(**document) : std::unexpected(document->error());
        if (!added) note_failure(added.error());
        ++read_;
        show_progress();
        if (writer_->is_full()) TRY(send(perform));
    }
    TRY(send(perform));
    TRY(forget(part, perform));
    writer_.reset();
    return {};
}

Result<void> ImportRun::send(const Perform& perform) {
    const store::PagesWritten before = writer_->written();
    TRY(writer_->send([&](json::object params) { return perform("write_pages", std::move(params)); }));
    const store::PagesWritten& now = writer_->written();
    tally_.pages.added += now.added - before.added;
    tally_.pages.changed += now.changed - before.changed;
    tally_.pages.unchanged += now.unchanged - before.unchanged;
    return {};
}

Result<void> ImportRun::forget(Part& part, const Perform& perform) {
    while (!part.vanished.empty()) {
        json::array urls;
        const std::size_t rest = part.vanished.size() - std::min(part.vanished.size(), forgotten_at_once);
        for (std::size_t i = rest; i < part.vanished.size(); ++i)
            urls.push_back(json::string(part.vanished[i]));
        const json::value answer =
            TRY(perform("forget", {{"collection", arguments_.collection}, {"urls", std::move(urls)}}));
        tally_.forgotten += TRY(answered_number(answer, "count"));
        part.vanished.resize(rest);
    }
    return {};
}

void ImportRun::note_failure(const Error& error) {
    if (++tally_.failed > most_failures_told) return;
    lines_.clear();
    say_error(session_.terminal, printable(error.message));
}

void ImportRun::show_progress() {
    if (!session_.terminal.progress) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_at_ < 100ms) return;
    shown_at_ = now;
    lines_.show({"Importing: " + counted(read_, "document")});
}

// `quarry import`: JSON lines, folders and files, into the store and the index.

namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

// All chunks of the collection; nothing if nobody can tell without waiting.
std::optional<std::int64_t> chunks_in(const app::DataSource& place, const std::string& collection) {
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

void report(const CommandContext& session, const app::DataSource& place, const ImportArguments& arguments,
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

int run_import(const CommandContext& session, const ImportArguments& arguments) {
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
    const int indexed = arguments.no_embed ? exit_success : report_index(session, *counts);
    return run.tally().failed > 0 ? std::max<int>(indexed, exit_incomplete) : indexed;
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
        .add_option(
            "--priority", arguments->priority,
            "high (1), normal (2) or low (3): in the embedding queue the smaller comes first (normal)")
        .check([](const std::string& word) {
            const auto priority = parse_embedding_priority(word);
            return priority ? std::string() : priority.error().message;
        });
    parser.add_flag("--no-embed", arguments->no_embed, "Keep the pages, but out of the search index");
    parser.add_flag("--delete", arguments->forget_vanished,
                    "Forget files of these folders that are no longer there");
    return {&parser, [arguments](const CommandContext& session) { return run_import(session, *arguments); }};
}

}  // namespace quarry::cli
