#include "work/import/watched_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "work/import/files.h"

namespace quarry::work {

namespace {

// IN_CREATE as well: a hard link is written nowhere else. IN_MODIFY: some programs never close.
constexpr std::uint32_t wanted = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM |
                                 IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW |
                                 IN_EXCL_UNLINK;

std::unexpected<Error> too_few(std::string_view what, std::string_view limit, int value) {
    return fail(ErrorCode::unavailable,
                fmt::format("the system allows no more {}. Allow more with: sudo sysctl fs.inotify.{}={}",
                            what, limit, value));
}

}  // namespace

Result<FolderNotices> FolderNotices::open() {
    const int notices = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (notices < 0 && errno == EMFILE) return too_few("watching programs", "max_user_instances", 1024);
    if (notices < 0)
        return fail(ErrorCode::unavailable, fmt::format("cannot watch folders: {}", std::strerror(errno)));
    const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake < 0) {
        ::close(notices);
        return fail(ErrorCode::unavailable, fmt::format("cannot watch folders: {}", std::strerror(errno)));
    }
    return FolderNotices(notices, wake);
}

FolderNotices::FolderNotices(FolderNotices&& other) noexcept
    : notices_(std::exchange(other.notices_, -1)),
      wake_(std::exchange(other.wake_, -1)),
      folders_(std::move(other.folders_)),
      numbers_(std::move(other.numbers_)) {}

FolderNotices::~FolderNotices() {
    if (notices_ >= 0) ::close(notices_);
    if (wake_ >= 0) ::close(wake_);
}

Result<void> FolderNotices::watch(const std::string& folder) {
    const int number = ::inotify_add_watch(notices_, folder.c_str(), wanted);
    if (number < 0 && errno == ENOSPC)
        return too_few(fmt::format("than {} folders to be watched", folders_.size()), "max_user_watches",
                       1'048'576);
    if (number < 0 && (errno == ENOENT || errno == ENOTDIR))
        return fail(ErrorCode::not_found, fmt::format("Folder not found: {}", folder));
    if (number < 0)
        return fail(ErrorCode::unavailable, fmt::format("cannot watch {}: {}", folder, std::strerror(errno)));
    // The kernel gives a folder it watches already the same number, whatever its name is now.
    if (const auto known = folders_.find(number); known != folders_.end()) numbers_.erase(known->second);
    folders_[number] = folder;
    numbers_[folder] = number;
    return {};
}

