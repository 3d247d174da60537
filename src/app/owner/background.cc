#include "app/owner/background.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/printable.h"
#include "base/units.h"
#include "model/json/output.h"

extern char** environ;

namespace quarry::app {

namespace {

std::vector<std::string> worker_arguments(const DataSource& place,
                                          std::optional<std::chrono::milliseconds> idle_exit) {
    std::vector<std::string> arguments = {"quarry", "--data", place.folder.root};
    if (!place.config_file.empty()) arguments.insert(arguments.end(), {"--config", place.config_file});
    arguments.insert(arguments.end(), {"worker", "--background"});
    if (idle_exit) arguments.insert(arguments.end(), {"--idle-exit", format_duration(*idle_exit)});
    return arguments;
}

// The password of a shared store is nobody's to read from the list of processes: it goes by the environment.
std::vector<std::string> worker_environment(const DataSource& place) {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable; ++variable)
        if (!std::string_view(*variable).starts_with("QUARRY_STORE=")) variables.emplace_back(*variable);
    variables.push_back("QUARRY_STORE=" + place.store.url);
    return variables;
}

// At a shared store a worker of another host is as good as one of our own.
Result<bool> others_work(const DataSource& place) {
    if (!place.store.is_shared()) return false;
    const auto reader = TRY(open_reader(place));
    const auto now =
        std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const auto oldest = now - place.settings.duration("worker.lease");
    return std::ranges::any_of(TRY(reader->workers()),
                               [&](const store::WorkerInfo& worker) { return worker.beat_at > oldest; });
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
    std::vector<char*> pointers;
    for (std::string& string : strings) pointers.push_back(string.data());
    pointers.push_back(nullptr);
    return pointers;
}

// How the new process begins: no terminal, no standard streams, no signals that this one ignores.
class Beginnings {
public:
    explicit Beginnings(const std::string& log) {
        posix_spawn_file_actions_init(&files_);
        posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                         0600);
        posix_spawnattr_init(&attributes_);
        sigset_t reset;
        sigemptyset(&reset);
        for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) sigaddset(&reset, signal);
        posix_spawnattr_setsigdefault(&attributes_, &reset);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
    }
    ~Beginnings() {
        posix_spawn_file_actions_destroy(&files_);
        posix_spawnattr_destroy(&attributes_);
    }
    Beginnings(const Beginnings&) = delete;
    Beginnings& operator=(const Beginnings&) = delete;

    const posix_spawn_file_actions_t* files() const { return &files_; }
    const posix_spawnattr_t* attributes() const { return &attributes_; }

private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

}  // namespace

Result<void> start_background_worker(const DataSource& place,
                                     std::optional<std::chrono::milliseconds> idle_exit) {
    if (TRY(others_work(place))) return {};
    std::vector<std::string> arguments = worker_arguments(place, idle_exit);
    std::vector<std::string> environment = worker_environment(place);
    const Beginnings beginnings(place.folder.log());
    pid_t process = 0;
    // /proc/self/exe is this very program, also when its file has been replaced by a newer one.
    const int error = posix_spawn(&process, "/proc/self/exe", beginnings.files(), beginnings.attributes(),
                                  pointers_to(arguments).data(), pointers_to(environment).data());
    if (error == 0) return {};
    return fail(ErrorCode::unavailable,
                fmt::format("cannot start a worker in the background: {}. Run one yourself: quarry worker",
                            std::strerror(error)));
}

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

void tell_service_manager(std::string_view state) {
    const char* path = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string_view name = path ? path : "";
    if (name.empty() || name.size() >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, name.data(), name.size());
    // An abstract socket's name begins with a zero, which is written as @.
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return;
    // Whether it is heard makes no difference to what is done.
    (void)::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                   reinterpret_cast<const sockaddr*>(&address), size);
    ::close(socket);
}

}  // namespace quarry::app
