// A connection that hears what others NOTIFY. It needs a session of its own: behind a pooler it hears
// nothing, and whoever relies on it polls as well.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/descriptors.h"
#include "db/postgres/connection.h"

namespace quarry::db {

struct PgNotification {
    std::string channel{};
    std::string payload{};
    int sender = 0;  // the server's process id of the session that sent it
};

class PgListener {
public:
    // `channel` is an identifier.
    static Result<PgListener> open(const PgConfig& config, const std::string& channel);

    // Returns what has arrived, as soon as there is something, after `at_most`, or when woken. `unavailable`
    // once the connection is lost: open another.
    Result<std::vector<PgNotification>> wait(std::chrono::milliseconds at_most, int wake_descriptor = -1);

private:
    explicit PgListener(PgConnection connection) : connection_(std::move(connection)) {}
    PgConnection connection_;
};

}  // namespace quarry::db
