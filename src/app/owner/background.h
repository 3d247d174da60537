// What a background worker did, one line each, in DATA/worker.log. Bounded: when the file is full it becomes
// worker.log.1 and a new one begins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/local_socket.h"
#include "base/result.h"

namespace quarry::app {

class WorkerLog {
public:
    static Result<WorkerLog> open(const std::string& path, std::uint64_t most_bytes);

    WorkerLog(WorkerLog&&) = default;

    // "2026-01-30T15:00:00.000Z 4121 work: crawl completed …": the part of the program, then what it did. One thread at a time. A line
    // that cannot be written is lost, which the next one that can be says.
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

}  // namespace quarry::app
