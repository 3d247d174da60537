#include "app/owner/background.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_clock.h"
#include "base/printable.h"
#include "model/json/output.h"

namespace quarry::app {

Result<WorkerLog> WorkerLog::open(const std::string& path, std::uint64_t most_bytes) {
    WorkerLog log(path, most_bytes);
    log.begin_file();
    if (!log.file_)
        return fail(ErrorCode::unavailable, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    return log;
}

WorkerLog::WorkerLog(std::string path, std::uint64_t most_bytes)
    : path_(std::move(path)), most_bytes_(most_bytes) {}

void WorkerLog::begin_file() {
    file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (has_standard_error_ && file_) ::dup2(file_.get(), STDERR_FILENO);
}

void WorkerLog::take_standard_error() {
    has_standard_error_ = true;
    ::dup2(file_.get(), STDERR_FILENO);
}

void WorkerLog::write(std::string_view line) {
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    // What servers said may be in it: one line stays one line.
    std::string text = fmt::format("{} {} {}\n", iso_time(now), getpid(), printable(line));
    if (lost_ > 0) text.insert(0, fmt::format("{} {} lines lost={}\n", iso_time(now), getpid(), lost_));
    if (!file_) begin_file();
    struct stat status{};
    if (::fstat(file_.get(), &status) == 0 &&
        static_cast<std::uint64_t>(status.st_size) + text.size() > most_bytes_) {
        ::rename(path_.c_str(), (path_ + ".1").c_str());
        begin_file();
    }
    const ssize_t written = ::write(file_.get(), text.data(), text.size());
    // A log that takes nothing stops no work; it says so when it takes something again.
    const bool is_whole = written == static_cast<ssize_t>(text.size());
    lost_ = is_whole ? 0 : lost_ + 1;
}

}  // namespace quarry::app
