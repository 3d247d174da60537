// A real PgBouncer before a PostgreSQL, in transaction mode: each transaction gets another session of the
// server.
#pragma once

#include <memory>
#include <string>

#include <sys/types.h>

#include "servers/postgres.h"

namespace quarry::test {

class PgBouncer {
public:
    static bool is_installed();
    // Nothing if it is not installed. The server outlives it.
    static std::unique_ptr<PgBouncer> start(const Postgres& server);
    // Before Postgres::shared(). nullptr if one of the two is not installed.
    static PgBouncer* shared();
    ~PgBouncer();

    // The same address through it.
    std::string url_through(const std::string& url) const;

private:
    PgBouncer(const Postgres& server, std::string program) : server_(server), program_(std::move(program)) {}
    pid_t spawn() const;
    bool launch();

    const Postgres& server_;
    TemporaryFolder folder_;
    std::string program_;
    int port_ = 0;
    pid_t process_ = -1;
};

}  // namespace quarry::test
