#include "browser/chromium.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ascii.h"
#include "browser/supervisor.h"
#include "net/http_message.h"

namespace quarry::browser {

namespace {

constexpr int start_timeout_ms = 10'000;
constexpr off_t most_words = 64 * 1024;

std::unexpected<Error> start_error(std::string_view what) {
    return fail(ErrorCode::unavailable,
                fmt::format("cannot start the browser: {}: {}", what, std::strerror(errno)));
}

struct User {
    uid_t id = 0;
    gid_t group = 0;
};

// Nobody, if the browser can run as we are.
Result<std::optional<User>> user_to_become(const ChromiumConfig& config) {
    const bool stays_root = config.user == "root" && !config.sandbox;
    if (geteuid() != 0 || stays_root) return std::nullopt;
    const passwd* const entry = getpwnam(config.user.c_str());
    if (!entry || entry->pw_uid == 0) {
        return fail(
            ErrorCode::refused,
            fmt::format("as root the browser runs as another user, and browser.user names {}: name an "
                        "unprivileged user, or start quarry as one",
                        entry ? "root" : fmt::format("\"{}\", who does not exist", config.user)));
    }
    return User{entry->pw_uid, entry->pw_gid};
}

Result<std::string> make_folder(const std::optional<User>& user) {
    // Root's own temporary folder may be closed to others.
    std::error_code problem;
    const auto place = user ? std::filesystem::path("/tmp") : std::filesystem::temp_directory_path(problem);
    std::string folder = (problem ? std::filesystem::path("/tmp") : place) / "quarry-browser-XXXXXX";
    if (!mkdtemp(folder.data())) return start_error("mkdtemp " + folder);
    if (user && chown(folder.c_str(), user->id, user->group) != 0) return start_error("chown " + folder);
    return folder;
}

// Cannot grow beyond its size, whatever the browser has to say.
Result<Descriptor> words_file() {
    Descriptor file(memfd_create("browser", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file.is_open() || ftruncate(file.get(), most_words) != 0 ||
        fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0)
        return start_error("memfd_create");
    return file;
}

struct Pair {
    Descriptor ours, theirs;
};

enum class Direction { to_child, from_child };

Result<Pair> make_pipe(Direction direction) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return start_error("pipe");
    fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);  // larger messages in fewer turns; no matter if refused
    Descriptor reading(ends[0]), writing(ends[1]);
    if (direction == Direction::to_child) return Pair{std::move(writing), std::move(reading)};
    return Pair{std::move(reading), std::move(writing)};
}

Result<Pair> make_socket_pair() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return start_error("socketpair");
    return Pair{Descriptor(ends[0]), Descriptor(ends[1])};
}

struct KeeperFiles {
    const Descriptor &control, &input, &output, &words;
};

// dup2 onto a number that another of the files has would lose that one: they are moved out of the way first.
Result<Descriptor> out_of_the_way(const Descriptor& file) {
    Descriptor copy(fcntl(file.get(), F_DUPFD_CLOEXEC, 10));
    if (!copy.is_open()) return start_error("dup");
    return copy;
}

Result<pid_t> spawn_keeper(const ChromiumConfig& config, const KeeperFiles& files,
                           const std::string& folder) {
    const Descriptor control = TRY(out_of_the_way(files.control));
    const Descriptor input = TRY(out_of_the_way(files.input));
    const Descriptor output = TRY(out_of_the_way(files.output));
    const Descriptor words = TRY(out_of_the_way(files.words));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, control.get(), keeper_socket);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, words.get(), STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, input.get(), browser_reads);
    posix_spawn_file_actions_adddup2(&actions, output.get(), browser_writes);
    posix_spawn_file_actions_addclosefrom_np(&actions, browser_writes + 1);
    std::string name = "quarry", command(keeper_command);
    char* const arguments[] = {name.data(), command.data(), nullptr};
    std::array<std::string, 7> variables{"LC_ALL=C.UTF-8",
                                         "PATH=/usr/local/bin:/usr/bin:/bin",
                                         "HOME=" + folder,
                                         "TMPDIR=" + folder,
                                         "XDG_CONFIG_HOME=" + folder,
                                         "XDG_CACHE_HOME=" + folder,
                                         "DBUS_SESSION_BUS_ADDRESS=disabled:"};
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    pid_t id = -1;
    const int problem =
        posix_spawn(&id, config.keeper_program.c_str(), &actions, nullptr, arguments, environment.data());
    posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) {
        errno = problem;
        return start_error("posix_spawn " + config.keeper_program);
    }
    return id;
}

std::unexpected<Error> not_started(const std::string& why, const ChromiumConfig& config) {
    if (!config.sandbox) return fail(ErrorCode::unavailable, "cannot start the browser: " + why);
    return fail(
        ErrorCode::refused,
        fmt::format("cannot start the browser in its sandbox ({}): let this user make user namespaces "
                    "(sysctl kernel.unprivileged_userns_clone=1; in a container, a seccomp profile that "
                    "allows them), or choose to go without with browser.sandbox = false",
                    why));
}

}  // namespace

