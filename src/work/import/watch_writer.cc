#include "work/import/watch_writer.h"

#include <boost/json.hpp>

#include "work/import/files.h"

namespace quarry::work {
namespace {

namespace json = boost::json;
using What = WatchedChange::What;

// Documents that were gathered, until the store has them.
class GatheredFiles {
public:
    GatheredFiles(WatchFolder& folder, const WatchWriter::Report& report)
        : folder_(folder), report_(report) {}

    void add(std::string path, std::string etag) { files_.emplace_back(std::move(path), std::move(etag)); }

    // A batch of which nothing changed was only touched: nobody wants to hear of it.
    void note_written(bool any_changed) {
        for (auto& [path, etag] : files_) {
            const What what = folder_.is_stored(path) ? What::changed : What::added;
            if (any_changed) report_({.what = what, .path = path});
            folder_.note_written(path, std::move(etag));
        }
        files_.clear();
    }

private:
    WatchFolder& folder_;
    const WatchWriter::Report& report_;
    std::vector<std::pair<std::string, std::string>> files_;
};

}  // namespace

std::string_view name_of(What what) {
    switch (what) {
        case What::added: return "added";
        case What::changed: return "changed";
        case What::forgotten: return "forgotten";
        case What::failed: return "failed";
    }
    return "";
}

Result<void> WatchWriter::apply(WatchFolder& folder, FolderChanges changes, const Perform& perform,
                                const Report& report) {
    const Round round{folder, changes, perform, report};
    auto done = write(round);
    if (done) done = forget(round);
    // Those that are told already look unchanged when their turn comes again.
    if (!done) folder.put_back(changes);
    return done;
}

Result<void> WatchWriter::write(const Round& round) const {
    const std::vector<FileSeen>& files = round.changes.written;
    std::vector<std::string> paths;
    for (const FileSeen& file : files) paths.push_back(file.path);
    ImportTarget target = target_;
    if (round.changes.is_recent) target.priority = priority_high;
    ImportWriter writer(std::move(target));
    GatheredFiles gathered(round.folder, round.report);
    const auto send = [&]() -> Result<void> {
        const store::PagesWritten before = writer.written();
        TRY(writer.send(
            [&](json::object params) { return round.perform("write_pages", std::move(params)); }));
        gathered.note_written(writer.written().added + writer.written().changed >
                              before.added + before.changed);
        return {};
    };
    FilesSource source(paths, limits_, threads_);
    while (auto document = source.next()) {
        const FileSeen& file = files[source.last()];
        auto added = *document ? writer.add(**document) : std::unexpected(document->error());
        if (added) {
            gathered.add(file.path, (*document)->etag);
            if (writer.is_full()) TRY(send());
        } else if (added.error().code == ErrorCode::not_found && round.folder.is_stored(file.path)) {
            round.changes.gone.push_back(file.path);  // it has no words any more
        } else {
            round.folder.note_unreadable(file);
            round.report({.what = What::failed, .path = file.path, .error = added.error().message});
        }
    }
    return send();
}

Result<void> WatchWriter::forget(const Round& round) const {
    if (round.changes.gone.empty()) return {};
    json::array urls;
    for (const std::string& path : round.changes.gone) urls.push_back(json::value(file_url(path)));
    TRY(round.perform("forget", {{"collection", target_.collection}, {"urls", std::move(urls)}}));
    for (const std::string& path : round.changes.gone) {
        round.folder.note_forgotten(path);
        round.report({.what = What::forgotten, .path = path});
    }
    return {};
}

}  // namespace quarry::work
