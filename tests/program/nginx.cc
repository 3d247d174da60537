#include "nginx.h"

#include <csignal>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quarry::tests {
namespace {

constexpr const char* program = "/usr/sbin/nginx";

// The socket listens before nginx starts and is handed to it as an inherited one: no port is lost to another process in
// between, and a client that connects early simply waits, so that nothing here sleeps or polls.
int listen_on_free_port(int& port) {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, 511) != 0 ||
        getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error("cannot listen on loopback");
    port = ntohs(address.sin_port);
    return listener;
}

std::string configuration(const std::string& folder, const std::string& root, int port, const std::string& lines) {
    return std::string(geteuid() == 0 ? "user root;\n" : "") + "worker_processes 1;\npid " + folder +
           "/pid;\nerror_log " + folder + "/error.log;\nevents { worker_connections 512; }\nhttp {\n" +
           "include /etc/nginx/mime.types;\ntypes { text/markdown md; }\n" +
           "log_format short '$request_method $request_uri $status';\naccess_log " + folder +
           "/access.log short;\nclient_body_temp_path " + folder + "/body;\nproxy_temp_path " + folder +
           "/proxy;\nfastcgi_temp_path " + folder + "/fastcgi;\nuwsgi_temp_path " + folder + "/uwsgi;\nscgi_temp_path " +
           folder + "/scgi;\nabsolute_redirect off;\nserver {\nlisten 127.0.0.1:" + std::to_string(port) + ";\nroot " +
           root + ";\n" + lines + "\n}\n}\n";
}

}  // namespace

std::optional<Nginx> Nginx::start(const std::string& root, const std::string& server_lines) {
    if (access(program, X_OK) != 0) return std::nullopt;
    Nginx nginx;
    nginx.folder_.emplace();
    const int listener = listen_on_free_port(nginx.port_);
    const std::string path =
        nginx.folder_->write("nginx.conf", configuration(nginx.folder_->path(), root, nginx.port_, server_lines));
    nginx.process_ = fork();
    if (nginx.process_ == 0) {
        const int inherited = fcntl(listener, F_DUPFD, 3);  // without close-on-exec
        setenv("NGINX", (std::to_string(inherited) + ";").c_str(), 1);
        execl(program, "nginx", "-p", nginx.folder_->path().c_str(), "-c", path.c_str(), "-g", "daemon off;",
              "-e", nginx.folder_->file("error.log").c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    close(listener);
    return nginx;
}

Nginx::Nginx(Nginx&& other) noexcept
    : folder_(std::move(other.folder_)), process_(std::exchange(other.process_, -1)), port_(other.port_) {}

Nginx::~Nginx() {
    if (process_ <= 0) return;
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
}

std::string Nginx::url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::string Nginx::access_log() const {
    return read_file(folder_->file("access.log"));
}

}  // namespace quarry::tests
