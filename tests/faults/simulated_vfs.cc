#include "faults/simulated_vfs.h"

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

namespace quarry::test {

namespace {

struct Handle;

// What connections to one database file share in memory: locks, and the index of the log.
struct Shared {
    int readers = 0;
    Handle* reserved = nullptr;
    Handle* pending = nullptr;
    Handle* exclusive = nullptr;

    struct Slot {
        int readers = 0;
        Handle* writer = nullptr;
    };
    std::array<Slot, SQLITE_SHM_NLOCK> slots{};
    std::vector<std::unique_ptr<char[]>> regions{};
};

struct Node {
    SimulatedDisk* disk = nullptr;
    std::mutex mutex;  // of everything below
    std::map<std::pair<std::string, std::uint64_t>, std::weak_ptr<Shared>> shared;
    sqlite3_vfs* beneath = nullptr;  // for time and chance
};

// An open file. SQLite allocates it and knows only its first member.
struct Handle {
    sqlite3_file base{};
    Node* node = nullptr;
    std::string path{};
    SimulatedDisk::File file{};
    std::uint64_t generation = 0;
    std::shared_ptr<Shared> shared{};
    int level = SQLITE_LOCK_NONE;
    std::array<int, SQLITE_SHM_NLOCK> slots{};  // 0, or SQLITE_SHM_SHARED, or SQLITE_SHM_EXCLUSIVE
    bool delete_on_close = false;
};

Handle& handle_of(sqlite3_file* file) {
    return *reinterpret_cast<Handle*>(file);
}

int code_of(DiskError error, int failed) {
    switch (error) {
        case DiskError::none: return SQLITE_OK;
        case DiskError::no_space: return SQLITE_FULL;
        case DiskError::failed: return failed;
    }
    return failed;
}

int unlock(Handle& handle, int level) {
    Shared& shared = *handle.shared;
    if (level < SQLITE_LOCK_PENDING) {
        if (shared.exclusive == &handle) shared.exclusive = nullptr;
        if (shared.pending == &handle) shared.pending = nullptr;
    }
    if (level < SQLITE_LOCK_RESERVED && shared.reserved == &handle) shared.reserved = nullptr;
    if (level < SQLITE_LOCK_SHARED && handle.level >= SQLITE_LOCK_SHARED) --shared.readers;
    handle.level = std::min(handle.level, level);
    return SQLITE_OK;
}

int take_lock(Handle& handle, int level) {
    Shared& shared = *handle.shared;
    const auto others = [&](Handle* owner) { return owner != nullptr && owner != &handle; };
    if (level == SQLITE_LOCK_SHARED) {
        if (others(shared.pending) || others(shared.exclusive)) return SQLITE_BUSY;
        ++shared.readers;
    } else if (level == SQLITE_LOCK_RESERVED) {
        if (others(shared.reserved)) return SQLITE_BUSY;
        shared.reserved = &handle;
    } else {
        if (others(shared.pending) || others(shared.reserved)) return SQLITE_BUSY;
        shared.pending = &handle;
        if (shared.readers > 1) return SQLITE_BUSY;
        shared.exclusive = &handle;
    }
    handle.level = level;
    return SQLITE_OK;
}

void free_slots(Handle& handle, int offset, int count) {
    for (int slot = offset; slot < offset + count; ++slot) {
        if (handle.slots[slot] == SQLITE_SHM_SHARED) --handle.shared->slots[slot].readers;
        if (handle.slots[slot] == SQLITE_SHM_EXCLUSIVE) handle.shared->slots[slot].writer = nullptr;
        handle.slots[slot] = 0;
    }
}

int take_slots(Handle& handle, int offset, int count, int mode) {
    for (int slot = offset; slot < offset + count; ++slot) {
        const Shared::Slot& state = handle.shared->slots[slot];
        const int own_readers = handle.slots[slot] == SQLITE_SHM_SHARED ? 1 : 0;
        if (state.writer && state.writer != &handle) return SQLITE_BUSY;
        if (mode == SQLITE_SHM_EXCLUSIVE && state.readers > own_readers) return SQLITE_BUSY;
    }
    free_slots(handle, offset, count);
    for (int slot = offset; slot < offset + count; ++slot) {
        Shared::Slot& state = handle.shared->slots[slot];
        if (mode == SQLITE_SHM_SHARED) ++state.readers;
        if (mode == SQLITE_SHM_EXCLUSIVE) state.writer = &handle;
        handle.slots[slot] = mode;
    }
    return SQLITE_OK;
}

int close_file(sqlite3_file* file) {
    Handle& handle = handle_of(file);
    Node& node = *handle.node;
    if (handle.delete_on_close) (void)node.disk->remove(handle.path, SimulatedDisk::SyncFolder::no);
    {
        const std::lock_guard lock(node.mutex);
        unlock(handle, SQLITE_LOCK_NONE);
        free_slots(handle, 0, SQLITE_SHM_NLOCK);
    }
    handle.~Handle();
    return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* to, int count, sqlite3_int64 offset) {
    Handle& handle = handle_of(file);
    const auto wanted = static_cast<std::size_t>(count);
    const auto got = handle.node->disk->read(
        *handle.file, handle.generation, static_cast<std::size_t>(offset), static_cast<char*>(to), wanted);
    if (!got) return SQLITE_IOERR_READ;
    if (*got == wanted) return SQLITE_OK;
    std::memset(static_cast<char*>(to) + *got, 0, wanted - *got);
    return SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
    Handle& handle = handle_of(file);
    const std::string_view bytes(static_cast<const char*>(from), static_cast<std::size_t>(count));
    return code_of(
        handle.node->disk->write(*handle.file, handle.generation, static_cast<std::size_t>(offset), bytes),
        SQLITE_IOERR_WRITE);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
    Handle& handle = handle_of(file);
    return code_of(
        handle.node->disk->truncate(*handle.file, handle.generation, static_cast<std::size_t>(size)),
        SQLITE_IOERR_TRUNCATE);
}

int sync_file(sqlite3_file* file, int) {
    Handle& handle = handle_of(file);
    return code_of(handle.node->disk->sync(*handle.file, handle.generation), SQLITE_IOERR_FSYNC);
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
    Handle& handle = handle_of(file);
    const auto bytes = handle.node->disk->size(*handle.file, handle.generation);
    if (!bytes) return SQLITE_IOERR_FSTAT;
    *size = static_cast<sqlite3_int64>(*bytes);
    return SQLITE_OK;
}

int lock_file(sqlite3_file* file, int level) {
    Handle& handle = handle_of(file);
    const std::lock_guard lock(handle.node->mutex);
    return handle.level >= level ? SQLITE_OK : take_lock(handle, level);
}

int unlock_file(sqlite3_file* file, int level) {
    Handle& handle = handle_of(file);
    const std::lock_guard lock(handle.node->mutex);
    return unlock(handle, level);
}

int check_reserved_lock(sqlite3_file* file, int* result) {
    Handle& handle = handle_of(file);
    const std::lock_guard lock(handle.node->mutex);
    *result = handle.shared->reserved != nullptr;
    return SQLITE_OK;
}

int control_file(sqlite3_file*, int, void*) {
    return SQLITE_NOTFOUND;
}

int sector_size(sqlite3_file*) {
    return 4096;
}

int characteristics(sqlite3_file*) {
    // What the usual VFS of SQLite says of every disk.
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

int map_shared_memory(sqlite3_file* file, int region, int size, int extend, void volatile** memory) {
    Handle& handle = handle_of(file);
    const std::lock_guard lock(handle.node->mutex);
    auto& regions = handle.shared->regions;
    *memory = nullptr;
    if (static_cast<std::size_t>(region) >= regions.size()) {
        if (!extend) return SQLITE_OK;
        while (regions.size() <= static_cast<std::size_t>(region)) {
            regions.push_back(std::make_unique<char[]>(static_cast<std::size_t>(size)));
        }
    }
    *memory = regions[static_cast<std::size_t>(region)].get();
    return SQLITE_OK;
}

int lock_shared_memory(sqlite3_file* file, int offset, int count, int flags) {
    Handle& handle = handle_of(file);
    const std::lock_guard lock(handle.node->mutex);
    if (flags & SQLITE_SHM_UNLOCK) {
        free_slots(handle, offset, count);
        return SQLITE_OK;
    }
    return take_slots(handle, offset, count,
                      flags & SQLITE_SHM_EXCLUSIVE ? SQLITE_SHM_EXCLUSIVE : SQLITE_SHM_SHARED);
}

void shared_memory_barrier(sqlite3_file* file) {
    const std::lock_guard lock(handle_of(file).node->mutex);
}

int unmap_shared_memory(sqlite3_file* file, int remove) {
    Handle& handle = handle_of(file);
    const std::lock_guard lock(handle.node->mutex);
    free_slots(handle, 0, SQLITE_SHM_NLOCK);
    if (remove) handle.shared->regions.clear();
    return SQLITE_OK;
}

constexpr sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_of_file,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_shared_memory,
    .xShmLock = lock_shared_memory,
    .xShmBarrier = shared_memory_barrier,
    .xShmUnmap = unmap_shared_memory,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

Node& node_of(sqlite3_vfs* vfs) {
    return *static_cast<Node*>(vfs->pAppData);
}

std::shared_ptr<Shared> shared_of(Node& node, const std::string& path, std::uint64_t generation) {
    const std::lock_guard lock(node.mutex);
    std::weak_ptr<Shared>& known = node.shared[{path, generation}];
    std::shared_ptr<Shared> shared = known.lock();
    if (!shared) known = shared = std::make_shared<Shared>();
    return shared;
}

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    static std::atomic<int> temporary_files = 0;
    Node& node = node_of(vfs);
    file->pMethods = nullptr;
    const std::string path = name ? name : fmt::format("temporary-{}", ++temporary_files);
    const std::uint64_t generation = node.disk->generation();
    SimulatedDisk::File found = node.disk->open(path, (flags & SQLITE_OPEN_CREATE) != 0 || !name);
    if (!found) return SQLITE_CANTOPEN;
    new (file) Handle{.base = {.pMethods = &file_methods},
                      .node = &node,
                      .path = path,
                      .file = std::move(found),
                      .generation = generation,
                      .shared = shared_of(node, path, generation),
                      .delete_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0};
    if (out_flags) *out_flags = flags;
    return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int sync_folder) {
    Node& node = node_of(vfs);
    if (!node.disk->exists(name)) return SQLITE_IOERR_DELETE_NOENT;
    (void)node.disk->remove(name,
                            sync_folder ? SimulatedDisk::SyncFolder::yes : SimulatedDisk::SyncFolder::no);
    return SQLITE_OK;
}

int access_file(sqlite3_vfs* vfs, const char* name, int, int* result) {
    *result = node_of(vfs).disk->exists(name);
    return SQLITE_OK;
}

int full_path_name(sqlite3_vfs*, const char* name, int size, char* to) {
    sqlite3_snprintf(size, to, "%s", name);
    return SQLITE_OK;
}

int randomness(sqlite3_vfs* vfs, int size, char* to) {
    sqlite3_vfs* beneath = node_of(vfs).beneath;
    return beneath->xRandomness(beneath, size, to);
}

int sleep(sqlite3_vfs* vfs, int microseconds) {
    sqlite3_vfs* beneath = node_of(vfs).beneath;
    return beneath->xSleep(beneath, microseconds);
}

int current_time(sqlite3_vfs* vfs, double* time) {
    sqlite3_vfs* beneath = node_of(vfs).beneath;
    return beneath->xCurrentTime(beneath, time);
}

int last_error(sqlite3_vfs*, int, char*) {
    return 0;
}

}  // namespace

struct SimulatedVfs::State {
    Node node{};
    sqlite3_vfs vfs{};
};

SimulatedVfs::SimulatedVfs(SimulatedDisk& disk) : state_(std::make_unique<State>()) {
    static std::atomic<int> disks = 0;
    name_ = fmt::format("simulated-{}", ++disks);
    state_->node.disk = &disk;
    state_->node.beneath = sqlite3_vfs_find(nullptr);
    state_->vfs = {
        .iVersion = 1,
        .szOsFile = sizeof(Handle),
        .mxPathname = 512,
        .pNext = nullptr,
        .zName = name_.c_str(),
        .pAppData = &state_->node,
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = access_file,
        .xFullPathname = full_path_name,
        .xDlOpen = nullptr,
        .xDlError = nullptr,
        .xDlSym = nullptr,
        .xDlClose = nullptr,
        .xRandomness = randomness,
        .xSleep = sleep,
        .xCurrentTime = current_time,
        .xGetLastError = last_error,
        .xCurrentTimeInt64 = nullptr,
        .xSetSystemCall = nullptr,
        .xGetSystemCall = nullptr,
        .xNextSystemCall = nullptr,
    };
    sqlite3_vfs_register(&state_->vfs, 0);
}

SimulatedVfs::~SimulatedVfs() {
    sqlite3_vfs_unregister(&state_->vfs);
}

}  // namespace quarry::test
