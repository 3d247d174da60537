// Under which leases a handler has begun, by their tokens, kept where the death of the process leaves it: a
// small shared mapping of a file beside the database. Saying so costs one write to memory, no transaction; a
// power cut may lose it, and then a stall is not counted, which harms nobody.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace quarry::store {

class BegunFile {
public:
    static Result<BegunFile> open(const std::string& path);
    BegunFile(BegunFile&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
    BegunFile& operator=(BegunFile&& other) noexcept {
        std::swap(slots_, other.slots_);
        return *this;
    }
    ~BegunFile();

    // Safe from any thread, never waits. Forgets silently when the slots near the token's are all taken.
    void add(std::int64_t token);
    void remove(std::int64_t token);
    bool contains(std::int64_t token) const;

    // What a former process left behind.
    std::vector<std::int64_t> all() const;
    void clear();

private:
    using Slot = std::atomic<std::int64_t>;  // 0: free
    static_assert(Slot::is_always_lock_free);

    explicit BegunFile(Slot* slots) : slots_(slots) {}

    Slot* slots_ = nullptr;
};

}  // namespace quarry::store
