// Tells the store what has changed in a watched folder: new words are written, what is gone is forgotten.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "fetch/pdf/pdf.h"
#include "work/import/writer.h"
#include "work/import/watched_folder.h"

namespace quarry::work {

struct WatchedChange {
    enum class What : std::uint8_t { added, changed, forgotten, failed } what{};
    std::string path{};
    std::string error{};  // a sentence, if it failed
};
std::string_view name_of(WatchedChange::What what);

class WatchWriter {
public:
    // Has the owner of the store do what a method names.
    using Perform =
        std::function<Result<boost::json::value>(std::string_view method, boost::json::object params)>;

    // Hears what became of each file.
    using Report = std::function<void(const WatchedChange&)>;

    // The target's priority is that of files found by looking; what was just saved goes before.
    WatchWriter(ImportTarget target, fetch::PdfLimits limits, int threads)
        : target_(std::move(target)), limits_(std::move(limits)), threads_(threads) {}

    // Fails if the owner could not do it; then what was not told is back in the folder's list. Telling
    // something twice does no harm.
    Result<void> apply(WatchFolder& folder, FolderChanges changes, const Perform& perform,
                       const Report& report);

private:
    struct Round {
        WatchFolder& folder;
        FolderChanges& changes;
        const Perform& perform;
        const Report& report;
    };
    Result<void> write(const Round& round) const;
    Result<void> forget(const Round& round) const;

    const ImportTarget target_;
    const fetch::PdfLimits limits_;
    const int threads_;
};

}  // namespace quarry::work
