#include "store/redis/link.h"

#include <array>
#include <cassert>
#include <map>
#include <span>

#include <fmt/format.h>

#include "base/embedded_file.h"
#include "store/redis/encoding.h"

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

std::span<const EmbeddedFile> lua_files();

namespace {

constexpr int most_connections = 16;

// What all scripts have in common, in the order in which one uses the other.
constexpr std::string_view library[] = {"keys.lua",      "records.lua",   "jobs.lua",  "frontier.lua",
                                        "groups.lua",    "leases.lua",    "due.lua",   "limits.lua",
                                        "schedules.lua", "finishing.lua", "select.lua"};

std::string_view file(std::string_view name) {
    for (const EmbeddedFile& entry : lua_files()) {
        if (entry.path == name) return entry.content;
    }
    return {};
}

std::string text_of(std::string_view script) {
    std::string text;
    for (const std::string_view part : library) text += file(part);
    return text.append(file(script));
}

// Scripts answer {now, wakes, events, admitted, 0 or the error's number + 1, result or sentence}.
Result<ScriptAnswer> read(db::RedisAnswer answer) {
    if (const std::int64_t code = answer[4].integer(); code != 0)
        return fail(static_cast<ErrorCode>(code - 1), answer[5].string());
    ScriptAnswer read{.answer = std::move(answer)};
    read.wakes = read.answer[1].is_true();
    for (std::size_t index = 0; index < read.answer[2].size(); ++index)
        read.events.push_back(event_of(read.answer[2][index]));
    for (std::size_t index = 0; index < read.answer[3].size(); ++index) {
        const db::RedisValue entry = read.answer[3][index];
        read.admitted.emplace_back(GroupId(entry[0].integer()), key_of_bytes(entry[1].text()));
    }
    return read;
}

}  // namespace

struct RedisLink::Scripts {
    std::map<std::string, db::RedisScript, std::less<>> all;

    Scripts() {
        for (const EmbeddedFile& entry : lua_files()) {
            const std::string_view name = entry.path.substr(0, entry.path.size() - 4);
            all.try_emplace(std::string(name), text_of(entry.path));
        }
    }
};

RedisLink::RedisLink(LinkConfig config)
    : config_(std::move(config)),
      pool_({.url = config_.url}, most_connections),
      scripts_(std::make_unique<Scripts>()) {
    Message limits;
    add_limits(limits, config_.limits);
    limits_ = limits.bytes();
}

RedisLink::~RedisLink() = default;

Result<ScriptAnswer> RedisLink::call(std::string_view script, const Message& message, bool* was_lost) {
    const auto found = scripts_->all.find(script);
    assert(found != scripts_->all.end() && "no such script is embedded");
    std::string time;
    if (config_.clock) time = std::to_string(config_.clock->now().time_since_epoch().count());
    const std::array<std::string_view, 4> arguments = {config_.prefix, time, limits_, message.bytes()};
    auto connection = TRY(pool_.borrow());
    auto answer = found->second.run(*connection, arguments);
    if (was_lost) *was_lost = !connection->is_open();
    if (!answer) return std::unexpected(answer.error());
    set_clock((*answer)[0].integer());
    return read(*std::move(answer));
}

void RedisLink::set_clock(std::int64_t server_now) {
    ahead_ = server_now - wall_clock_.now().time_since_epoch().count();
}

Timestamp RedisLink::now() const {
    if (config_.clock) return config_.clock->now();
    const std::int64_t estimate = wall_clock_.now().time_since_epoch().count() + ahead_;
    std::int64_t latest = latest_;
    while (latest < estimate && !latest_.compare_exchange_weak(latest, estimate)) {
    }
    return Timestamp(std::chrono::milliseconds(std::max(latest, estimate)));
}

}  // namespace quarry::store::redis
