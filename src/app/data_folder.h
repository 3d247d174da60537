// Where quarry keeps what it must not lose, and who may write there: a data folder with its lock.
// Jobs, crawls and pages are in that folder, or in a database that many hosts share (StoreAddress).
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

    // Many hosts may work on it at once. With Redis it is one: its pages are in a folder.
    bool is_shared() const { return kind == Kind::postgres; }

    // A name for the folder of what this host keeps beside it: the same for the same database, whoever logs
    // in there.
    std::string folder_name() const;
};

// The setting store.url (--store, QUARRY_STORE); "redis" means that of store.redis_url (REDIS_URL).
// `invalid_argument` if it names no kind of store there is.
Result<StoreAddress> store_address(const Settings& settings);

// Where quarry keeps what it must not lose, and who may write there.

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

    // Makes the folder, for nobody but its user and the members of `group`. Fails with `unavailable` if that
    // cannot be done.
    Result<void> create() const;

    // `unavailable` if no file can be written there, as on a full disk.
    Result<void> check_writable() const;

    // The name of the user it belongs to, if this process may only look at it: it is another's and cannot be
    // written to, or it is the service's. What root wrote there the service could not.
    std::optional<std::string> other_user() const;
    // A sentence with the way out if others than its user may look into a folder that is there; else "".
    std::string exposure() const;
};

// The setting store.data (--data, QUARRY_DATA), else $XDG_DATA_HOME/quarry, else ~/.local/share/quarry. Who
// has none of these yet, and is in the group of the service's folder, is meant to use that one. Fails with
// `invalid_argument` if none of these is known, or there is no such group as store.group says. Makes nothing.
Result<DataFolder> data_folder(const Settings& settings,
                               const std::map<std::string, std::string, std::less<>>& environment,
                               const std::string& service = service_folder);

// What commands say that may read the folder, but not work in it, while nobody does. `unavailable`.
Error nobody_works_on(const DataFolder& folder);

// Who owns a data folder, as the lock file tells. Only a hint for sentences: the owner may have just left.
struct LockHolder {
    pid_t process = 0;
    std::string version{};
};
std::optional<LockHolder> lock_holder(const DataFolder& folder);

// The right to write in a data folder. It ends with the object, and with the process whatever ends it.
class FolderLock {
public:
    // Makes the folder if needed. Fails with `conflict` if another process has the lock, with `unavailable`
    // if the folder cannot be written to, or is another user's to write to.
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