Result<std::unique_ptr<Chromium>> Chromium::start(const ChromiumConfig& config) {
    const std::string program = TRY(find_chromium(config));
    const auto user = TRY(user_to_become(config));
    auto browser = std::unique_ptr<Chromium>(new Chromium);
    browser->folder_ = TRY(make_folder(user));
    Pair control = TRY(make_socket_pair());
    Pair input = TRY(make_pipe(Direction::to_child));
    Pair output = TRY(make_pipe(Direction::from_child));
    browser->words_ = TRY(words_file());
    const KeeperFiles files{control.theirs, input.theirs, output.theirs, browser->words_};
    browser->keeper_ = TRY(spawn_keeper(config, files, browser->folder_));
    control.theirs.close();
    browser->control_ = std::move(control.ours);
    browser->input_ = std::move(input.ours);
    browser->output_ = std::move(output.ours);
    KeeperRequest request{.command = chromium_command(program, config, browser->folder_),
                          .folder = browser->folder_,
                          .own_network = config.sandbox,
                          .listeners = config.listeners,
                          .memory_bytes = config.memory_bytes};
    if (user) {
        request.user = user->id;
        request.group = user->group;
    }
    TRY(send_request(browser->control_.get(), request));
    auto answer = receive_answer(browser->control_.get(), start_timeout_ms);
    if (!answer) return not_started(answer.error().message, config);
    if (!answer->error.empty()) return not_started(answer->error, config);
    for (std::size_t i = 0; i < std::min(answer->ports.size(), answer->listeners.size()); ++i)
        browser->listeners_.push_back({answer->ports[i], std::move(answer->listeners[i])});
    return browser;
}

Chromium::~Chromium() {
    control_.close();
    if (keeper_ > 0) {
        while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    // The keeper has removed it, unless somebody killed the keeper.
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::uint64_t Chromium::memory() const {
    std::uint64_t sum = 0;
    for (const pid_t process : descendants_of(keeper_)) sum += own_memory_of(process);
    return sum;
}

int Chromium::count_processes() const {
    return static_cast<int>(descendants_of(keeper_).size());
}

std::string Chromium::last_words() const {
    std::string text(most_words, '\0');
    const ssize_t got = pread(words_.get(), text.data(), text.size(), 0);
    text.resize(got > 0 ? strnlen(text.data(), static_cast<std::size_t>(got)) : 0);
    std::string_view rest = trimmed(text);
    const auto start = rest.rfind('\n');
    if (start != std::string_view::npos) rest.remove_prefix(start + 1);
    return std::string(rest.substr(0, 300));
}

namespace {

// The shell first: it is the part that renders pages, and nothing else. Measured, it starts in a third of the
// time and takes half the memory.
constexpr std::string_view names[] = {"chromium-headless-shell", "chrome-headless-shell", "chromium",
                                      "google-chrome"};

// Where Debian has it. What is on PATH there is a script that stays to wait for it: one process more, and one
// that hears of the keeper's end in its place.
constexpr const char* behind_script = "/usr/lib/chromium/chromium-headless-shell";

std::optional<std::string> on_path(std::string_view name) {
    const char* const path = std::getenv("PATH");
    std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
    while (!rest.empty()) {
        const std::string_view folder = net::take_until(rest, ':');
        if (folder.empty()) continue;
        std::string candidate = fmt::format("{}/{}", folder, name);
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return std::nullopt;
}

// Nothing but what pages ask for goes out, and that only to the proxy that each page is given. In its own
// network the browser could reach nothing else; these flags say the same for a browser without one.
constexpr std::string_view network_flags[] = {
    "--proxy-server=http://127.0.0.1:9",  // what belongs to no page goes nowhere
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
    "--dns-prefetch-disable",
};

constexpr std::string_view other_flags[] = {
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-gpu",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--deny-permission-prompts",
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,"
    "CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--mute-audio",
    "--password-store=basic",
};

}  // namespace

Result<std::string> find_chromium(const ChromiumConfig& config) {
    if (!config.path.empty()) {
        if (access(config.path.c_str(), X_OK) == 0) return config.path;
        return fail(ErrorCode::unavailable,
                    fmt::format("browser.path names {}, which is no program", config.path));
    }
    if (access(behind_script, X_OK) == 0) return behind_script;
    for (const std::string_view name : names)
        if (auto found = on_path(name)) return *std::move(found);
    return fail(
        ErrorCode::unavailable,
        "no browser was found: install one with `apt-get install chromium-headless-shell`, or name one "
        "with browser.path");
}

std::vector<std::string> chromium_command(const std::string& program, const ChromiumConfig& config,
                                          const std::string& folder) {
    std::vector<std::string> command{program, "--user-data-dir=" + folder + "/profile"};
    command.insert(command.end(), std::begin(other_flags), std::end(other_flags));
    command.insert(command.end(), std::begin(network_flags), std::end(network_flags));
    if (!program.ends_with("headless-shell")) command.emplace_back("--headless");
    if (!config.sandbox) command.emplace_back("--no-sandbox");
    return command;
}

}  // namespace quarry::browser