std::vector<Notice> FolderNotices::read(std::chrono::milliseconds timeout) {
    pollfd waits[] = {{notices_, POLLIN, 0}, {wake_, POLLIN, 0}};
    ::poll(waits, 2,
           timeout.count() < 0 ? -1 : static_cast<int>(std::min<std::int64_t>(timeout.count(), 60'000)));
    std::uint64_t wakes = 0;
    [[maybe_unused]] const ssize_t woken = ::read(wake_, &wakes, sizeof wakes);
    std::vector<Notice> notices;
    alignas(inotify_event) char buffer[64 << 10];
    while (true) {
        const ssize_t got = ::read(notices_, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return notices;
        for (ssize_t at = 0; at < got;) {
            const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
            at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
            take(event->mask, event->wd, event->len > 0 ? std::string_view(event->name) : "", notices);
        }
    }
}

void FolderNotices::take(std::uint32_t mask, int watch, std::string_view name, std::vector<Notice>& notices) {
    using What = Notice::What;
    if (mask & IN_Q_OVERFLOW) {
        notices.push_back({.what = What::overflow});
        return;
    }
    const auto found = folders_.find(watch);
    if (found == folders_.end()) return;  // of a folder that was moved away meanwhile
    const std::string folder = found->second;
    if (mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) {
        notices.push_back({.what = What::lost, .path = folder});
        if (mask & IN_IGNORED) {
            numbers_.erase(folder);
            folders_.erase(found);
        }
        return;
    }
    std::string path = folder == "/" ? "/" : folder + "/";
    path += name;
    const bool is_folder = mask & IN_ISDIR;
    if (mask & (IN_DELETE | IN_MOVED_FROM)) {
        // The kernel goes on watching a folder where it is now. Here it is forgotten with all below it, and
        // watched anew if it has come to a place that is.
        if (is_folder) forget_below(path);
        notices.push_back({.what = What::gone, .path = std::move(path)});
    } else if (!is_folder || (mask & (IN_CREATE | IN_MOVED_TO))) {
        notices.push_back({.what = is_folder ? What::folder : What::file, .path = std::move(path)});
    }
}

void FolderNotices::forget_below(const std::string& folder) {
    const auto forget = [&](auto at) {
        ::inotify_rm_watch(notices_, at->second);
        folders_.erase(at->second);
        return numbers_.erase(at);
    };
    if (const auto own = numbers_.find(folder); own != numbers_.end()) forget(own);
    const std::string beginning = folder + "/";
    for (auto at = numbers_.lower_bound(beginning); at != numbers_.end() && at->first.starts_with(beginning);)
        at = forget(at);
}

void FolderNotices::wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
}

namespace {

constexpr Timestamp at_once{};

}  // namespace

WatchFolder::WatchFolder(std::string folder, const std::vector<std::string>& ignored_globs,
                         StoredFiles stored, WatchTiming timing)
    : folder_(std::move(folder)), timing_(timing), rules_(folder_, ignored_globs) {
    for (auto& [path, etag] : stored) known_[path] = {.etag = std::move(etag)};
}

Result<std::vector<std::string>> WatchFolder::look(const BeforeFolder& before_folder) {
    rules_.forget_files();
    const FolderContent content = TRY(look_into_folder(folder_, rules_, before_folder));
    has_to_look_ = false;
    wait_for_known_below(folder_, at_once);
    compare(content, at_once);
    return content.problems;
}

void WatchFolder::handle(const Notice& notice, Timestamp now, const BeforeFolder& before_folder) {
    using What = Notice::What;
    if (notice.what == What::overflow) has_to_look_ = true;
    if (notice.what == What::overflow || !is_inside(notice.path, folder_)) return;
    if (notice.path.ends_with(std::string("/").append(ignore_file_name))) {
        // What it ignores now, or no longer, may be anywhere below.
        has_to_look_ = true;
        return;
    }
    switch (notice.what) {
        case What::file: wait(notice.path, now); break;
        case What::gone:
            waiting_.erase(notice.path);
            if (known_.contains(notice.path)) wait(notice.path, now);
            wait_for_known_below(notice.path, now);
            break;
        case What::folder:
            if (rules_.is_ignored(notice.path, true)) break;
            if (const auto content = look_into_folder(notice.path, rules_, before_folder))
                compare(*content, now);
            break;
        case What::overflow:
        case What::lost: break;  // a folder below is also told of as gone by the one above it
    }
}

// Only what differs from the store has to wait; what is as it was is struck off the list.
void WatchFolder::compare(const FolderContent& content, Timestamp now) {
    for (const FileSeen& file : content.files) {
        const auto known = known_.find(file.path);
        const bool is_same = known != known_.end() && known->second.etag == file.etag();
        const auto waiting = waiting_.find(file.path);
        if (!is_same) {
            wait(file.path, now);
        } else if (waiting != waiting_.end() && waiting->second.last == at_once) {
            waiting_.erase(waiting);
        }
    }
}

void WatchFolder::wait(const std::string& path, Timestamp now) {
    const bool is_ours = known_.contains(path) || (is_document_name(path) && !rules_.is_ignored(path, false));
    if (!is_ours) return;
    const auto [waiting, is_new] = waiting_.try_emplace(path, Waiting{now, now});
    if (!is_new) waiting->second.last = std::max(waiting->second.last, now);
}

void WatchFolder::wait_for_known_below(const std::string& folder, Timestamp now) {
    const std::string beginning = folder == "/" ? folder : folder + "/";
    for (auto at = known_.lower_bound(beginning); at != known_.end() && at->first.starts_with(beginning);
         ++at)
        wait(at->first, now);
}

Timestamp WatchFolder::due(const Waiting& waiting) const {
    if (waiting.last == at_once) return at_once;
    return std::min(waiting.last + timing_.quiet, waiting.first + timing_.longest);
}

std::optional<Timestamp> WatchFolder::next_due() const {
    std::optional<Timestamp> next;
    for (const auto& [path, waiting] : waiting_)
        if (!next || due(waiting) < *next) next = due(waiting);
    return next;
}

FolderChanges WatchFolder::take_due(Timestamp now, std::size_t limit) {
    std::vector<std::pair<Timestamp, std::string>> ready;
    for (const auto& [path, waiting] : waiting_)
        if (due(waiting) <= now) ready.emplace_back(waiting.last, path);
    const std::size_t count = std::min(limit, ready.size());
    std::partial_sort(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(count), ready.end(),
                      [](const auto& one, const auto& other) {
                          return one.first != other.first ? one.first > other.first
                                                          : one.second < other.second;
                      });
    FolderChanges changes;
    changes.is_recent = count > 0 && ready.front().first != at_once;
    for (std::size_t i = 0; i < count; ++i) {
        // What somebody has just saved does not share a batch with what was found by looking.
        if (changes.is_recent && ready[i].first == at_once) break;
        waiting_.erase(ready[i].second);
        decide(ready[i].second, changes);
    }
    return changes;
}

void WatchFolder::decide(const std::string& path, FolderChanges& changes) {
    const auto known = known_.find(path);
    const auto file = look_at_file(path);
    const bool is_there = file && is_document_name(path) && !rules_.is_ignored(path, false);
    if (!is_there) {
        if (known == known_.end()) return;
        if (known->second.is_stored)
            changes.gone.push_back(path);
        else
            known_.erase(known);
    } else if (known == known_.end() || known->second.etag != file->etag()) {
        changes.written.push_back(*file);
    }
}

void WatchFolder::put_back(const FolderChanges& changes) {
    for (const FileSeen& file : changes.written) waiting_.try_emplace(file.path);
    for (const std::string& path : changes.gone) waiting_.try_emplace(path);
}

bool WatchFolder::is_stored(const std::string& path) const {
    const auto known = known_.find(path);
    return known != known_.end() && known->second.is_stored;
}

void WatchFolder::note_written(const std::string& path, std::string etag) {
    known_[path] = {.etag = std::move(etag)};
}

void WatchFolder::note_unreadable(const FileSeen& file) {
    known_.try_emplace(file.path, Known{.is_stored = false}).first->second.etag = file.etag();
}

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
