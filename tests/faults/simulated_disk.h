// A disk in memory that can be taken away in every way a real one can: the power is cut and what was not
// synced is lost, it fills up, its writes fail. Each is an exact number of operations away and comes again
// with the same seed, and none of it waits for hardware. SQLite reaches it as a VFS (simulated_vfs.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>

namespace quarry::test {

// What of the writes that were not synced is there after a power cut.
enum class Unsynced : std::uint8_t {
    lost,    // nothing
    random,  // any sectors of them, new ones beside old ones; lengths and deletions too
};

enum class DiskError : std::uint8_t { none, no_space, failed };

// A file: what programs see, and what a power cut would leave of it.
class SimulatedFile {
public:
    std::string_view content() const { return now_; }
    bool exists_after_cut() const { return is_durable_; }

    void write(std::size_t offset, std::string_view bytes);
    void truncate(std::size_t size);
    void sync();
    void keep_name() { is_durable_ = true; }
    void lose_power(Unsynced unsynced, std::mt19937_64& random);

private:
    static constexpr std::size_t sector = 512;

    void touch(std::size_t begin, std::size_t end);

    std::string now_, durable_;
    std::set<std::size_t> unsynced_sectors_;
    bool is_durable_ = false;
};

// Safe from many threads.
class SimulatedDisk {
public:
    using File = std::shared_ptr<SimulatedFile>;

    // Operations are writes, truncations and syncs. Each returns what the operating system would say.
    DiskError write(SimulatedFile& file, std::uint64_t generation, std::size_t offset,
                    std::string_view bytes);
    DiskError truncate(SimulatedFile& file, std::uint64_t generation, std::size_t size);
    DiskError sync(SimulatedFile& file, std::uint64_t generation);
    // How many bytes were there to read; nothing if the file was opened before the power cut.
    std::optional<std::size_t> read(SimulatedFile& file, std::uint64_t generation, std::size_t offset,
                                    char* to, std::size_t count);
    std::optional<std::size_t> size(SimulatedFile& file, std::uint64_t generation);

    File open(const std::string& path, bool create);  // nullptr if there is none and none shall be made
    bool exists(const std::string& path);
    enum class SyncFolder : std::uint8_t { no, yes };
    DiskError remove(const std::string& path, SyncFolder sync_folder);

    // Now, or just before the operation that comes after `operations` more. Files that are open are dead from
    // then on; those opened later see what is left.
    void cut_power(Unsynced unsynced, std::uint64_t seed);
    void cut_power_after(std::int64_t operations, Unsynced unsynced, std::uint64_t seed);
    bool was_cut() const { return cuts_ > 0; }
    std::uint64_t generation() const { return generation_; }

    // From the operation after `operations` more on, `count` of them fail.
    void fail_after(std::int64_t operations, DiskError error, std::int64_t count);
    void set_capacity(std::size_t bytes);
    void heal();  // neither fails nor fills up any more
    std::int64_t operations();

    // What is in a file, and putting something else there, as somebody with a hex editor would.
    std::string content(const std::string& path);
    void replace(const std::string& path, std::string_view content);

private:
    DiskError begin_operation(std::uint64_t generation);
    void cut(Unsynced unsynced, std::uint64_t seed);
    std::size_t used() const;

    std::mutex mutex_;
    std::map<std::string, File> files_;
    std::map<std::string, File> removed_;  // not yet for good
    std::atomic<std::uint64_t> generation_ = 0;
    std::atomic<int> cuts_ = 0;
    std::int64_t operations_ = 0;
    std::size_t capacity_ = std::numeric_limits<std::size_t>::max();

    struct Cut {
        std::int64_t at = 0;
        Unsynced unsynced{};
        std::uint64_t seed = 0;
    };
    std::optional<Cut> planned_cut_;
    struct Failure {
        std::int64_t from = 0, until = 0;
        DiskError error{};
    };
    std::optional<Failure> failure_;
};

}  // namespace quarry::test
