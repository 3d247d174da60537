// The Reader on a read-only connection. Each call is one statement, or several in one read transaction.
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "db/sqlite.h"
#include "store/rows/work.h"
#include "store/sqlite/reading/reading.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/store.h"

namespace quarry::store {

namespace {

Timestamp wall_clock() {
    return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

class SqliteReader : public Reader {
public:
    SqliteReader(db::Connection connection, std::uint64_t salt, const StoreLimits& limits)
        : connection_(std::move(connection)), salt_(salt), limits_(limits) {}

    Result<Group> group(GroupId id) override { return read_group(connection_, id); }
    Result<std::vector<Group>> groups(const GroupFilter& filter) override {
        return read_groups(connection_, filter);
    }
    Result<std::int64_t> position(GroupId id) override { return read_position(connection_, id); }
    Result<std::vector<std::string>> current_urls(GroupId id, int limit) override {
        return read_current_urls(connection_, id, limit);
    }

    Result<Job> job(JobId id) override {
        auto found = TRY(jobs({.filter = {.ids = {id}}, .limit = 1, .with_payload = true}));
        if (found.empty()) return fail(ErrorCode::not_found, "no such job");
        return std::move(found.front());
    }
    Result<std::vector<Job>> jobs(const JobQuery& page) override {
        auto jobs = TRY(in_snapshot([&] { return read_jobs(connection_, page, wall_clock()); }));
        say_attempts(jobs, limits_);
        return jobs;
    }
    Result<std::vector<StateCount>> job_counts(const JobFilter& filter) override {
        return in_snapshot([&] { return read_job_counts(connection_, filter, wall_clock()); });
    }
    Result<std::vector<FrontierUrl>> urls(const UrlQuery& page) override {
        return read_urls(connection_, page);
    }

    Result<StoredPages> pages(const PageQuery& page) override { return read_pages(connection_, page); }
    Result<std::optional<StoredPage>> page(std::string_view collection, const UrlKey& key) override {
        return read_page(connection_, collection, key);
    }

    Result<std::vector<StoredPage>> page_versions(std::span<const ContentId> versions) override {
        return read_page_versions(connection_, versions);
    }
    Result<std::string> media(ContentId version) override { return read_media(connection_, version); }
    Result<std::int64_t> stored_bytes(const std::vector<std::string>& collections) override {
        return read_stored_bytes(connection_, collections);
    }
    Result<OutboxCounts> outbox_counts(const std::string& collection, std::optional<GroupId> group) override {
        return in_snapshot([&] { return read_outbox_counts(connection_, collection, group); });
    }
    Result<std::vector<Collection>> collections() override {
        return in_snapshot([&] { return read_collections(connection_); });
    }
    Result<std::optional<Collection>> collection(const std::string& name) override {
        return in_snapshot([&] { return read_collection(connection_, name); });
    }
    Result<EmbedderFacts> embedder(const std::string& collection) override {
        return in_snapshot([&] { return read_embedder(connection_, collection); });
    }
    Result<std::vector<Session>> sessions(const SessionFilter& filter) override {
        return in_snapshot([&] { return read_sessions(connection_, filter); });
    }
    Result<std::vector<SessionDay>> session_days(int limit) override {
        return read_session_days(connection_, limit);
    }
    Result<std::vector<Operation>> operations(const OperationFilter& filter) override {
        return read_operations(connection_, filter);
    }
    Result<std::vector<OperationDay>> operation_days(int limit) override {
        return read_operation_days(connection_, limit);
    }
    Result<Timings> timings(GroupId id) override { return TRY(read_group(connection_, id)).timings; }
    Result<std::vector<SlowPage>> slowest_pages(GroupId id, int limit) override {
        return read_slowest_pages(connection_, id, limit);
    }

    Result<std::vector<ApiKey>> keys() override { return read_keys(connection_); }
    Result<std::optional<OwnerLimits>> limits(const std::string& owner) override {
        return read_limits(connection_, owner);
    }
    Result<std::vector<UsageDay>> usage(const std::string& owner, Timestamp since) override {
        return read_usage(connection_, owner, since);
    }
    Result<std::vector<RequestRecord>> requests(const RequestFilter& filter) override {
        return read_requests(connection_, filter);
    }
    Result<std::vector<RequestDay>> request_days(int limit) override {
        return read_request_days(connection_, limit);
    }

    Result<std::vector<WorkerInfo>> workers() override { return read_workers(connection_); }
    Result<std::vector<Schedule>> schedules() override { return read_schedules(connection_); }
    std::uint64_t salt() const override { return salt_; }

private:
    // What several statements read is of one moment.
    template <typename Read>
    auto in_snapshot(Read read) -> decltype(read()) {
        TRY(connection_.execute("BEGIN"));
        auto result = read();
        TRY(connection_.execute("COMMIT"));
        return result;
    }

    db::Connection connection_;
    std::uint64_t salt_;
    const StoreLimits limits_;
};

Result<std::uint64_t> check(db::Connection& connection, const std::string& path) {
    const std::int64_t version = TRY(version_of(connection));
    if (version == 0) return fail(ErrorCode::not_found, fmt::format("{}: no database yet", path));
    if (version < schema_version) {
        return fail(ErrorCode::unsupported,
                    fmt::format("the database has version {}: start a worker once, which brings it to {}",
                                version, schema_version));
    }
    TRY(check_complete(connection));
    const auto salt = TRY(connection.integer("SELECT value FROM meta WHERE name = 'salt'"));
    return static_cast<std::uint64_t>(salt.value_or(0));
}

}  // namespace

Result<std::unique_ptr<Reader>> open_sqlite_reader(const std::string& path, const StoreLimits& limits) {
    db::Connection connection = TRY(db::Connection::open(path, db::Access::read_only));
    TRY(connection.execute("PRAGMA cache_size = -512"));  // there are many of them, and the system caches too
    const auto salt = check(connection, path);
    if (!salt) {
        return fail(salt.error().code, fmt::format("cannot read {}: {}", path, salt.error().message));
    }
    return std::make_unique<SqliteReader>(std::move(connection), *salt, limits);
}

}  // namespace quarry::store
