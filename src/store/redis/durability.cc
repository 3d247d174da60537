#include "store/redis/durability.h"

#include <fmt/format.h>

namespace quarry::store::redis {

namespace {

Result<std::string> setting(db::RedisConnection& connection, std::string_view name) {
    return TRY(connection.run({"CONFIG", "GET", name}))[1].string();
}

}  // namespace

Result<std::vector<std::string>> check_durability(db::RedisConnection& connection, bool allow_volatile) {
    const auto policy = setting(connection, "maxmemory-policy");
    if (!policy && !connection.is_open()) return std::unexpected(policy.error());
    if (!policy) {
        return std::vector{
            fmt::format("{} does not tell its settings: make sure that maxmemory-policy is noeviction "
                        "and appendfsync is always, or acknowledged work may be lost",
                        connection.place())};
    }
    if (*policy != "noeviction") {
        return fail(ErrorCode::refused,
                    fmt::format("{} may evict jobs when memory is short (maxmemory-policy is {}): set "
                                "maxmemory-policy noeviction",
                                connection.place(), *policy));
    }
    const bool is_kept = TRY(setting(connection, "appendonly")) == "yes";
    if (!is_kept && !allow_volatile) {
        return fail(
            ErrorCode::refused,
            fmt::format(
                "{} keeps no log of its changes, so a restart would lose jobs: set appendonly yes and "
                "appendfsync always, or allow a volatile store",
                connection.place()));
    }
    if (!is_kept)
        return std::vector{connection.place() + " keeps no log of its changes: a restart loses jobs"};
    const std::string fsync = TRY(setting(connection, "appendfsync"));
    if (fsync == "always") return std::vector<std::string>();
    return std::vector{
        fmt::format("{} writes its log to disk {} (appendfsync {}): a power cut may lose {} of "
                    "acknowledged work; appendfsync always loses none",
                    connection.place(), fsync == "everysec" ? "every second" : "now and then", fsync,
                    fsync == "everysec" ? "up to a second" : "half a minute")};
}

}  // namespace quarry::store::redis
