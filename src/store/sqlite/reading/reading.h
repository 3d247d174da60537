// What a reader reads from quarry.db, one function per question, each with the connection it reads on:
// groups, URLs, jobs, pages, the outbox, collections, metrics, and who may ask.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "store/reader.h"

namespace quarry::store {

// Groups, workers and schedules as they are in quarry.db.

Result<std::vector<Group>> read_groups(db::Connection& connection, const GroupFilter& filter);
Result<Group> read_group(db::Connection& connection, GroupId id);
Result<std::int64_t> read_position(db::Connection& connection, GroupId id);
Result<std::vector<std::string>> read_current_urls(db::Connection& connection, GroupId id, int limit);
Result<std::vector<WorkerInfo>> read_workers(db::Connection& connection);
Result<std::vector<Schedule>> read_schedules(db::Connection& connection);

// URLs of a crawl as they are in quarry.db.

Result<std::vector<FrontierUrl>> read_urls(db::Connection& connection, const UrlQuery& page);

// Jobs as they are in quarry.db, where four tables hold what people call a job: open ones, ended ones, URLs
// of the frontier and changes in the outbox.

// In order of their ids. URLs are among them if they are asked for by kind, by group or by id, changes in the
// outbox if by kind or by id: a list of everything would be a list of URLs. `now` is what ages are measured
// from.
Result<std::vector<Job>> read_jobs(db::Connection& connection, const JobQuery& page, Timestamp now);

// By kind, collection and state. Without a kind, URLs and the outbox are counted too.
Result<std::vector<StateCount>> read_job_counts(db::Connection& connection, const JobFilter& filter,
                                                Timestamp now);

// Stored pages as they are in quarry.db.

// The pages of a group have the URL, status and time of its own visit, and its own words. Title, language and
// the like are those of the page today: a list does not open the words. They are empty if the page is gone;
// the details, read with the content, still have them.
Result<StoredPages> read_pages(db::Connection& connection, const PageQuery& page);

// As Reader::media.
Result<std::string> read_media(db::Connection& connection, ContentId version);

// As Reader::stored_bytes.
Result<std::int64_t> read_stored_bytes(db::Connection& connection,
                                       const std::vector<std::string>& collections);

// As Reader::page_versions.
Result<std::vector<StoredPage>> read_page_versions(db::Connection& connection,
                                                   std::span<const ContentId> versions);

Result<std::optional<StoredPage>> read_page(db::Connection& connection, std::string_view collection,
                                            const UrlKey& key);

// The outbox in numbers, as it is in quarry.db.

Result<OutboxCounts> read_outbox_counts(db::Connection& connection, const std::string& collection,
                                        std::optional<GroupId> group);

// Collections as they are in quarry.db.

Result<std::vector<Collection>> read_collections(db::Connection& connection);
Result<std::optional<Collection>> read_collection(db::Connection& connection, const std::string& name);
Result<EmbedderFacts> read_embedder(db::Connection& connection, const std::string& collection);

// Sessions and timings as they are in quarry.db.

Result<std::vector<Session>> read_sessions(db::Connection& connection, const SessionFilter& filter);
Result<std::vector<SessionDay>> read_session_days(db::Connection& connection, int limit);
Result<std::vector<Operation>> read_operations(db::Connection& connection, const OperationFilter& filter);
Result<std::vector<OperationDay>> read_operation_days(db::Connection& connection, int limit);
// In several short snapshots: a crawl may have a million pages.
Result<std::vector<SlowPage>> read_slowest_pages(db::Connection& connection, GroupId group, int limit);

// Reading who may ask, what was asked and what it cost.

Result<std::vector<ApiKey>> read_keys(db::Connection& connection);
Result<std::optional<OwnerLimits>> read_limits(db::Connection& connection, const std::string& owner);
Result<std::vector<UsageDay>> read_usage(db::Connection& connection, const std::string& owner,
                                         Timestamp since);
Result<std::vector<RequestRecord>> read_requests(db::Connection& connection, const RequestFilter& filter);
Result<std::vector<RequestDay>> read_request_days(db::Connection& connection, int limit);

}  // namespace quarry::store
