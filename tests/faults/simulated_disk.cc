#include "faults/simulated_disk.h"

#include <algorithm>
#include <cstring>

namespace quarry::test {

void SimulatedFile::touch(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin / sector; at * sector < end; ++at) unsynced_sectors_.insert(at);
}

void SimulatedFile::write(std::size_t offset, std::string_view bytes) {
    const std::size_t end = offset + bytes.size();
    if (end > now_.size()) {
        touch(now_.size(), end);
        now_.resize(end);
    }
    std::memcpy(now_.data() + offset, bytes.data(), bytes.size());
    touch(offset, end);
}

void SimulatedFile::truncate(std::size_t size) {
    touch(std::min(size, now_.size()), std::max(size, now_.size()));
    now_.resize(size);
}

void SimulatedFile::sync() {
    durable_.resize(now_.size());
    for (const std::size_t at : unsynced_sectors_) {
        const std::size_t begin = at * sector;
        if (begin >= now_.size()) continue;
        std::memcpy(durable_.data() + begin, now_.data() + begin, std::min(sector, now_.size() - begin));
    }
    unsynced_sectors_.clear();
    is_durable_ = true;
}

void SimulatedFile::lose_power(Unsynced unsynced, std::mt19937_64& random) {
    if (unsynced == Unsynced::random) {
        // A length that grew may be there without the bytes: they are zeros then.
        if (random() % 2 == 0) durable_.resize(now_.size());
        for (const std::size_t at : unsynced_sectors_) {
            const std::size_t begin = at * sector;
            if (random() % 2 == 0 || begin >= now_.size() || begin >= durable_.size()) continue;
            const std::size_t count = std::min({sector, now_.size() - begin, durable_.size() - begin});
            std::memcpy(durable_.data() + begin, now_.data() + begin, count);
        }
        if (random() % 2 == 0) is_durable_ = true;
    }
    now_ = durable_;
    unsynced_sectors_.clear();
}

DiskError SimulatedDisk::begin_operation(std::uint64_t generation) {
    if (planned_cut_ && operations_ >= planned_cut_->at) cut(planned_cut_->unsynced, planned_cut_->seed);
    if (generation != generation_) return DiskError::failed;
    const std::int64_t number = operations_++;
    if (failure_ && number >= failure_->from && number < failure_->until) return failure_->error;
    return DiskError::none;
}

DiskError SimulatedDisk::write(SimulatedFile& file, std::uint64_t generation, std::size_t offset,
                               std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    if (const DiskError error = begin_operation(generation); error != DiskError::none) return error;
    const std::size_t end = offset + bytes.size();
    const bool grows = end > file.content().size();
    if (grows && capacity_ != std::numeric_limits<std::size_t>::max() &&
        used() + (end - file.content().size()) > capacity_) {
        return DiskError::no_space;
    }
    file.write(offset, bytes);
    return DiskError::none;
}

DiskError SimulatedDisk::truncate(SimulatedFile& file, std::uint64_t generation, std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (const DiskError error = begin_operation(generation); error != DiskError::none) return error;
    file.truncate(size);
    return DiskError::none;
}

DiskError SimulatedDisk::sync(SimulatedFile& file, std::uint64_t generation) {
    const std::lock_guard lock(mutex_);
    if (const DiskError error = begin_operation(generation); error != DiskError::none) return error;
    // SQLite syncs the folder of a log or journal when it syncs the file for the first time: with it every
    // name that was made or removed in the folder, whatever the files hold.
    if (!file.exists_after_cut()) {
        for (auto& [path, other] : files_) other->keep_name();
        removed_.clear();
    }
    file.sync();
    return DiskError::none;
}

std::optional<std::size_t> SimulatedDisk::read(SimulatedFile& file, std::uint64_t generation,
                                               std::size_t offset, char* to, std::size_t count) {
    const std::lock_guard lock(mutex_);
    if (generation != generation_) return std::nullopt;
    if (offset >= file.content().size()) return 0;
    const std::string_view there = file.content().substr(offset, count);
    std::memcpy(to, there.data(), there.size());
    return there.size();
}

std::optional<std::size_t> SimulatedDisk::size(SimulatedFile& file, std::uint64_t generation) {
    const std::lock_guard lock(mutex_);
    if (generation != generation_) return std::nullopt;
    return file.content().size();
}

SimulatedDisk::File SimulatedDisk::open(const std::string& path, bool create) {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second;
    if (!create) return nullptr;
    return files_[path] = std::make_shared<SimulatedFile>();
}

bool SimulatedDisk::exists(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return files_.contains(path);
}

DiskError SimulatedDisk::remove(const std::string& path, SyncFolder sync_folder) {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    if (found == files_.end()) return DiskError::none;
    if (sync_folder == SyncFolder::no && found->second->exists_after_cut()) removed_[path] = found->second;
    files_.erase(found);
    return DiskError::none;
}

void SimulatedDisk::cut(Unsynced unsynced, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    planned_cut_.reset();
    failure_.reset();
    ++generation_;
    ++cuts_;
    if (unsynced == Unsynced::random) {
        for (auto& [path, file] : removed_) {
            if (random() % 2 == 0) files_.try_emplace(path, file);
        }
    }
    removed_.clear();
    // Copies, since a dead program may still hold the old ones.
    for (auto& [path, file] : files_) {
        file = std::make_shared<SimulatedFile>(*file);
        file->lose_power(unsynced, random);
    }
    std::erase_if(files_, [](const auto& entry) { return !entry.second->exists_after_cut(); });
}

void SimulatedDisk::cut_power(Unsynced unsynced, std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    cut(unsynced, seed);
}

void SimulatedDisk::cut_power_after(std::int64_t operations, Unsynced unsynced, std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    planned_cut_ = {.at = operations_ + operations, .unsynced = unsynced, .seed = seed};
}

void SimulatedDisk::fail_after(std::int64_t operations, DiskError error, std::int64_t count) {
    const std::lock_guard lock(mutex_);
    const std::int64_t from = operations_ + operations;
    failure_ = {.from = from, .until = from + count, .error = error};
}

void SimulatedDisk::set_capacity(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    capacity_ = bytes;
}

void SimulatedDisk::heal() {
    const std::lock_guard lock(mutex_);
    failure_.reset();
    capacity_ = std::numeric_limits<std::size_t>::max();
}

std::int64_t SimulatedDisk::operations() {
    const std::lock_guard lock(mutex_);
    return operations_;
}

std::string SimulatedDisk::content(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    return found == files_.end() ? "" : std::string(found->second->content());
}

void SimulatedDisk::replace(const std::string& path, std::string_view content) {
    const std::lock_guard lock(mutex_);
    auto file = std::make_shared<SimulatedFile>();
    file->write(0, content);
    file->sync();
    files_[path] = std::move(file);
}

std::size_t SimulatedDisk::used() const {
    std::size_t bytes = 0;
    for (const auto& [path, file] : files_) bytes += file->content().size();
    return bytes;
}

}  // namespace quarry::test
