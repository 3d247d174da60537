#include "db/postgres/pg_listener.h"

#include <array>
#include <memory>

#include <libpq-fe.h>
#include <poll.h>

namespace quarry::db {

namespace {

std::vector<PgNotification> take_notifications(pg_conn* handle) {
    std::vector<PgNotification> taken;
    while (true) {
        const std::unique_ptr<PGnotify, void (*)(void*)> next(PQnotifies(handle), PQfreemem);
        if (!next) return taken;
        taken.push_back({.channel = next->relname, .payload = next->extra, .sender = next->be_pid});
    }
}

}  // namespace

Result<PgListener> PgListener::open(const PgConfig& config, const std::string& channel) {
    PgConnection connection = TRY(PgConnection::open(config));
    TRY(connection.execute("listen " + channel));
    return PgListener(std::move(connection));
}

Result<std::vector<PgNotification>> PgListener::wait(std::chrono::milliseconds at_most, int wake_descriptor) {
    pg_conn* handle = connection_.handle();
    if (auto taken = take_notifications(handle); !taken.empty()) return taken;
    std::array<pollfd, 2> descriptors = {{{.fd = PQsocket(handle), .events = POLLIN, .revents = 0},
                                          {.fd = wake_descriptor, .events = POLLIN, .revents = 0}}};
    poll(descriptors.data(), descriptors.size(), static_cast<int>(at_most.count()));
    if (!PQconsumeInput(handle)) {
        return fail(ErrorCode::unavailable,
                    "PostgreSQL (" + connection_.place() + "): the connection that listens was lost");
    }
    return take_notifications(handle);
}

}  // namespace quarry::db
