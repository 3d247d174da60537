#include "app/worker_log.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "model/records_json.h"

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
    const std::string text = fmt::format("{} {} {}\n", iso_time(now), getpid(), line);
    struct stat status{};
    if (::fstat(file_.get(), &status) == 0 &&
        static_cast<std::uint64_t>(status.st_size) + text.size() > most_bytes_) {
        ::rename(path_.c_str(), (path_ + ".1").c_str());
        begin_file();
    }
    [[maybe_unused]] const ssize_t written = ::write(file_.get(), text.data(), text.size());
}

}  // namespace quarry::app
