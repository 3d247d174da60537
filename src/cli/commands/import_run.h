// One import from beginning to end: what was named on the command line becomes pages of the store.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/data_source.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/commands/index_wait.h"
#include "cli/output/live_lines.h"
#include "work/import/files.h"
#include "work/import/documents.h"
#include "work/import/import_source.h"
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
    ImportRun(const Session& session, const app::Workplace& place, ImportArguments arguments);

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

    const Session& session_;
    const app::Workplace& place_;
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

}  // namespace quarry::cli
