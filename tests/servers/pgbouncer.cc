#include "servers/pgbouncer.h"

#include <csignal>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/postgres/connection.h"
#include "servers/free_port.h"

namespace quarry::test {

namespace {

std::string find_program() {
    for (const char* path : {"/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"}) {
        if (access(path, X_OK) == 0) return path;
    }
    return {};
}

}  // namespace

bool PgBouncer::is_installed() {
    return !find_program().empty();
}

std::unique_ptr<PgBouncer> PgBouncer::start(const Postgres& server) {
    const std::string program = find_program();
    if (program.empty()) return nullptr;
    std::unique_ptr<PgBouncer> bouncer(new PgBouncer(server, program));
    const TemporaryFolder& folder = bouncer->folder_;
    if (geteuid() == 0 && chown(folder.path().c_str(), server.user().id, server.user().group) != 0)
        return nullptr;
    for (int attempt = 0; attempt < 5; ++attempt) {
        bouncer->port_ = free_port();
        std::ofstream(folder.file("pgbouncer.ini")) << fmt::format(
            "[databases]\n* = host=127.0.0.1 port={} user=postgres\n[pgbouncer]\n"
            "listen_addr = 127.0.0.1\nlisten_port = {}\nunix_socket_dir =\nauth_type = any\n"
            "pool_mode = transaction\ndefault_pool_size = 40\nmax_client_conn = 500\n",
            server.port(), bouncer->port_);
        if (bouncer->launch()) return bouncer;
    }
    throw std::runtime_error("PgBouncer does not start: " + read_file(folder.file("log")));
}

PgBouncer* PgBouncer::shared() {
    static const std::unique_ptr<PgBouncer> bouncer =
        Postgres::shared() ? start(*Postgres::shared()) : nullptr;
    return bouncer.get();
}

pid_t PgBouncer::spawn() const {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    // It refuses to be root.
    if (geteuid() == 0 && (setgid(server_.user().group) != 0 || setuid(server_.user().id) != 0)) _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(126);
    const int log = open(folder_.file("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    const std::string settings = folder_.file("pgbouncer.ini");
    execl(program_.c_str(), "pgbouncer", settings.c_str(), static_cast<char*>(nullptr));
    _exit(127);
}

bool PgBouncer::launch() {
    process_ = spawn();
    for (int attempt = 0; attempt < 1000; ++attempt) {
        if (db::PgConnection::open({.url = url_through(server_.url()), .pooled = true})) return true;
        if (waitpid(process_, nullptr, WNOHANG) == process_) break;
        usleep(5'000);
    }
    process_ = -1;
    return false;
}

PgBouncer::~PgBouncer() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
}

std::string PgBouncer::url_through(const std::string& url) const {
    return fmt::format("postgres://postgres@127.0.0.1:{}{}", port_, url.substr(url.rfind('/')));
}

}  // namespace quarry::test
