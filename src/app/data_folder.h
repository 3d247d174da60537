// The data folder, in which quarry keeps what it must not lose, and the lock of the process that may write
// there. Jobs, crawls and pages are in that folder, or in a database that many hosts share (StoreAddress).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <sys/types.h>

#include "app/settings/settings.h"
#include "base/result.h"

namespace quarry::app {

// Where jobs, crawls and pages are kept: in the data folder, or in a database that many hosts share.

struct StoreAddress {
    enum class Kind : std::uint8_t {
        embedded,  // DATA/quarry.db
        postgres,
        redis,  // jobs and crawls; pages are in DATA/quarry.db all the same
    };
    Kind kind = Kind::embedded;
    std::string url{};  // "" for the embedded one

    // Whether many hosts may work on the store at once. With Redis only one host may: the pages are in its
    // data folder.
    bool is_shared() const { return kind == Kind::postgres; }

    // The name of the folder for what this host keeps beside the database. It is the same for the same
    // database, with any user and password in the URL.
    std::string folder_name() const;
};

// The setting store.url (--store, QUARRY_STORE); "redis" means that of store.redis_url (REDIS_URL).
// `invalid_argument` if the URL names no known kind of store.
Result<StoreAddress> store_address(const Settings& settings);

// The data folder, and the lock of the process that may write there.

// Where quarry.service keeps its data.
inline constexpr const char* service_folder = "/var/lib/quarry";

struct DataFolder {
    std::string path{};            // absolute
    std::string root{};            // as its user named it; of a shared store, `path` is a folder below it
    std::optional<gid_t> group{};  // whose members may read it and speak to its owner: store.group

    std::string database() const { return path + "/quarry.db"; }
    std::string index() const { return path + "/index.db"; }
    std::string socket() const { return path + "/quarry.sock"; }
    std::string log() const { return path + "/worker.log"; }
    std::string lock() const { return path + "/lock"; }

    // Makes the folder, which only its user and the members of `group` can open. Fails with `unavailable` if
    // that is not possible.
    Result<void> create() const;

    // Fails with `unavailable` if no file can be written there, as on a full disk.
    Result<void> check_writable() const;

    // The name of the user that the folder belongs to, if this process may only read it: the folder belongs
    // to another user and cannot be written to, or it belongs to the service. Root may not write to the
    // service's folder either, since the service could not write to root's files.
    std::optional<std::string> other_user() const;
    // A sentence with the remedy if the folder exists and users other than its own may look into it; else "".
    std::string exposure() const;
};

// The setting store.data (--data, QUARRY_DATA), else $XDG_DATA_HOME/quarry, else ~/.local/share/quarry. A
// user who has none of these folders yet, and is in the group of the service's folder, uses the service's
// folder. Fails with `invalid_argument` if none of these is known, or if the group of store.group does not
// exist. Makes no folder.
Result<DataFolder> data_folder(const Settings& settings,
                               const std::map<std::string, std::string, std::less<>>& environment,
                               const std::string& service = service_folder);

// The error (`unavailable`) of commands that may read the folder but not work in it, when no process works
// there.
Error nobody_works_on(const DataFolder& folder);

// The owner of a data folder, as the lock file names it. It is only a hint for messages: the owner may have
// just left.
struct LockHolder {
    pid_t process = 0;
    std::string version{};
};
std::optional<LockHolder> lock_holder(const DataFolder& folder);

// The right to write in a data folder. It ends with the object, and with the process, even if that is killed.
class FolderLock {
public:
    // Makes the folder if needed. Fails with `conflict` if another process has the lock, and with
    // `unavailable` if the folder cannot be written to or only another user may write to it.
    static Result<FolderLock> take(const DataFolder& folder, const std::string& version);

    FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    FolderLock& operator=(FolderLock&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    ~FolderLock();

private:
    explicit FolderLock(int file) : file_(file) {}

    int file_ = -1;
};

}  // namespace quarry::app
