#include "program/run_quarry.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quarry::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds(60);

struct Pipe {
    int ends[2] = {-1, -1};
    Pipe() {
        if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    void close_end(int end) {
        if (ends[end] >= 0) close(ends[end]);
        ends[end] = -1;
    }
};

void redirect(int stream, const std::string& file) {
    close(stream);
    if (file == "-") return;
    const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (opened != stream) dup2(opened, stream);
}

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         const RunOptions& options, const int (&streams)[3]) {
    for (int i = 0; i < 3; ++i) dup2(streams[i], i);
    if (!options.output_to.empty()) redirect(STDOUT_FILENO, options.output_to);
    if (!options.errors_to.empty()) redirect(STDERR_FILENO, options.errors_to);
    if (options.errors_as_output) dup2(STDOUT_FILENO, STDERR_FILENO);
    if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(126);
    std::vector<std::string> environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"};
    environment.insert(environment.end(), options.environment.begin(), options.environment.end());
    std::vector<char*> argv = {const_cast<char*>(program.c_str())}, envp;
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    for (const auto& variable : environment) envp.push_back(const_cast<char*>(variable.c_str()));
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    execve(program.c_str(), argv.data(), envp.data());
    _exit(127);
}

int exit_code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Moves bytes until both outputs are closed. Standard input is fed without ever blocking.
void exchange(Pipe* pipes, const RunOptions& options, Ran& ran, pid_t child) {
    std::size_t fed = 0;
    fcntl(pipes[0].ends[1], F_SETFL, O_NONBLOCK);
    if (options.input.empty()) pipes[0].close_end(1);
    const auto deadline = Clock::now() + patience;
    while (pipes[1].ends[0] >= 0 || pipes[2].ends[0] >= 0) {
        pollfd waits[3] = {
            {pipes[0].ends[1], POLLOUT, 0}, {pipes[1].ends[0], POLLIN, 0}, {pipes[2].ends[0], POLLIN, 0}};
        if (poll(waits, 3, 100) < 0 && errno != EINTR) break;
        if (Clock::now() > deadline) kill(child, SIGKILL);
        if ((waits[0].revents & (POLLOUT | POLLERR)) != 0) {
            const ssize_t wrote =
                write(pipes[0].ends[1], options.input.data() + fed, options.input.size() - fed);
            if (wrote > 0) fed += static_cast<std::size_t>(wrote);
            if (fed == options.input.size() || (wrote < 0 && errno != EAGAIN)) pipes[0].close_end(1);
        }
        for (int stream = 1; stream <= 2; ++stream) {
            if (waits[stream].revents == 0) continue;
            char buffer[65536];
            const ssize_t got = read(pipes[stream].ends[0], buffer, sizeof buffer);
            if (got > 0) (stream == 1 ? ran.out : ran.err).append(buffer, static_cast<std::size_t>(got));
            const bool enough = stream == 1 && options.close_output_after_bytes >= 0 &&
                                ran.out.size() >= static_cast<std::size_t>(options.close_output_after_bytes);
            if (got <= 0 || enough) pipes[stream].close_end(0);
        }
    }
}

}  // namespace

Ran run_quarry(const std::vector<std::string>& arguments, const RunOptions& options) {
    return run_program(QUARRY_PROGRAM, arguments, options);
}

Ran run_on_terminal(const std::vector<std::string>& arguments, RunOptions options) {
    std::string command = "stty cols 80; exec " QUARRY_PROGRAM;
    for (const std::string& argument : arguments) command += " '" + argument + "'";
    options.environment.push_back("TERM=xterm");
    return run_program("/usr/bin/script", {"-qefc", command, "/dev/null"}, options);
}

Ran run_program(const std::string& program, const std::vector<std::string>& arguments,
                const RunOptions& options) {
    std::signal(SIGPIPE, SIG_IGN);
    Pipe pipes[3];
    const auto start = Clock::now();
    const pid_t child = fork();
    if (child == 0)
        become(program, arguments, options, {pipes[0].ends[0], pipes[1].ends[1], pipes[2].ends[1]});
    pipes[0].close_end(0);
    pipes[1].close_end(1);
    pipes[2].close_end(1);
    Ran ran;
    exchange(pipes, options, ran, child);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    ran.exit_code = exit_code_of(status);
    ran.peak_kilobytes = usage.ru_maxrss;
    ran.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return ran;
}

StartedQuarry::StartedQuarry(const std::vector<std::string>& arguments, const RunOptions& options) {
    process_ = fork();
    if (process_ != 0) return;
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int errors = options.error_file.empty() ? nowhere
                                                  : open(options.error_file.c_str(),
                                                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    become(QUARRY_PROGRAM, arguments, options, {nowhere, nowhere, errors});
}

StartedQuarry::~StartedQuarry() {
    if (process_ <= 0) return;
    send(SIGKILL);
    wait();
}

void StartedQuarry::send(int signal) const {
    kill(process_, signal);
}

int StartedQuarry::wait() {
    int status = 0;
    waitpid(std::exchange(process_, -1), &status, 0);
    return exit_code_of(status);
}

}  // namespace quarry::test
