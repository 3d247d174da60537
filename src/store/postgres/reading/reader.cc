#include <optional>
#include <utility>

#include <fmt/format.h>

#include "store/postgres/reading/reading.h"
#include "store/postgres/schema/schema.h"
#include "store/postgres/store.h"
#include "store/rows/work.h"

namespace quarry::store {

namespace {

using namespace postgres;

constexpr const char* one_moment = "set transaction isolation level repeatable read, read only";

class PostgresReader : public Reader {
public:
    PostgresReader(db::PgConfig config, db::PgConnection connection, std::uint64_t salt,
                   const StoreLimits& limits)
        : config_(std::move(config)), connection_(std::move(connection)), salt_(salt), limits_(limits) {}

    Result<Group> group(GroupId id) override { return reading(read_group, id); }
    Result<std::vector<Group>> groups(const GroupFilter& filter) override {
        return reading(read_groups, filter);
    }
    Result<std::int64_t> position(GroupId id) override { return reading(read_position, id); }
    Result<std::vector<std::string>> current_urls(GroupId id, int limit) override {
        return reading(read_current_urls, id, limit);
    }

    Result<Job> job(JobId id) override {
        auto found = TRY(jobs({.filter = {.ids = {id}}, .limit = 1, .with_payload = true}));
        if (found.empty()) return fail(ErrorCode::not_found, "no such job");
        return std::move(found.front());
    }
    Result<std::vector<Job>> jobs(const JobQuery& page) override {
        auto jobs = TRY(reading(read_jobs, page));
        say_attempts(jobs, limits_);
        return jobs;
    }
    Result<std::vector<StateCount>> job_counts(const JobFilter& filter) override {
        return in_snapshot(read_job_counts, filter);
    }
    Result<std::vector<FrontierUrl>> urls(const UrlQuery& page) override { return reading(read_urls, page); }

    Result<StoredPages> pages(const PageQuery& page) override { return reading(read_pages, page); }
    Result<std::optional<StoredPage>> page(std::string_view collection, const UrlKey& key) override {
        return reading(read_page, collection, key);
    }
    Result<std::vector<StoredPage>> page_versions(std::span<const ContentId> versions) override {
        return reading(read_page_versions, versions);
    }
    Result<std::string> media(ContentId version) override { return reading(read_media, version); }
    Result<std::int64_t> stored_bytes(const std::vector<std::string>& collections) override {
        return reading(read_stored_bytes, collections);
    }
    Result<OutboxCounts> outbox_counts(const std::string& collection, std::optional<GroupId> group) override {
        return in_snapshot(read_outbox_counts, collection, group);
    }
    Result<std::vector<Collection>> collections() override { return in_snapshot(read_collections); }
    Result<std::optional<Collection>> collection(const std::string& name) override {
        return in_snapshot(read_collection, name);
    }
    Result<EmbedderFacts> embedder(const std::string& collection) override {
        return reading(read_embedder, collection);
    }
    Result<std::vector<Session>> sessions(const SessionFilter& filter) override {
        return in_snapshot(read_sessions, filter);
    }
    Result<std::vector<SessionDay>> session_days(int limit) override {
        return reading(read_session_days, limit);
    }
    Result<std::vector<Operation>> operations(const OperationFilter& filter) override {
        return reading(read_operations, filter);
    }
    Result<std::vector<OperationDay>> operation_days(int limit) override {
        return reading(read_operation_days, limit);
    }
    Result<Timings> timings(GroupId id) override { return TRY(group(id)).timings; }
    Result<std::vector<SlowPage>> slowest_pages(GroupId id, int limit) override {
        return reading(read_slowest_pages, id, limit);
    }

    Result<std::vector<ApiKey>> keys() override { return reading(read_keys); }
    Result<std::optional<OwnerLimits>> limits(const std::string& owner) override {
        return reading(read_limits, owner);
    }
    Result<std::vector<UsageDay>> usage(const std::string& owner, Timestamp since) override {
        return reading(read_usage, owner, since);
    }
    Result<std::vector<RequestRecord>> requests(const RequestFilter& filter) override {
        return reading(read_requests, filter);
    }
    Result<std::vector<RequestDay>> request_days(int limit) override {
        return reading(read_request_days, limit);
    }

    Result<std::vector<WorkerInfo>> workers() override { return reading(read_workers); }
    Result<std::vector<Schedule>> schedules() override { return reading(read_schedules); }
    std::uint64_t salt() const override { return salt_; }

private:
    // A connection may have been cut while nobody used it, so what was not read is read again, once.
    template <typename Read, typename... Arguments>
    auto reading(Read read, const Arguments&... arguments)
        -> decltype(read(std::declval<db::PgConnection&>(), arguments...)) {
        if (connection_.is_open()) {
            auto result = read(connection_, arguments...);
            if (result || connection_.failure() != db::PgFailure::lost) return result;
        }
        connection_ = TRY(db::PgConnection::open(config_));
        return read(connection_, arguments...);
    }

    // What several statements read is of one moment.
    template <typename Read, typename... Arguments>
    auto in_snapshot(Read read, const Arguments&... arguments)
        -> decltype(read(std::declval<db::PgConnection&>(), arguments...)) {
        using Answer = decltype(read(std::declval<db::PgConnection&>(), arguments...));
        return reading([&](db::PgConnection& connection) -> Answer {
            db::PgTransaction transaction = TRY(db::PgTransaction::begin(connection, one_moment));
            auto result = read(connection, arguments...);
            if (result) TRY(transaction.commit());
            return result;
        });
    }

    const db::PgConfig config_;
    db::PgConnection connection_;
    std::uint64_t salt_;
    const StoreLimits limits_;
};

Result<std::uint64_t> check(db::PgConnection& connection) {
    const std::int64_t version = TRY(version_of(connection));
    if (version == 0)
        return fail(ErrorCode::not_found,
                    fmt::format("the {} has no tables of quarry yet", connection.place()));
    if (version < schema_version) {
        return fail(ErrorCode::unsupported,
                    fmt::format("the {} has version {} of quarry's tables: start a worker once, which brings "
                                "it to {}",
                                connection.place(), version, schema_version));
    }
    TRY(check_complete(connection));
    const auto salt = TRY(connection.query("select value from quarry.meta where name = 'salt'"));
    return salt.empty() ? 0 : static_cast<std::uint64_t>(salt.integer(0, 0));
}

}  // namespace

Result<std::unique_ptr<Reader>> open_postgres_reader(const db::PgConfig& config, const StoreLimits& limits) {
    db::PgConnection connection = TRY(db::PgConnection::open(config));
    const std::uint64_t salt = TRY(check(connection));
    return std::make_unique<PostgresReader>(config, std::move(connection), salt, limits);
}

}  // namespace quarry::store
