#include "work/import/watch_notices.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

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

}  // namespace quarry::work
