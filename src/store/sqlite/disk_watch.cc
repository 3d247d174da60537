#include "store/sqlite/disk_watch.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "base/units.h"

namespace quarry::store {

namespace {

constexpr std::int64_t ask_every_ms = 1'000;

std::int64_t steady_ms() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

Result<void> DiskWatch::check() {
    if (keep_free_bytes_ == 0) return {};
    const std::int64_t now = steady_ms();
    if (asked_at_.load() == 0 || now - asked_at_.load() >= ask_every_ms) {
        struct statvfs disk{};
        // A disk that does not answer is not known to be full.
        if (::statvfs(folder_.c_str(), &disk) != 0) return {};
        free_bytes_ = std::uint64_t{disk.f_bavail} * disk.f_frsize;
        asked_at_ = now;
    }
    if (free_bytes_ >= keep_free_bytes_) return {};
    return fail(ErrorCode::unavailable,
                fmt::format("only {} are free on {}, quarry keeps {} free: make room, then go on",
                            format_bytes(free_bytes_), folder_, format_bytes(keep_free_bytes_)));
}

}  // namespace quarry::store
