#include "browser/keeper.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "browser/supervisor.h"
#include "browser/process_tree.h"

namespace quarry::browser {
namespace {

constexpr int milliseconds_between_looks = 250;

bool write_line(const char* path, const std::string& line) {
    const Descriptor file(open(path, O_WRONLY | O_CLOEXEC));
    return file.is_open() && write(file.get(), line.data(), line.size()) == std::ssize(line);
}

// Whoever may make no networks may make one in a user namespace, where they are the same user as before.
Result<void> enter_own_network() {
    if (unshare(CLONE_NEWNET) == 0) return {};
    const uid_t user = geteuid();
    const gid_t group = getegid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return system_error("unshare");
    const bool mapped = write_line("/proc/self/setgroups", "deny") &&
                        write_line("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) &&
                        write_line("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
    if (!mapped) return system_error("uid_map");
    return {};
}

Result<void> raise_loopback() {
    const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq interface{};
    std::strcpy(interface.ifr_name, "lo");
    interface.ifr_flags = IFF_UP | IFF_RUNNING;
    if (ioctl(socket.get(), SIOCSIFFLAGS, &interface) != 0) return system_error("cannot raise lo");
    return {};
}

Result<void> add_listener(KeeperAnswer& answer) {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (!socket.is_open() || bind(socket.get(), any, size) != 0 || listen(socket.get(), 256) != 0 ||
        getsockname(socket.get(), any, &size) != 0)
        return system_error("cannot listen on 127.0.0.1");
    answer.ports.push_back(ntohs(address.sin_port));
    answer.listeners.push_back(std::move(socket));
    return {};
}

// Only what is safe between fork and exec in a process of one thread.
[[noreturn]] void become_browser(const KeeperRequest& request) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (request.user >= 0) {
        const bool dropped = setgroups(0, nullptr) == 0 && setgid(static_cast<gid_t>(request.group)) == 0 &&
                             setuid(static_cast<uid_t>(request.user)) == 0;
        if (!dropped) _exit(126);
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // changing the user has cleared it
    }
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    close(nothing);
    if (chdir(request.folder.c_str()) != 0) _exit(126);
    std::vector<char*> arguments;
    for (const std::string& word : request.command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    dprintf(STDERR_FILENO, "cannot start %s: %s\n", arguments[0], std::strerror(errno));
    _exit(127);
}

Result<pid_t> start(const KeeperRequest& request, KeeperAnswer& answer) {
    if (request.own_network) {
        TRY(enter_own_network());
        TRY(raise_loopback());
    }
    for (int i = 0; i < request.listeners; ++i) TRY(add_listener(answer));
    const pid_t browser = fork();
    if (browser < 0) return system_error("fork");
    if (browser == 0) become_browser(request);
    close(browser_reads);
    close(browser_writes);
    return browser;
}

// A page may take all memory there is; its process is ended before it does, and only its page is lost.
void end_greedy(std::uint64_t memory_bytes) {
    if (memory_bytes == 0) return;
    for (const pid_t process : descendants_of(getpid()))
        if (own_memory_of(process) > memory_bytes) kill(process, SIGKILL);
}

// Takes in the ends of all processes that have ended; true if the browser's first is among them.
bool reap(pid_t browser) {
    bool is_over = false;
    for (pid_t ended = 0; (ended = waitpid(-1, nullptr, WNOHANG)) > 0;) is_over |= ended == browser;
    return is_over;
}

void watch(pid_t browser, const KeeperRequest& request, int signals) {
    for (;;) {
        std::array<pollfd, 2> waiting{pollfd{.fd = keeper_socket, .events = POLLIN, .revents = 0},
                                      pollfd{.fd = signals, .events = POLLIN, .revents = 0}};
        poll(waiting.data(), waiting.size(), milliseconds_between_looks);
        if (waiting[0].revents != 0) return;  // quarry is gone, or wants an end
        signalfd_siginfo news;
        while (read(signals, &news, sizeof news) > 0) {
        }
        if (reap(browser)) return;
        end_greedy(request.memory_bytes);
    }
}

// Orphans of the browser become children of ours (PR_SET_CHILD_SUBREAPER), so that in the end there are none.
void end_all(pid_t browser) {
    kill(-browser, SIGKILL);
    for (;;) {
        for (const pid_t process : descendants_of(getpid())) kill(process, SIGKILL);
        const pid_t ended = waitpid(-1, nullptr, WNOHANG);
        if (ended < 0 && errno == ECHILD) return;
        if (ended == 0) poll(nullptr, 0, 5);
    }
}

}  // namespace

int run_keeper() {
    setsid();  // the terminal's Ctrl-C is for quarry, which ends the browser when it has no more use for it
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaddset(&watched, signal);
    sigprocmask(SIG_BLOCK, &watched, nullptr);
    const Descriptor signals(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    fcntl(keeper_socket, F_SETFD, FD_CLOEXEC);

    const auto request = receive_request(keeper_socket);
    if (!request || request->command.empty()) return 2;
    KeeperAnswer answer;
    const auto browser = start(*request, answer);
    if (!browser) answer.error = browser.error().message;
    const bool is_told = send_answer(keeper_socket, answer).has_value();
    answer.listeners.clear();
    if (browser && is_told) watch(*browser, *request, signals.get());
    if (browser) end_all(*browser);
    std::error_code ignored;
    std::filesystem::remove_all(request->folder, ignored);
    return browser ? 0 : 1;
}

}  // namespace quarry::browser
