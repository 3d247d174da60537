#include "app/data_folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"

namespace quarry::app {

std::string StoreAddress::folder_name() const {
    const std::size_t begin = url.find("://") + 3;
    const std::size_t end = url.find_first_of("/?", begin);
    const std::size_t at = url.rfind('@', end);
    const bool has_user = at != std::string::npos && at >= begin;
    std::string place = url.substr(has_user ? at + 1 : begin);
    place = place.substr(0, place.find('?'));
    const std::string_view name = kind == Kind::redis ? "redis-" : "postgres-";
    return std::string(name) + hex_of(sha256(place)).substr(0, 8);
}

Result<StoreAddress> store_address(const Settings& settings) {
    std::string url = settings.text("store.url");
    if (url.empty()) return StoreAddress{};
    if (url == "redis") {
        url = settings.text("store.redis_url");
        if (!url.starts_with("redis://") && !url.starts_with("rediss://"))
            return fail(ErrorCode::invalid_argument,
                        "store.redis_url (REDIS_URL) has to be redis://HOST or rediss://HOST");
    }
    if (url.starts_with("postgres://") || url.starts_with("postgresql://"))
        return StoreAddress{.kind = StoreAddress::Kind::postgres, .url = url};
    if (url.starts_with("redis://") || url.starts_with("rediss://"))
        return StoreAddress{.kind = StoreAddress::Kind::redis, .url = url};
    return fail(ErrorCode::invalid_argument,
                "store.url (--store) is postgres://USER:PASSWORD@HOST/DATABASE, redis://HOST, redis for the "
                "one that REDIS_URL names, or empty for a store in the data folder");
}

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

// What is made in a folder with S_ISGID belongs to the folder's group. A process of that group, as a
// service's is, needs no such bit, and may not be allowed to set one.
Result<void> open_to(gid_t group, const fs::path& path) {
    const mode_t mode = 0750 | (group == getegid() ? 0 : S_ISGID);
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return cannot_use(path, errno);
    if (status.st_gid == group && (status.st_mode & mode) == mode && (status.st_mode & 0027) == 0) return {};
    if (chown(path.c_str(), static_cast<uid_t>(-1), group) != 0 || chmod(path.c_str(), mode) != 0)
        return cannot_use(path, errno);
    return {};
}

Result<void> make_private(const fs::path& path, std::optional<gid_t> group) {
    std::error_code error;
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return cannot_use(path, errno);
    if (!fs::is_directory(path, error)) return cannot_use(path, ENOTDIR);
    return group ? open_to(*group, path) : Result<void>();
}

Result<std::optional<gid_t>> group_of(const Settings& settings) {
    const std::string name = settings.text("store.group");
    if (name.empty()) return std::nullopt;
    const group* const entry = getgrnam(name.c_str());
    if (!entry)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("store.group names \"{}\", and there is no such group", name));
    return entry->gr_gid;
}

bool is_in_group(gid_t group) {
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(getgroups(0, nullptr), 0)));
    const int count = getgroups(static_cast<int>(groups.size()), groups.data());
    groups.resize(static_cast<std::size_t>(std::max(count, 0)));
    return getegid() == group || std::ranges::count(groups, group) > 0;
}

// Root may enter every folder, which says nothing about which one is meant.
bool is_meant_for_us(const std::string& service) {
    struct stat status{};
    if (geteuid() == 0 || stat(service.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
    return status.st_uid == geteuid() || ((status.st_mode & S_IXGRP) != 0 && is_in_group(status.st_gid));
}

}  // namespace

Result<void> DataFolder::create() const {
    std::error_code error;
    const fs::path top = root.empty() ? path : root;
    if (top.has_parent_path()) fs::create_directories(top.parent_path(), error);
    if (error) return cannot_use(path, error.value());
    TRY(make_private(top, group));
    fs::path level = top;
    for (const fs::path& part : fs::path(path).lexically_relative(top)) {
        if (part == ".") continue;
        level /= part;
        TRY(make_private(level, group));
    }
    return {};
}

Result<void> DataFolder::check_writable() const {
    constexpr std::size_t enough_bytes = 4 << 20;  // to open all that is written
    std::string name = path + "/.quarry-XXXXXX";
    const int file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) return cannot_use(path, errno);
    ::unlink(name.c_str());
    const std::string bytes(64 << 10, '\0');
    int trouble = 0;
    for (std::size_t written = 0; written < enough_bytes && trouble == 0;) {
        const ssize_t count = ::write(file, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) trouble = errno;
        if (count > 0) written += static_cast<std::size_t>(count);
    }
    ::close(file);
    if (trouble != 0) return cannot_use(path, trouble);
    return {};
}

std::optional<std::string> DataFolder::other_user() const {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0 || status.st_uid == geteuid()) return std::nullopt;
    if (access(path.c_str(), W_OK) == 0 && root != service_folder) return std::nullopt;
    const passwd* const entry = getpwuid(status.st_uid);
    return entry ? std::string(entry->pw_name) : fmt::format("{}", status.st_uid);
}

Error nobody_works_on(const DataFolder& folder) {
    const std::string user = folder.other_user().value_or("another user");
    const std::string way_out = folder.root == service_folder ? "Have it started: systemctl start quarry"
                                                              : "Have a worker of theirs started";
    return {ErrorCode::unavailable, fmt::format("the data folder {} belongs to {}, and nobody works on it. "
                                                "{}. Or name another one with --data DIR",
                                                folder.path, user, way_out)};
}

std::string DataFolder::exposure() const {
    struct stat status{};
    const std::string& top = root.empty() ? path : root;
    if (::stat(top.c_str(), &status) != 0 || (status.st_mode & (group ? 07 : 077)) == 0) return "";
    return fmt::format("others on this machine can look into the data folder {0} (mode {1:o}): chmod 700 {0}",
                       top, status.st_mode & 07777);
}

Result<DataFolder> data_folder(const Settings& settings,
                               const std::map<std::string, std::string, std::less<>>& environment,
                               const std::string& service) {
    const auto below = [&](std::string_view variable, const std::string& rest) -> std::string {
        const auto found = environment.find(variable);
        return found == environment.end() || found->second.empty() ? "" : found->second + rest;
    };
    std::string path = settings.text("store.data");
    if (path.empty()) {
        std::error_code ignored;
        path = below("XDG_DATA_HOME", "/quarry");
        if (path.empty()) path = below("HOME", "/.local/share/quarry");
        if ((path.empty() || !fs::exists(path, ignored)) && is_meant_for_us(service)) path = service;
    }
    if (path.empty())
        return fail(
            ErrorCode::invalid_argument,
            "there is no data folder: neither HOME nor XDG_DATA_HOME is set. Name one with --data DIR");
    std::error_code error;
    fs::path absolute = fs::absolute(path, error).lexically_normal();
    if (error) return cannot_use(path, error.value());
    if (!absolute.has_filename()) absolute = absolute.parent_path();  // "data/" and "data" are the same
    DataFolder folder{.path = absolute.string(), .root = absolute.string(), .group = TRY(group_of(settings))};
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
    if (folder.other_user()) return std::unexpected(nobody_works_on(folder));
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
