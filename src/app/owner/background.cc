#include "app/owner/app_background.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include "base/units.h"

extern char** environ;

namespace quarry::app {
namespace {

std::vector<std::string> worker_arguments(const Workplace& place,
                                          std::optional<std::chrono::milliseconds> idle_exit) {
    std::vector<std::string> arguments = {"quarry", "--data", place.folder.root};
    if (!place.config_file.empty()) arguments.insert(arguments.end(), {"--config", place.config_file});
    arguments.insert(arguments.end(), {"worker", "--background"});
    if (idle_exit) arguments.insert(arguments.end(), {"--idle-exit", format_duration(*idle_exit)});
    return arguments;
}

// The password of a shared store is nobody's to read from the list of processes: it goes by the environment.
std::vector<std::string> worker_environment(const Workplace& place) {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable; ++variable)
        if (!std::string_view(*variable).starts_with("QUARRY_STORE=")) variables.emplace_back(*variable);
    variables.push_back("QUARRY_STORE=" + place.store.url);
    return variables;
}

// At a shared store a worker of another host is as good as one of our own.
Result<bool> others_work(const Workplace& place) {
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

Result<void> start_background_worker(const Workplace& place,
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

}  // namespace quarry::app
