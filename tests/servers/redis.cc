#include "servers/redis.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/redis/connection.h"
#include "servers/free_port.h"

namespace quarry::test {
namespace {

std::string find_program() {
    for (const char* path : {"/usr/bin/redis-server", "/usr/local/bin/redis-server"}) {
        if (access(path, X_OK) == 0) return path;
    }
    return {};
}

}  // namespace

void Redis::write_settings(const Options& options) const {
    std::ofstream(folder_.file("redis.conf"))
        << fmt::format("bind 127.0.0.1\ndir {}\nsave \"\"\nappendonly {}\nappendfsync {}\n", folder_.path(),
                       options.fsync.empty() ? "no" : "yes", options.fsync.empty() ? "no" : options.fsync)
        << options.settings << '\n';
    if (!options.tls) return;
    std::ofstream(folder_.file("redis.conf"), std::ios::app) << fmt::format(
        "tls-port {0}\ntls-cert-file {1}/server.pem\ntls-key-file {1}/server.key\n"
        "tls-ca-cert-file {1}/ca.pem\ntls-auth-clients no\n",
        tls_port_, folder_.path());
}

// An authority, and a certificate for 127.0.0.1 that it has signed.
bool Redis::make_certificates() const {
    std::ofstream(folder_.file("names")) << "subjectAltName=IP:127.0.0.1\n";
    constexpr std::string_view key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    const std::string command = fmt::format(
        "cd {0} && {{ openssl req -x509 {1} -days 2 -subj /CN=authority -keyout ca.key -out ca.pem && "
        "openssl req {1} -subj /CN=server -keyout server.key -out server.csr && "
        "openssl x509 -req -days 2 -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names "
        "-out server.pem; }} >openssl.log 2>&1",
        folder_.path(), key);
    return std::system(command.c_str()) == 0;
}

bool Redis::is_installed() {
    return !find_program().empty();
}

std::unique_ptr<Redis> Redis::start(const Options& options) {
    const std::string program = find_program();
    if (program.empty()) return nullptr;
    std::unique_ptr<Redis> server(new Redis(program));
    if (options.tls) {
        server->tls_port_ = free_port();
        if (!server->make_certificates()) return nullptr;
    }
    server->write_settings(options);
    // Somebody else may have taken the port before the server did.
    for (int attempt = 0; attempt < 5; ++attempt) {
        server->port_ = free_port();
        if (server->launch()) return server;
    }
    throw std::runtime_error("Redis does not start: " + server->log());
}

Redis* Redis::shared() {
    static const std::unique_ptr<Redis> server = start({.fsync = "everysec"});
    return server.get();
}

pid_t Redis::spawn() const {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    // A test that crashes leaves no server behind.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(126);
    const int log = open(folder_.file("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    const std::string settings = folder_.file("redis.conf"), port = std::to_string(port_);
    execl(program_.c_str(), "redis-server", settings.c_str(), "--port", port.c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
}

// A server with a password answers too: with a refusal.
bool Redis::answers() const {
    auto connection = db::RedisConnection::open({.url = url()});
    if (!connection) return connection.error().code == ErrorCode::refused;
    return connection->run({"PING"}).has_value();
}

bool Redis::launch() {
    process_ = spawn();
    for (int attempt = 0; attempt < 2000; ++attempt) {
        if (answers()) return true;
        if (waitpid(process_, nullptr, WNOHANG) == process_) break;
        usleep(5'000);
    }
    process_ = -1;
    return false;
}

void Redis::stop(int signal) {
    if (process_ <= 0) return;
    ::kill(process_, signal);
    waitpid(process_, nullptr, 0);
    process_ = -1;
}

Redis::~Redis() {
    stop(SIGKILL);
}

void Redis::kill() {
    stop(SIGKILL);
}

void Redis::freeze() {
    ::kill(process_, SIGSTOP);
}

void Redis::thaw() {
    ::kill(process_, SIGCONT);
}

void Redis::restart() {
    if (process_ > 0) stop(SIGTERM);
    if (!launch()) throw std::runtime_error("Redis does not start again: " + log());
}

std::string Redis::url() const {
    return fmt::format("redis://127.0.0.1:{}", port_);
}

}  // namespace quarry::test
