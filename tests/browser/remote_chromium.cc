#include "browser/remote_chromium.h"

#include <csignal>
#include <cstdio>
#include <stdexcept>

#include <boost/json.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "browser/chromium.h"
#include "net/http_client.h"

namespace quarry::test {
namespace {

// As docs/browser.md says it is to be started.
std::vector<std::string> command_of(const std::string& folder, int port) {
    return {browser::find_chromium({}).value(),
            fmt::format("--remote-debugging-port={}", port),
            "--user-data-dir=" + folder + "/profile",
            "--proxy-server=http://127.0.0.1:9",
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--disable-quic",
            "--dns-prefetch-disable",
            "--disable-background-networking",
            "--no-first-run",
            "--hide-scrollbars"};
}

// As root Chromium has no sandbox.
[[noreturn]] void become(const std::vector<std::string>& command, const passwd* user,
                         const std::string& folder, int words) {
    setpgid(0, 0);
    if (user && (setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0))
        _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that crashes leaves no browser behind
    dup2(words, STDERR_FILENO);
    setenv("HOME", folder.c_str(), 1);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
}

std::string line_with(std::string_view words, int file) {
    FILE* const stream = fdopen(file, "r");
    std::string found, all;
    char line[4096];
    while (found.empty() && std::fgets(line, sizeof line, stream)) {
        all += line;
        if (std::string_view(line).contains(words)) found = line;
    }
    if (found.empty()) throw std::runtime_error("the browser does not start: " + all);
    std::fclose(stream);
    return found;
}

}  // namespace

RemoteChromium::RemoteChromium() {
    start();
}

RemoteChromium::~RemoteChromium() {
    kill();
}

void RemoteChromium::start() {
    const passwd* const user = geteuid() == 0 ? getpwnam("nobody") : nullptr;
    if (user && chown(folder_.path().c_str(), user->pw_uid, user->pw_gid) != 0)
        throw std::runtime_error("cannot give away " + folder_.path());
    int words[2] = {-1, -1};
    if (pipe2(words, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const auto command = command_of(folder_.path(), port_);
    process_ = fork();
    if (process_ == 0) become(command, user, folder_.path(), words[1]);
    close(words[1]);
    const std::string line = line_with("DevTools listening on ", words[0]);
    const auto begin = line.find("ws://");
    websocket_url_ = line.substr(begin, line.find_first_of(" \r\n", begin) - begin);
    port_ = std::stoi(websocket_url_.substr(websocket_url_.find(':', 5) + 1));
}

void RemoteChromium::kill() {
    if (process_ <= 0) return;
    ::kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
}

void RemoteChromium::start_again() {
    kill();
    std::filesystem::remove_all(folder_.file("profile"));
    start();
}

std::string RemoteChromium::url() const {
    return fmt::format("http://127.0.0.1:{}", port_);
}

std::vector<std::string> RemoteChromium::pages() const {
    const auto client = net::HttpClient::open({}).value();
    const auto answer = client
                            ->perform({.url = url::Url::parse(url() + "/json/list").value(),
                                       .policy = {.allow_private = true}})
                            .value();
    const boost::json::value targets = boost::json::parse(answer.body);
    std::vector<std::string> urls;
    for (const auto& target : targets.as_array()) urls.emplace_back(target.at("url").as_string());
    return urls;
}

}  // namespace quarry::test
