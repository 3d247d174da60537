#include "app/data_source.h"

#include <algorithm>
#include <cerrno>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/owner/background.h"
#include "app/owner/methods.h"
#include "app/remote/store.h"
#include "app/services/web_access.h"
#include "base/descriptors.h"
#include "store/postgres/store.h"
#include "store/redis/store.h"
#include "store/sqlite/store.h"

namespace quarry::app {
namespace {

namespace json = boost::json;

Result<store::Durability> durability_of(const Settings& settings) {
    const std::string word = settings.text("store.durability");
    if (word == "full") return store::Durability::full;
    if (word == "normal") return store::Durability::normal;
    return fail(ErrorCode::invalid_argument,
                fmt::format("store.durability is full or normal, not \"{}\"", word));
}

store::StoreLimits limits_of(const Settings& settings) {
    return {.lease_duration = settings.duration("worker.lease"),
            .url_attempts = static_cast<int>(settings.number("crawl.attempts")),
            .change_attempts = static_cast<int>(settings.number("embedding.attempts")),
            .running_groups_per_owner = static_cast<int>(settings.number("crawl.max_active")),
            .low_disk_bytes = settings.bytes("store.low_disk")};
}

// A log that nobody works on can only be read by who may write it. What may not be entered is not empty.
Result<std::unique_ptr<store::Reader>> open_file(const DataFolder& folder, const store::StoreLimits& limits) {
    if (access(folder.path.c_str(), X_OK) != 0 && errno == EACCES)
        return fail(
            ErrorCode::unavailable,
            fmt::format("the data folder {} is closed to you. Its user can open it to a group (store.group), "
                        "or name another one with --data DIR",
                        folder.path));
    auto reader = store::open_sqlite_reader(folder.database(), limits);
    if (!reader && reader.error().code == ErrorCode::unavailable && folder.other_user())
        return std::unexpected(nobody_works_on(folder));
    if (!reader && reader.error().code == ErrorCode::not_found)
        return fail(
            ErrorCode::not_found,
            fmt::format("nothing is stored in {} yet. Begin with quarry crawl URL or quarry import FILE",
                        folder.path));
    return reader;
}

// Of a store that others share, the others tell when a worker has been silent for too long.
void note_predecessors(const DataSource& place, const std::function<void(std::string_view)>& log) {
    if (!place.store.url.empty()) return;
    const auto reader = open_reader(place);
    const auto workers = reader ? (*reader)->workers() : Result<std::vector<store::WorkerInfo>>();
    if (!workers) return;
    for (const store::WorkerInfo& worker : *workers) {
        const std::string line = line_about_dead_worker(worker.name, worker.running);
        if (log) {
            log("work: " + line);
            continue;
        }
        auto file = WorkerLog::open(place.folder.log(), place.settings.bytes("worker.log_size"));
        if (file) file->write("work: " + line);
        if (place.warn && worker.running > 0) place.warn(line);
    }
}

}  // namespace

db::PgConfig postgres_config(const DataSource& place) {
    return {.url = place.store.url, .pooled = place.settings.yes("store.pooled")};
}

std::string line_about_dead_worker(std::string_view name, std::int64_t leases) {
    return fmt::format("worker died name={} leases={}. What it had under way is taken over", name, leases);
}

Result<std::unique_ptr<store::Store>> open_store(const DataSource& place,
                                                 const std::function<void(std::string_view)>& log) {
    const Settings& settings = place.settings;
    note_predecessors(place, log);
    const store::StoreLimits limits = limits_of(settings);
    if (place.store.is_shared())
        return store::open_postgres_store(
            {.database = postgres_config(place),
             .limits = limits,
             .connections = static_cast<int>(settings.number("store.connections")),
             .views = settings.yes("store.views")});
    const store::Durability durability = TRY(durability_of(settings));
    auto embedded = TRY(store::open_sqlite_store(
        {.path = place.folder.database(), .limits = limits, .durability = durability}));
    if (place.store.kind != StoreAddress::Kind::redis) return embedded;
    return store::open_redis_store({.url = place.store.url,
                                    .prefix = settings.text("store.redis_prefix"),
                                    .limits = limits,
                                    .content = std::move(embedded),
                                    .allow_volatile = settings.yes("store.allow_volatile"),
                                    .warn = place.warn});
}

Result<std::unique_ptr<store::Reader>> open_reader(const DataSource& place) {
    if (place.remote) return remote_reader(place.remote);
    const store::StoreLimits limits = limits_of(place.settings);
    if (place.store.is_shared()) return store::open_postgres_reader(postgres_config(place), limits);
    auto embedded = TRY(open_file(place.folder, limits));
    if (place.store.kind != StoreAddress::Kind::redis) return embedded;
    return store::open_redis_reader({.url = place.store.url,
                                     .prefix = place.settings.text("store.redis_prefix"),
                                     .limits = limits,
                                     .content = std::move(embedded)});
}

std::string shown(const DataSource& place) {
    if (place.store.url.empty()) return place.folder.path;
    return place.settings.masked(place.settings.text("store.url") == "redis" ? "store.redis_url"
                                                                             : "store.url");
}

Result<Asked> ask(const DataSource& place, std::string_view method, json::object params) {
    while (true) {
        auto reached = TRY(reach_owner(place));
        if (auto* link = std::get_if<std::unique_ptr<OwnerLink>>(&reached)) {
            OwnerLink& owner = **link;
            auto answer = owner.call(method, params);
            if (!answer && !owner.was_heard() && answer.error().code == ErrorCode::not_found) continue;
            if (!answer) return std::unexpected(answer.error());
            return Asked{*std::move(answer), true};
        }
        const auto store = TRY(open_store(place));
        return Asked{TRY(perform(*store, std::string(method), params)), false};
    }
}

Result<bool> has_jobs(store::Reader& reader) {
    const std::vector<JobState> open = {JobState::queued, JobState::running};
    const auto groups = TRY(reader.groups({.states = open, .limit = 1}));
    if (!groups.empty()) return true;
    // What is left belongs to crawls that are paused, or to none.
    store::JobQuery wanted{.filter = {.states = open}, .limit = 500};
    while (true) {
        const auto jobs = TRY(reader.jobs(wanted));
        if (jobs.empty()) return false;
        if (std::ranges::any_of(jobs, [](const Job& job) { return !job.group; })) return true;
        wanted.after = jobs.back().id;
    }
}

Result<bool> has_changes(store::Reader& reader, Stalled stalled) {
    const store::OutboxCounts counts = TRY(reader.outbox_counts("", {}));
    const bool waits_for_service =
        counts.processing == 0 && counts.next_due.has_value() && !counts.last_error.empty();
    if (stalled == Stalled::no && waits_for_service) return false;
    return counts.pending + counts.processing > 0;
}

Result<bool> has_work(store::Reader& reader, Stalled stalled) {
    const auto schedules = TRY(reader.schedules());
    if (!schedules.empty()) return true;
    const bool has_pages_to_index = TRY(has_changes(reader, stalled));
    return has_pages_to_index ? Result<bool>(true) : has_jobs(reader);
}

}  // namespace quarry::app
