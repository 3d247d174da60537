// Whether there is room on the disk. Asked before new work is taken, and the operating system at most once a
// second: a disk that is nearly full must stop a crawl while it can still be stopped cleanly.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace quarry::store {

class DiskWatch {
public:
    // `folder` is on the disk in question; 0 bytes: never complains.
    DiskWatch(std::string folder, std::uint64_t keep_free_bytes)
        : folder_(std::move(folder)), keep_free_bytes_(keep_free_bytes) {}

    // `unavailable`, with how much is free and what to do, if it is too little.
    Result<void> check();

private:
    std::string folder_;
    std::uint64_t keep_free_bytes_;
    std::atomic<std::int64_t> asked_at_{0};  // steady milliseconds
    std::atomic<std::uint64_t> free_bytes_{0};
};

}  // namespace quarry::store
