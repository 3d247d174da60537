#include "store/sqlite/begun_file.h"

#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace quarry::store {

namespace {

constexpr std::size_t slot_count = 4096;
constexpr std::size_t file_bytes = slot_count * sizeof(std::int64_t);
// A token lives in one of the slots from its own on. Tokens of one time are neighbours, so they spread by
// themselves.
constexpr std::size_t reach = 16;

std::size_t slot_of(std::int64_t token, std::size_t step) {
    return (static_cast<std::size_t>(token) + step) % slot_count;
}

std::unexpected<Error> failure(const std::string& path) {
    const int reason = errno;
    return fail(ErrorCode::unavailable,
                fmt::format("{}: {}", path, std::error_code(reason, std::system_category()).message()));
}

}  // namespace

Result<BegunFile> BegunFile::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return failure(path);
    // Allocated now, because a hole filled later on a full disk would be a SIGBUS.
    const int refused = ::posix_fallocate(file, 0, file_bytes);
    void* memory =
        refused != 0 ? MAP_FAILED : ::mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (refused != 0) errno = refused;
    auto result = memory == MAP_FAILED ? Result<BegunFile>(failure(path))
                                       : Result<BegunFile>(BegunFile(static_cast<Slot*>(memory)));
    ::close(file);
    return result;
}

BegunFile::~BegunFile() {
    if (slots_) ::munmap(static_cast<void*>(slots_), file_bytes);
}

void BegunFile::add(std::int64_t token) {
    for (std::size_t step = 0; step < reach; ++step) {
        std::int64_t expected = 0;
        Slot& slot = slots_[slot_of(token, step)];
        if (slot.load(std::memory_order_relaxed) == token) return;
        if (slot.compare_exchange_strong(expected, token)) return;
    }
}

void BegunFile::remove(std::int64_t token) {
    for (std::size_t step = 0; step < reach; ++step) {
        std::int64_t expected = token;
        Slot& slot = slots_[slot_of(token, step)];
        if (slot.load(std::memory_order_relaxed) == token) slot.compare_exchange_strong(expected, 0);
    }
}

bool BegunFile::contains(std::int64_t token) const {
    for (std::size_t step = 0; step < reach; ++step) {
        if (slots_[slot_of(token, step)].load(std::memory_order_relaxed) == token) return true;
    }
    return false;
}

std::vector<std::int64_t> BegunFile::all() const {
    std::vector<std::int64_t> tokens;
    for (std::size_t index = 0; index < slot_count; ++index) {
        if (const std::int64_t token = slots_[index].load(std::memory_order_relaxed); token != 0) {
            tokens.push_back(token);
        }
    }
    return tokens;
}

void BegunFile::clear() {
    for (std::size_t index = 0; index < slot_count; ++index) slots_[index].store(0);
}

}  // namespace quarry::store
