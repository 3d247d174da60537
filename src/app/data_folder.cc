#include "app/data_folder.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/store_address.h"

namespace quarry::app {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannot_use(const std::string& path, int code) {
    return fail(ErrorCode::unavailable,
                fmt::format("cannot use the data folder {}: {}. Name another one with --data DIR", path,
                            std::strerror(code)));
}

void write_holder(int file, const std::string& version) {
    const std::string text = fmt::format("{} {}\n", getpid(), version);
    // A lock file that says nothing still locks: what it says is only for people.
    if (ftruncate(file, 0) == 0) [[maybe_unused]]
        const ssize_t written = pwrite(file, text.data(), text.size(), 0);
}

}  // namespace

namespace {

Result<void> make_private(const fs::path& path) {
    std::error_code error;
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return cannot_use(path, errno);
    if (!fs::is_directory(path, error)) return cannot_use(path, ENOTDIR);
    return {};
}

}  // namespace

Result<void> DataFolder::create() const {
    std::error_code error;
    const fs::path top = root.empty() ? path : root;
    if (top.has_parent_path()) fs::create_directories(top.parent_path(), error);
    if (error) return cannot_use(path, error.value());
    TRY(make_private(top));
    fs::path level = top;
    for (const fs::path& part : fs::path(path).lexically_relative(top)) {
        if (part == ".") continue;
        level /= part;
        TRY(make_private(level));
    }
    return {};
}

std::string DataFolder::exposure() const {
    struct stat status{};
    const std::string& top = root.empty() ? path : root;
    if (::stat(top.c_str(), &status) != 0 || (status.st_mode & 077) == 0) return "";
    return fmt::format("others on this machine can look into the data folder {0} (mode {1:o}): chmod 700 {0}",
                       top, status.st_mode & 07777);
}

Result<DataFolder> data_folder(const Settings& settings,
                               const std::map<std::string, std::string, std::less<>>& environment) {
    const auto below = [&](std::string_view variable, const std::string& rest) -> std::string {
        const auto found = environment.find(variable);
        return found == environment.end() || found->second.empty() ? "" : found->second + rest;
    };
    std::string path = settings.text("store.data");
    if (path.empty()) path = below("XDG_DATA_HOME", "/quarry");
    if (path.empty()) path = below("HOME", "/.local/share/quarry");
    if (path.empty())
        return fail(
            ErrorCode::invalid_argument,
            "there is no data folder: neither HOME nor XDG_DATA_HOME is set. Name one with --data DIR");
    std::error_code error;
    fs::path absolute = fs::absolute(path, error).lexically_normal();
    if (error) return cannot_use(path, error.value());
    if (!absolute.has_filename()) absolute = absolute.parent_path();  // "data/" and "data" are the same
    DataFolder folder{.path = absolute.string(), .root = absolute.string()};
    const StoreAddress store = TRY(store_address(settings));
    if (!store.url.empty()) folder.path += "/" + store.folder_name();
    return folder;
}

std::optional<LockHolder> lock_holder(const DataFolder& folder) {
    std::ifstream in(folder.lock());
    LockHolder holder;
    if (in >> holder.process >> holder.version) return holder;
    return std::nullopt;
}

Result<FolderLock> FolderLock::take(const DataFolder& folder, const std::string& version) {
    TRY(folder.create());
    const int file = ::open(folder.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return cannot_use(folder.path, errno);
    FolderLock lock(file);
    // flock, not fcntl: a lock of fcntl is lost when any part of the process closes the file.
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return cannot_use(folder.path, errno);
        return fail(ErrorCode::conflict, fmt::format("another process uses the data folder {}", folder.path));
    }
    write_holder(file, version);
    return lock;
}

FolderLock::~FolderLock() {
    if (file_ >= 0) ::close(file_);
}

}  // namespace quarry::app
