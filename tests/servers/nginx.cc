#include "servers/nginx.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quarry::test {
namespace {

constexpr const char* program = "/usr/sbin/nginx";

// The socket listens before nginx starts and is handed to it as an inherited one: no port is lost to another
// process in between, and a client that connects early simply waits, so that nothing here sleeps or polls.
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

struct Site {
    std::string folder{}, root{}, lines{};
    int port = 0;
    bool tls = false;
};

std::string configuration(const Site& site) {
    const std::string certificate =
        fmt::format("ssl_certificate {0}/certificate.pem; ssl_certificate_key {0}/key.pem;", site.folder);
    return fmt::format(R"({user}
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    include /etc/nginx/mime.types;
    types {{ text/markdown md; }}
    log_format short '$request_method $request_uri $status';
    access_log {folder}/access.log short;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    absolute_redirect off;
    server {{
        listen 127.0.0.1:{port}{tls};
        {certificate}
        root {root};
        {lines}
    }}
}}
)",
                       fmt::arg("user", geteuid() == 0 ? "user root;" : ""), fmt::arg("folder", site.folder),
                       fmt::arg("port", site.port), fmt::arg("tls", site.tls ? " ssl http2" : ""),
                       fmt::arg("certificate", site.tls ? certificate : ""), fmt::arg("root", site.root),
                       fmt::arg("lines", site.lines));
}

bool make_certificate(const std::string& folder) {
    const std::string command = fmt::format(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
        "/CN=127.0.0.1 "
        "-addext subjectAltName=IP:127.0.0.1,DNS:localhost -keyout {0}/key.pem -out {0}/certificate.pem "
        ">/dev/null 2>&1",
        folder);
    return std::system(command.c_str()) == 0;
}

}  // namespace

std::optional<Nginx> Nginx::start(const std::string& root, const std::string& server_lines) {
    if (access(program, X_OK) != 0) return std::nullopt;
    Nginx nginx;
    nginx.folder_.emplace();
    nginx.launch(root, server_lines);
    return nginx;
}

std::optional<Nginx> Nginx::start_tls(const std::string& root, const std::string& server_lines) {
    if (access(program, X_OK) != 0) return std::nullopt;
    Nginx nginx;
    nginx.folder_.emplace();
    nginx.tls_ = true;
    if (!make_certificate(nginx.folder_->path())) return std::nullopt;
    nginx.launch(root, server_lines);
    return nginx;
}

void Nginx::launch(const std::string& root, const std::string& server_lines) {
    const int listener = listen_on_free_port(port_);
    const std::string path = folder_->write(
        "nginx.conf",
        configuration(
            {.folder = folder_->path(), .root = root, .lines = server_lines, .port = port_, .tls = tls_}));
    process_ = fork();
    if (process_ == 0) {
        const int inherited = fcntl(listener, F_DUPFD, 3);  // without close-on-exec
        setenv("NGINX", (std::to_string(inherited) + ";").c_str(), 1);
        execl(program, "nginx", "-p", folder_->path().c_str(), "-c", path.c_str(), "-g", "daemon off;", "-e",
              folder_->file("error.log").c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    close(listener);
}

Nginx::Nginx(Nginx&& other) noexcept
    : folder_(std::move(other.folder_)),
      process_(std::exchange(other.process_, -1)),
      port_(other.port_),
      tls_(other.tls_) {}

Nginx::~Nginx() {
    if (process_ <= 0) return;
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
}

std::string Nginx::url(const std::string& path, const std::string& host) const {
    return fmt::format("{}://{}:{}{}", tls_ ? "https" : "http", host, port_, path);
}

std::string Nginx::access_log() const {
    return read_file(folder_->file("access.log"));
}

}  // namespace quarry::test
