// What a reader reads from PostgreSQL, one function per question, each with the connection it reads on:
// groups, URLs, jobs, pages, the outbox, collections, metrics, and who may ask.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/postgres/connection.h"
#include "store/reader.h"

namespace quarry::store::postgres {

// Groups, workers and schedules as they are in PostgreSQL.

Result<std::vector<Group>> read_groups(db::PgConnection& connection, const GroupFilter& filter);
Result<Group> read_group(db::PgConnection& connection, GroupId id);
Result<std::int64_t> read_position(db::PgConnection& connection, GroupId id);
Result<std::vector<std::string>> read_current_urls(db::PgConnection& connection, GroupId id, int limit);
Result<std::vector<WorkerInfo>> read_workers(db::PgConnection& connection);
Result<std::vector<Schedule>> read_schedules(db::PgConnection& connection);

// URLs of a crawl as they are in PostgreSQL.

Result<std::vector<FrontierUrl>> read_urls(db::PgConnection& connection, const UrlQuery& page);

// Jobs as they are in PostgreSQL, where several tables hold what people call a job: those that may run, wait,
// run and have ended, URLs of the frontier and changes in the outbox.

// In order of their ids. URLs are among them if they are asked for by kind, by group or by id, changes in the
// outbox if by kind or by id: a list of everything would be a list of URLs. One statement, so one snapshot,
// which may be part of a transaction of the caller's. Ages are measured by the database's clock.
Result<std::vector<Job>> read_jobs(db::PgConnection& connection, const JobQuery& page);

// By kind, collection and state. Without a kind, URLs and the outbox are counted too. Several statements: the
// caller's transaction makes them one snapshot.
Result<std::vector<StateCount>> read_job_counts(db::PgConnection& connection, const JobFilter& filter);

// Stored pages as they are in PostgreSQL.

// The pages of a group have the URL, status and time of its own visit, and its own words. Title, language and
// the like are those of the page today. They are empty if the page is gone; the details, read with the
// content, still have them.
Result<StoredPages> read_pages(db::PgConnection& connection, const PageQuery& page);

// As Reader::media.
Result<std::string> read_media(db::PgConnection& connection, ContentId version);

// As Reader::stored_bytes.
Result<std::int64_t> read_stored_bytes(db::PgConnection& connection,
                                       const std::vector<std::string>& collections);

// As Reader::page_versions.
Result<std::vector<StoredPage>> read_page_versions(db::PgConnection& connection,
                                                   std::span<const ContentId> versions);

Result<std::optional<StoredPage>> read_page(db::PgConnection& connection, std::string_view collection,
                                            const UrlKey& key);

// Sessions, timings, collections and the outbox in numbers, as they are in PostgreSQL.

Result<std::vector<Session>> read_sessions(db::PgConnection& connection, const SessionFilter& filter);
Result<std::vector<SessionDay>> read_session_days(db::PgConnection& connection, int limit);
Result<std::vector<Operation>> read_operations(db::PgConnection& connection, const OperationFilter& filter);
Result<std::vector<OperationDay>> read_operation_days(db::PgConnection& connection, int limit);
// In several short snapshots: a crawl may have a million pages.
Result<std::vector<SlowPage>> read_slowest_pages(db::PgConnection& connection, GroupId group, int limit);

Result<OutboxCounts> read_outbox_counts(db::PgConnection& connection, const std::string& collection,
                                        std::optional<GroupId> group);

Result<std::vector<Collection>> read_collections(db::PgConnection& connection);
Result<std::optional<Collection>> read_collection(db::PgConnection& connection, const std::string& name);
Result<EmbedderFacts> read_embedder(db::PgConnection& connection, const std::string& collection);

// Reading who may ask, what was asked and what it cost.

Result<std::vector<ApiKey>> read_keys(db::PgConnection& connection);
Result<std::optional<OwnerLimits>> read_limits(db::PgConnection& connection, const std::string& owner);
Result<std::vector<UsageDay>> read_usage(db::PgConnection& connection, const std::string& owner,
                                         Timestamp since);
Result<std::vector<RequestRecord>> read_requests(db::PgConnection& connection, const RequestFilter& filter);
Result<std::vector<RequestDay>> read_request_days(db::PgConnection& connection, int limit);

}  // namespace quarry::store::postgres
