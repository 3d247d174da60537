#include "servers/postgres.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/postgres/connection.h"
#include "servers/free_port.h"

namespace quarry::test {
namespace {

// The newest that is installed: "/usr/lib/postgresql/15/bin".
std::string find_binaries() {
    std::string newest;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
        const std::string bin = entry.path().string() + "/bin";
        if (access((bin + "/postgres").c_str(), X_OK) == 0 && bin > newest) newest = bin;
    }
    return newest;
}

}  // namespace

std::optional<Postgres::User> Postgres::unprivileged_user() {
    if (geteuid() != 0) return User{geteuid(), getegid()};
    for (const char* name : {"postgres", "nobody"}) {
        if (const passwd* found = getpwnam(name)) return User{found->pw_uid, found->pw_gid};
    }
    return std::nullopt;
}

bool Postgres::is_installed() {
    return !find_binaries().empty() && unprivileged_user();
}

// Runs a program of PostgreSQL's to its end, as its user. Tells whether it went well.
bool Postgres::run(const std::string& command) const {
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(user_.group) != 0 || setuid(user_.id) != 0)) _exit(126);
        if (chdir("/") != 0) _exit(126);
        execl("/bin/sh", "sh", "-c", (binaries_ + "/" + command).c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::unique_ptr<Postgres> Postgres::start(const Options& options) {
    const std::string binaries = find_binaries();
    const auto user = unprivileged_user();
    if (binaries.empty() || !user) return nullptr;
    std::unique_ptr<Postgres> server(new Postgres(binaries, *user));
    const TemporaryFolder& folder = server->folder_;
    if (options.disk_megabytes > 0) {
        const std::string size = fmt::format("size={}m", options.disk_megabytes);
        if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, size.c_str()) != 0) return nullptr;
        server->is_mounted_ = true;
    }
    if (geteuid() == 0 && chown(folder.path().c_str(), user->id, user->group) != 0) return nullptr;
    if (!server->run(fmt::format("initdb -D {0}/data -U postgres --auth=trust --encoding=UTF8 --locale=C "
                                 "--no-sync >{0}/initdb.log 2>&1",
                                 folder.path()))) {
        throw std::runtime_error("initdb failed: " + read_file(folder.file("initdb.log")));
    }
    std::ofstream(folder.file("data/postgresql.conf"), std::ios::app)
        << fmt::format("\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{}'\nfsync = {}\n",
                       folder.path(), options.fsync ? "on" : "off")
        << "max_connections = 200\nautovacuum_naptime = 10s\nlog_min_messages = warning\n"
        << options.settings << '\n';
    // Somebody else may have taken the port before the server did.
    for (int attempt = 0; attempt < 5; ++attempt) {
        server->port_ = free_port();
        if (server->launch()) return server;
    }
    throw std::runtime_error("PostgreSQL does not start: " + server->log());
}

Postgres* Postgres::shared() {
    static const std::unique_ptr<Postgres> server = start({.fsync = false});
    return server.get();
}

pid_t Postgres::spawn() const {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    if (geteuid() == 0 && (setgid(user_.group) != 0 || setuid(user_.id) != 0)) _exit(126);
    // A test that crashes leaves no server behind.
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (getppid() != parent) _exit(126);
    const int log = open(folder_.file("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    const std::string program = binaries_ + "/postgres";
    const std::string port = std::to_string(port_);
    const std::string data = folder_.file("data");
    execl(program.c_str(), "postgres", "-D", data.c_str(), "-p", port.c_str(), static_cast<char*>(nullptr));
    _exit(127);
}

// Until it answers, or has ended. pg_isready waits for the answer itself.
bool Postgres::await_readiness() const {
    const std::string ask = fmt::format("pg_isready -q -t 1 -h 127.0.0.1 -p {}", port_);
    for (int attempt = 0; attempt < 2000; ++attempt) {
        if (run(ask)) return true;
        if (waitpid(process_, nullptr, WNOHANG) == process_) return false;
        usleep(10'000);
    }
    return false;
}

bool Postgres::launch() {
    process_ = spawn();
    const bool is_ready = await_readiness();
    if (!is_ready) process_ = -1;
    return is_ready;
}

void Postgres::stop(int signal) {
    if (process_ <= 0) return;
    ::kill(process_, signal);
    waitpid(process_, nullptr, 0);
    process_ = -1;
}

Postgres::~Postgres() {
    stop(SIGINT);
    if (is_mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
}

bool Postgres::is_running() {
    if (process_ > 0 && waitpid(process_, nullptr, WNOHANG) == process_) process_ = -1;
    return process_ > 0;
}

void Postgres::fill_disk() {
    const int file = open(folder_.file("ballast").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string page(4096, 'x');
    while (write(file, page.data(), page.size()) > 0) continue;
    close(file);
}

void Postgres::free_disk() {
    std::filesystem::remove(folder_.file("ballast"));
}

void Postgres::kill() {
    stop(SIGKILL);
}

void Postgres::stop_at_once() {
    stop(SIGQUIT);
}

void Postgres::restart() {
    if (process_ > 0) stop(SIGINT);
    // After kill -9 its children need a moment to notice; until then the next server refuses to start.
    for (int attempt = 0; attempt < 100; ++attempt) {
        if (launch()) return;
        usleep(50'000);
    }
    throw std::runtime_error("PostgreSQL does not start again: " + log());
}

std::string Postgres::url(const std::string& database) const {
    return fmt::format("postgres://postgres@127.0.0.1:{}/{}", port_, database);
}

std::string Postgres::create_database(const std::string& original) {
    const std::string name = fmt::format("test_{}", ++databases_);
    auto connection = db::PgConnection::open({.url = url()}).value();
    connection.execute(fmt::format("create database {} template {}", name, original)).value();
    return name;
}

void Postgres::drop_database(const std::string& name) {
    auto connection = db::PgConnection::open({.url = url()}).value();
    connection.execute(fmt::format("drop database {} with (force)", name)).value();
}

std::vector<std::string>& EmptyDatabase::free_names() {
    static std::vector<std::string> names;
    return names;
}

EmptyDatabase::EmptyDatabase() {
    if (free_names().empty()) free_names().push_back(Postgres::shared()->create_database());
    name_ = std::move(free_names().back());
    free_names().pop_back();
}

EmptyDatabase::~EmptyDatabase() {
    auto connection = db::PgConnection::open({.url = url()});
    const bool is_empty = connection && connection->execute(R"sql(
        do $$
        declare name text;
        begin
            for name in select tablename from pg_tables where schemaname = 'quarry' and tablename <> 'meta' loop
                execute format('delete from quarry.%I', name);
            end loop;
        end $$)sql");
    if (is_empty) free_names().push_back(name_);
}

}  // namespace quarry::test
