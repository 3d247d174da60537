#include "store/working_child.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quarry::test {

WorkingChild::WorkingChild(const std::string& store, std::uint64_t seed,
                           std::vector<std::string> environment) {
    std::array<int, 2> ends;
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    std::vector<std::string> words = {QUARRY_CRASH_CHILD, store, std::to_string(seed)};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = fork();
    if (process_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], STDOUT_FILENO);
        for (std::string& variable : environment) putenv(variable.data());
        execvp(arguments[0], arguments.data());
        _exit(9);
    }
    close(ends[1]);
    output_ = ends[0];
}

WorkingChild::~WorkingChild() {
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    if (output_ >= 0) close(output_);
}

// Records are written whole, but a read may cut one.
bool WorkingChild::read_promises(std::vector<Promise>& promises) {
    std::array<char, 9 * 512> buffer;
    const ssize_t got = read(output_, buffer.data(), buffer.size());
    if (got <= 0) return false;
    bytes_.append(buffer.data(), static_cast<std::size_t>(got));
    std::size_t at = 0;
    for (; at + 9 <= bytes_.size(); at += 9) {
        Promise promise{.what = static_cast<Promise::What>(bytes_[at])};
        std::memcpy(&promise.id, bytes_.data() + at + 1, sizeof(promise.id));
        promises.push_back(promise);
    }
    bytes_.erase(0, at);
    return true;
}

void WorkingChild::signal(int number) const {
    ::kill(process_, number);
}

bool WorkingChild::kill(std::vector<Promise>& promises) {
    ::kill(process_, SIGKILL);
    while (read_promises(promises)) {
    }
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

}  // namespace quarry::test
