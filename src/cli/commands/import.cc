#include "cli/commands/import_run.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/web_access.h"
#include "base/ascii.h"
#include "cli/output/crawl_text.h"
#include "cli/interrupt.h"
#include "model/json/json_in.h"
#include "model/json/records.h"

namespace quarry::cli {
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

ImportRun::ImportRun(const Session& session, const app::Workplace& place, ImportArguments arguments)
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
        writer_ = std::make_unique<work::ImportWriter>(
            work::ImportTarget{.collection = arguments_.collection,
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

}  // namespace quarry::cli
