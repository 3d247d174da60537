#include "browser/supervisor.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <arpa/inet.h>
#include <boost/json.hpp>
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

namespace quarry::browser {

std::vector<pid_t> descendants_of(pid_t process) {
    std::vector<pid_t> found;
    const auto add_children = [&found](pid_t parent) {
        // The kernel lists children under the thread that started them.
        std::error_code problem;
        const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", parent), problem);
        if (problem) return;
        for (auto thread = begin(threads); thread != end(threads); thread.increment(problem)) {
            if (problem) return;
            std::ifstream children(thread->path() / "children");
            for (pid_t child = 0; children >> child;) found.push_back(child);
        }
    };
    add_children(process);
    for (std::size_t i = 0; i < found.size(); ++i) add_children(found[i]);
    return found;
}

std::uint64_t own_memory_of(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/statm", process));
    std::uint64_t size = 0, resident = 0, shared = 0;
    if (!(file >> size >> resident >> shared) || resident < shared) return 0;
    static const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return (resident - shared) * page_bytes;
}

namespace {

namespace json = boost::json;

constexpr std::size_t max_message_bytes = 64 * 1024;
constexpr std::size_t max_descriptors = 64;

Result<void> send_message(int socket, const std::string& text, const std::vector<int>& descriptors) {
    iovec part{.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
    std::array<char, CMSG_SPACE(sizeof(int) * max_descriptors)> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        const std::size_t bytes = sizeof(int) * descriptors.size();
        message.msg_control = room.data();
        message.msg_controllen = CMSG_SPACE(bytes);
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(bytes);
        std::memcpy(CMSG_DATA(header), descriptors.data(), bytes);
    }
    if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) return system_error("sendmsg");
    return {};
}

struct Received {
    json::object message{};
    std::vector<Descriptor> descriptors{};
};

Result<Received> receive_message(int socket) {
    std::string text(max_message_bytes, '\0');
    iovec part{.iov_base = text.data(), .iov_len = text.size()};
    std::array<char, CMSG_SPACE(sizeof(int) * max_descriptors)> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return system_error("recvmsg");
    if (got == 0) return fail(ErrorCode::unavailable, "the other side is gone");
    Received received;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        std::vector<int> numbers(count);
        std::memcpy(numbers.data(), CMSG_DATA(header), count * sizeof(int));
        for (const int number : numbers) received.descriptors.emplace_back(number);
    }
    boost::system::error_code problem;
    json::value value = json::parse(std::string_view(text.data(), static_cast<std::size_t>(got)), problem);
    if (problem || !value.is_object()) return fail(ErrorCode::corrupt, "a message that makes no sense");
    received.message = std::move(value.get_object());
    return received;
}

}  // namespace

std::unexpected<Error> system_error(std::string_view what) {
    return fail(ErrorCode::unavailable, fmt::format("{}: {}", what, std::strerror(errno)));
}

Result<void> send_request(int socket, const KeeperRequest& request) {
    const json::object message{{"command", json::value_from(request.command)},
                               {"folder", request.folder},
                               {"user", request.user},
                               {"group", request.group},
                               {"own_network", request.own_network},
                               {"listeners", request.listeners},
                               {"memory_bytes", request.memory_bytes}};
    return send_message(socket, json::serialize(message), {});
}

Result<KeeperRequest> receive_request(int socket) {
    const Received received = TRY(receive_message(socket));
    const json::object& message = received.message;
    try {
        return KeeperRequest{.command = json::value_to<std::vector<std::string>>(message.at("command")),
                             .folder = json::value_to<std::string>(message.at("folder")),
                             .user = message.at("user").to_number<std::int64_t>(),
                             .group = message.at("group").to_number<std::int64_t>(),
                             .own_network = message.at("own_network").as_bool(),
                             .listeners = message.at("listeners").to_number<int>(),
                             .memory_bytes = message.at("memory_bytes").to_number<std::uint64_t>()};
    } catch (const std::exception& problem) {
        return fail(ErrorCode::corrupt, problem.what());
    }
}

Result<void> send_answer(int socket, const KeeperAnswer& answer) {
    std::vector<int> numbers;
    for (const Descriptor& listener : answer.listeners) numbers.push_back(listener.get());
    const json::object message{{"error", answer.error}, {"ports", json::value_from(answer.ports)}};
    return send_message(socket, json::serialize(message), numbers);
}

Result<KeeperAnswer> receive_answer(int socket, int timeout_ms) {
    pollfd waiting{.fd = socket, .events = POLLIN, .revents = 0};
    int ready = 0;
    while ((ready = poll(&waiting, 1, timeout_ms)) < 0 && errno == EINTR) {
    }
    if (ready <= 0) return fail(ErrorCode::timeout, "the keeper does not answer");
    Received received = TRY(receive_message(socket));
    try {
        KeeperAnswer answer{
            .error = json::value_to<std::string>(received.message.at("error")),
            .ports = json::value_to<std::vector<std::uint16_t>>(received.message.at("ports"))};
        answer.listeners = std::move(received.descriptors);
        return answer;
    } catch (const std::exception& problem) {
        return fail(ErrorCode::corrupt, problem.what());
    }
}

namespace {

constexpr int milliseconds_between_looks = 250;

bool write_line(const char* path, const std::string& line) {
    const Descriptor file(open(path, O_WRONLY | O_CLOEXEC));
    return file.is_open() && write(file.get(), line.data(), line.size()) == std::ssize(line);
}

// A process that may make no network namespace may make one in a user namespace of its own, where it is the
// same user as before.
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

// Does only what is safe between fork and exec in a process of one thread.
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
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // changing the user cleared the signal
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

// A page could take all memory. Its process is killed before that, and only this page is lost.
void end_greedy(std::uint64_t memory_bytes) {
    if (memory_bytes == 0) return;
    for (const pid_t process : descendants_of(getpid()))
        if (own_memory_of(process) > memory_bytes) kill(process, SIGKILL);
}

// Reaps all processes that have ended; true if the browser's first process is among them.
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
        if (waiting[0].revents != 0) return;  // quarry is gone, or asks for the end
        signalfd_siginfo news;
        while (read(signals, &news, sizeof news) > 0) {
        }
        if (reap(browser)) return;
        end_greedy(request.memory_bytes);
    }
}

// Orphans of the browser become children of this process (PR_SET_CHILD_SUBREAPER), so that none is left over.
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
    setsid();  // the terminal's Ctrl-C is for quarry, which ends the browser when it no longer needs it
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
