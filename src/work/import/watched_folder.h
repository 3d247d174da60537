// Keeps the store in step with a folder on disk.
// FolderNotices hears from the kernel (inotify) what happens. WatchFolder decides what has changed; it
// reads only names, sizes and times, and the time is handed in. WatchWriter has the store's owner write
// what is new and forget what is gone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "fetch/pdf/pdf.h"
#include "work/import/files.h"
#include "work/import/ignore.h"
#include "work/import/writer.h"

namespace quarry::work {

// What happens in folders, as the kernel tells it (inotify).

struct Notice {
    enum class What : std::uint8_t {
        file,      // was written, or came here: it may differ from what it was
        folder,    // came here, with whatever is in it: watch it, then look into it
        gone,      // a file, or a folder with all that was in it
        overflow,  // more happened than could be told: look at everything
        lost,      // a watched folder itself is gone, or its disk was taken away
    } what{};
    std::string path{};
};

// Used by one thread; wake() by any.
class FolderNotices {
public:
    // `unavailable` if the system gives no more of them, with the limit to raise.
    static Result<FolderNotices> open();
    ~FolderNotices();
    FolderNotices(FolderNotices&& other) noexcept;
    FolderNotices& operator=(FolderNotices&&) = delete;

    // Tells of what happens in this folder from now on, but not in those below it: each is watched by itself.
    // Doing it again is harmless. `not_found` if it is not there any more; `unavailable` if the system allows
    // no more watches, with the limit to raise.
    Result<void> watch(const std::string& folder);

    // What has happened; waits for it until `timeout` or wake(). A negative timeout waits for ever.
    std::vector<Notice> read(std::chrono::milliseconds timeout);

    void wake() const;

    std::size_t watched() const { return folders_.size(); }

private:
    FolderNotices(int notices, int wake) : notices_(notices), wake_(wake) {}
    void take(std::uint32_t mask, int watch, std::string_view name, std::vector<Notice>& notices);
    void forget_below(const std::string& folder);

    int notices_ = -1, wake_ = -1;
    std::unordered_map<int, std::string> folders_;  // by the kernel's number
    std::map<std::string, int> numbers_;            // the way back, so that a folder's own are neighbours
};

// What has changed in a folder since the store last heard of it. Decides, and reads nothing but the names,
// sizes and times of files; the time is handed in.

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

// Tells the store what has changed in a watched folder: new words are written, what is gone is forgotten.

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
