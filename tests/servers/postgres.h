// A real PostgreSQL on a free loopback port with a data folder of its own, stopped with the object. It runs
// as another user when the tests run as root, which PostgreSQL refuses.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "servers/temporary_folder.h"

namespace quarry::test {

class Postgres {
public:
    struct Options {
        bool fsync = true;       // false: quicker, and nothing survives a power cut
        std::string settings{};  // more lines of postgresql.conf
        // Its folder is a file system of so many megabytes; 0 for the one of all temporary files. Only root
        // can have it.
        int disk_megabytes = 0;
    };

    static bool is_installed();
    // Nothing if it is not installed, if there is no user to run it as, or no such disk can be made.
    static std::unique_ptr<Postgres> start(const Options& options);
    static std::unique_ptr<Postgres> start() { return start(Options{}); }
    // One for all tests of the process that only need a database of their own; without fsync. nullptr if it
    // is not installed.
    static Postgres* shared();
    ~Postgres();

    std::string url(const std::string& database = "postgres") const;
    // A fresh database, as a copy of another one that nobody is connected to; returns its name.
    std::string create_database(const std::string& original = "template1");
    void drop_database(const std::string& name);

    void kill();          // -9: as a crash of the whole machine but for the disk
    void stop_at_once();  // pg_ctl -m immediate
    void restart();       // the same port and data
    bool is_running();
    pid_t process() const { return process_; }
    int port() const { return port_; }
    struct User {
        uid_t id{};
        gid_t group{};
    };
    const User& user() const { return user_; }  // that it runs as
    // Takes all space that is left on its disk, and gives it back.
    void fill_disk();
    void free_disk();
    std::string log() const { return read_file(folder_.file("log")); }

private:
    Postgres(std::string binaries, User user) : binaries_(std::move(binaries)), user_(user) {}
    static std::optional<User> unprivileged_user();
    bool run(const std::string& command) const;
    pid_t spawn() const;
    bool await_readiness() const;
    bool launch();
    void stop(int signal);

    TemporaryFolder folder_;
    std::string binaries_;
    User user_;
    int port_ = 0;
    pid_t process_ = -1;
    int databases_ = 0;
    bool is_mounted_ = false;
};

// A database of the shared server without rows in quarry's tables. It is emptied and used again when it is
// let go, which is quicker than to make another one. Nobody may be connected to it then. One thread.
class EmptyDatabase {
public:
    EmptyDatabase();
    EmptyDatabase(const EmptyDatabase&) = delete;
    EmptyDatabase& operator=(const EmptyDatabase&) = delete;
    ~EmptyDatabase();

    std::string url() const { return Postgres::shared()->url(name_); }

private:
    static std::vector<std::string>& free_names();
    std::string name_;
};

}  // namespace quarry::test
