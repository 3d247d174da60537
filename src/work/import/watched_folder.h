// What has changed in a folder since the store last heard of it. Decides, and reads nothing but the names,
// sizes and times of files; the time is handed in.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/base_clock.h"
#include "base/result.h"
#include "work/import/files.h"
#include "work/import/ignore.h"
#include "work/import/watch_notices.h"

namespace quarry::work {

struct WatchTiming {
    std::chrono::milliseconds quiet{1'000};    // after the last notice about a file
    std::chrono::milliseconds longest{3'000};  // after the first, for a file that is never quiet
};

// What the store has to hear of.
struct FolderChanges {
    std::vector<FileSeen> written{};  // files to be read
    std::vector<std::string> gone{};  // files to be forgotten
    bool is_recent = false;           // noticed just now, not found by looking at everything

    bool is_empty() const { return written.empty() && gone.empty(); }
    std::size_t size() const { return written.size() + gone.size(); }
};

class WatchFolder {
public:
    // `stored` is what the store has of the folder, whose path is absolute.
    WatchFolder(std::string folder, const std::vector<std::string>& ignored_globs, StoredFiles stored,
                WatchTiming timing = {});

    const std::string& path() const { return folder_; }

    // Looks at everything: what differs from the store is due at once. Returns what could not be read, in
    // sentences. `not_found` if the folder is not there; then nothing counts as gone.
    Result<std::vector<std::string>> look(const BeforeFolder& before_folder = {});

    // Notices of other folders are not its own.
    void handle(const Notice& notice, Timestamp now, const BeforeFolder& before_folder = {});

    // True after a notice that leaves no way but to look at everything.
    bool has_to_look() const { return has_to_look_; }

    // When take_due() has something to give; nothing if it is all quiet.
    std::optional<Timestamp> next_due() const;

    // At most `limit` files of which it is time, those first that were written last. Each is the caller's
    // now, to be noted, or to be put back.
    FolderChanges take_due(Timestamp now, std::size_t limit);
    void put_back(const FolderChanges& changes);

    bool is_stored(const std::string& path) const;
    void note_written(const std::string& path, std::string etag);
    // It cannot be read: not tried again until it changes. What the store has of it stays.
    void note_unreadable(const FileSeen& file);
    void note_forgotten(const std::string& path) { known_.erase(path); }

private:
    struct Known {
        std::string etag{};
        bool is_stored = true;
    };
    struct Waiting {
        Timestamp first{}, last{};  // noticed; the epoch if nobody was told
    };

    Timestamp due(const Waiting& waiting) const;
    void wait(const std::string& path, Timestamp now);
    void wait_for_known_below(const std::string& folder, Timestamp now);
    void compare(const FolderContent& content, Timestamp now);
    void decide(const std::string& path, FolderChanges& changes);

    const std::string folder_;
    const WatchTiming timing_;
    IgnoreRules rules_;
    std::map<std::string, Known> known_;
    std::map<std::string, Waiting> waiting_;
    bool has_to_look_ = false;
};

}  // namespace quarry::work
