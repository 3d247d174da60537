#include "servers/nginx_server.h"

#include <csignal>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace quarry::test {

namespace {

constexpr const char* nginx_program = "/usr/sbin/nginx";

std::uint16_t unused_port() {
    const int probe = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(probe, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
    close(probe);
    return ntohs(address.sin_port);
}

bool make_certificate(const std::filesystem::path& folder) {
    const std::string command = fmt::format(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
        "/CN=127.0.0.1 "
        "-addext subjectAltName=IP:127.0.0.1,DNS:localhost -keyout {0}/key.pem -out {0}/certificate.pem "
        ">/dev/null 2>&1",
        folder.string());
    return std::system(command.c_str()) == 0;
}

void write_configuration(const std::filesystem::path& folder, std::uint16_t port) {
    std::ofstream(folder / "nginx.conf") << fmt::format(R"(
daemon off;
master_process off;
error_log {0}/error.log;
pid {0}/nginx.pid;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {0}; proxy_temp_path {0}; fastcgi_temp_path {0}; uwsgi_temp_path {0}; scgi_temp_path {0};
    server {{
        listen 127.0.0.1:{1} ssl http2;
        ssl_certificate {0}/certificate.pem;
        ssl_certificate_key {0}/key.pem;
        location / {{ default_type text/plain; return 200 "hello from nginx"; }}
    }}
}}
)",
                                                        folder.string(), port);
}

}  // namespace

std::unique_ptr<NginxServer> NginxServer::start() {
    if (access(nginx_program, X_OK) != 0) return nullptr;
    std::string name = (std::filesystem::temp_directory_path() / "quarry-nginx-XXXXXX").string();
    if (!mkdtemp(name.data())) return nullptr;
    std::unique_ptr<NginxServer> server(new NginxServer);
    server->folder_ = name;
    server->port_ = unused_port();
    if (!make_certificate(server->folder_)) return nullptr;
    write_configuration(server->folder_, server->port_);

    std::string configuration = (server->folder_ / "nginx.conf").string();
    std::string errors = (server->folder_ / "error.log").string();
    char* const arguments[] = {const_cast<char*>("nginx"), const_cast<char*>("-c"), configuration.data(),
                               const_cast<char*>("-e"),    errors.data(),           nullptr};
    if (posix_spawn(&server->process_, nginx_program, nullptr, nullptr, arguments, environ) != 0)
        return nullptr;
    return server;
}

NginxServer::~NginxServer() {
    if (process_ > 0) {
        kill(process_, SIGTERM);
        waitpid(process_, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string NginxServer::url(std::string_view host) const {
    return fmt::format("https://{}:{}/", host, port_);
}

}  // namespace quarry::test
