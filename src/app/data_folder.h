// Where quarry keeps what it must not lose, and who may write there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include <sys/types.h>

#include "app/settings.h"
#include "base/result.h"

namespace quarry::app {

struct DataFolder {
    std::string path{};  // absolute
    std::string root{};  // as its user named it; of a shared store, `path` is a folder below it

    std::string database() const { return path + "/quarry.db"; }
    std::string index() const { return path + "/index.db"; }
    std::string socket() const { return path + "/quarry.sock"; }
    std::string log() const { return path + "/worker.log"; }
    std::string lock() const { return path + "/lock"; }

    // Makes the folder, for nobody but its user. Fails with `unavailable` if that cannot be done.
    Result<void> create() const;

    // A sentence with the way out if others than its user may look into a folder that is there; else "".
    std::string exposure() const;
};

// The setting store.data (--data, QUARRY_DATA), else $XDG_DATA_HOME/quarry, else ~/.local/share/quarry. Fails
// with `invalid_argument` if none of these is known. Makes nothing.
Result<DataFolder> data_folder(const Settings& settings,
                               const std::map<std::string, std::string, std::less<>>& environment);

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
    // if the folder cannot be written to.
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
