// A process that works in the background: how a command starts one, what it writes into DATA/worker.log,
// and what it tells systemd if systemd started it as Type=notify.
// The log is bounded: when the file is full it becomes worker.log.1 and a new one begins.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/data_source.h"
#include "app/local_socket.h"
#include "base/result.h"

namespace quarry::app {

// Workers that nobody waits for.

// Starts this program again as a worker of the same data folder, in a session of its own and with its words
// in worker.log. Returns at once. If another process owns the folder by then, the new one leaves. Without
// `idle_exit` it stays for ever.
Result<void> start_background_worker(const DataSource& place,
                                     std::optional<std::chrono::milliseconds> idle_exit);

// What a background worker did, one line each, in DATA/worker.log. Bounded: when the file is full it becomes
// worker.log.1 and a new one begins.

class WorkerLog {
public:
    static Result<WorkerLog> open(const std::string& path, std::uint64_t most_bytes);

    WorkerLog(WorkerLog&&) = default;

    // "2026-01-30T15:00:00.000Z 4121 work: crawl completed …": the part of the program, then what it did. One
    // thread at a time. A line that cannot be written is lost, which the next one that can be says.
    void write(std::string_view line);

    // Standard error goes to the file too, so that what libraries say before they end the process is kept.
    void take_standard_error();

private:
    WorkerLog(std::string path, std::uint64_t most_bytes);
    void begin_file();

    std::string path_;
    std::uint64_t most_bytes_;
    Descriptor file_;
    bool has_standard_error_ = false;
    int lost_ = 0;  // lines since the last one that was written
};

// Telling systemd how far this process is, if it was started by systemd as Type=notify.

// "READY=1", "STOPPING=1". Nothing happens where nobody wants to know.
void tell_service_manager(std::string_view state);

}  // namespace quarry::app
