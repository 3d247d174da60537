// The jobs behind crawls and the index, to look at and to set right. The embedding queue is the part of them
// that waits to be indexed, in the words of those who know such queues.
#include <boost/json.hpp>

#include "api/own/query.h"
#include "api/own/routes.h"
#include "api/own/scope.h"
#include "api/reply.h"
#include "model/json_in.h"
#include "model/records.h"
#include "model/records_json.h"
#include "store/filter_json.h"
#include "store/reader_records.h"

namespace quarry::api::own {
namespace {

namespace json = boost::json;

constexpr int most_jobs = 10'000;
constexpr std::int64_t longest_age = 365ll * 24 * 3'600 * 1'000;

store::JobFilter filter_in(Query& query) {
    store::JobFilter filter{.group = query.id<GroupId>("crawl"),
                            .kind = query.text("kind"),
                            .states = query.names<JobState>("status"),
                            .collection = query.text("collection")};
    for (const std::int64_t id : query.numbers("id")) filter.ids.push_back(JobId{id});
    if (const auto age = query.integer("older_than_ms", 0, longest_age))
        filter.older_than = std::chrono::milliseconds(*age);
    return filter;
}

void change_jobs(Api& api, store::Reader& reader, const Call& call, const std::string& method,
                 store::JobFilter filter) {
    const auto own = narrowed(reader, call, std::move(filter));
    if (!own) return call.respond(reply(own.error()));
    perform_slowly(api, call, method, to_json(*own));
}

void change_jobs(Api& api, store::Reader& reader, const Call& call, const std::string& method) {
    auto filter = store::parse_job_filter(call.body);
    if (!filter) return call.respond(reply(filter.error()));
    change_jobs(api, reader, call, method, *std::move(filter));
}

void change_embedding(Api& api, store::Reader& reader, const Call& call, const std::string& method) {
    auto filter = store::parse_job_filter(call.body);
    if (!filter) return call.respond(reply(filter.error()));
    filter->kind = "embed_page";
    if (filter->states.empty() && method == "retry_jobs") filter->states = {JobState::failed};
    if (filter->states.empty()) filter->states = {JobState::completed};
    change_jobs(api, reader, call, method, *std::move(filter));
}

Result<json::value> read_counts(store::Reader& reader, const Call& call, const store::JobFilter& filter) {
    json::array records;
    for (store::StateCount& count : TRY(reader.job_counts(filter)))
        records.push_back(record_of(shown(call, std::move(count))));
    return json::object{{"success", true}, {"counts", std::move(records)}};
}

}  // namespace

void list_jobs(Api&, store::Reader& reader, Call call) {
    Query query(call.request());
    store::JobPage wanted{.filter = filter_in(query),
                          .after = query.id<JobId>("after"),
                          .limit = query.limit(100, most_jobs),
                          .with_payload = query.flag("payload")};
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    auto filter = narrowed(reader, call, std::move(wanted.filter));
    if (!filter) return call.respond(reply(filter.error()));
    wanted.filter = *std::move(filter);
    const auto jobs = reader.jobs(wanted);
    if (!jobs) return call.respond(reply(jobs.error()));
    json::array records;
    for (const Job& job : *jobs) records.push_back(record_of(job, reader.salt()));
    call.respond(reply(json::object{{"success", true}, {"jobs", std::move(records)}}));
}

void show_job(Api&, store::Reader& reader, Call call) {
    const auto job = find_job(reader, call, call.values.at(0));
    call.respond(job ? reply(record_of(*job, reader.salt())) : reply(job.error()));
}

void count_jobs(Api&, store::Reader& reader, Call call) {
    Query query(call.request());
    auto filter = filter_in(query);
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    const auto own = narrowed(reader, call, std::move(filter));
    if (!own) return call.respond(reply(own.error()));
    answer(call, read_counts(reader, call, *own));
}

void retry_jobs(Api& api, store::Reader& reader, Call call) {
    change_jobs(api, reader, call, "retry_jobs");
}

void cancel_jobs(Api& api, store::Reader& reader, Call call) {
    change_jobs(api, reader, call, "cancel_jobs");
}

void pause_jobs(Api& api, store::Reader& reader, Call call) {
    change_jobs(api, reader, call, "pause_jobs");
}

void resume_jobs(Api& api, store::Reader& reader, Call call) {
    change_jobs(api, reader, call, "resume_jobs");
}

void clear_jobs(Api& api, store::Reader& reader, Call call) {
    change_jobs(api, reader, call, "clear_jobs");
}

// The server's workers are at it already: what waits after an error, or failed, is due now.
void process_queue(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    Fields fields(call.body, issues);
    const auto collection = fields.text("collection");
    if (!issues.empty()) return call.respond(reply(issues));
    change_jobs(api, reader, call, "retry_jobs",
                {.kind = "embed_page",
                 .states = {JobState::queued, JobState::failed},
                 .collection = collection.value_or("")});
}

void show_embedding_queue(Api& api, store::Reader& reader, Call call) {
    Query query(call.request());
    const auto wanted = query.id<GroupId>("crawl");
    const std::string collection = query.text("collection");
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    if (wanted)
        if (const auto group = find_crawl(reader, call, std::to_string(number(*wanted))); !group)
            return call.respond(reply(group.error()));
    const auto counts = own_outbox(reader, call, collection, wanted);
    if (!counts) return call.respond(reply(counts.error()));
    const auto indexing = api.services().perform("indexing", {});
    const auto is_busy = indexing ? answered_flag(*indexing, "is_busy") : std::unexpected(indexing.error());
    if (!is_busy) return call.respond(reply(is_busy.error()));
    json::object record = record_of(*counts);
    record["total"] = counts->pending + counts->processing + counts->completed + counts->failed;
    record["is_busy"] = *is_busy;
    call.respond(reply(record));
}

void list_embedding_jobs(Api&, store::Reader& reader, Call call) {
    Query query(call.request());
    store::JobPage wanted{
        .filter = filter_in(query), .after = query.id<JobId>("after"), .limit = query.limit(20, most_jobs)};
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    auto filter = narrowed(reader, call, std::move(wanted.filter));
    if (!filter) return call.respond(reply(filter.error()));
    wanted.filter = *std::move(filter);
    wanted.filter.kind = "embed_page";
    const auto jobs = reader.jobs(wanted);
    if (!jobs) return call.respond(reply(jobs.error()));
    json::array records;
    for (const Job& job : *jobs) {
        const auto group = job.group ? reader.group(*job.group) : std::unexpected(Error{});
        records.push_back(
            to_json(job, reader.salt(), group ? std::optional(group->created_at) : std::nullopt));
    }
    call.respond(reply(json::object{{"success", true}, {"jobs", std::move(records)}}));
}

void retry_embedding_jobs(Api& api, store::Reader& reader, Call call) {
    change_embedding(api, reader, call, "retry_jobs");
}

void clear_embedding_jobs(Api& api, store::Reader& reader, Call call) {
    change_embedding(api, reader, call, "clear_jobs");
}

}  // namespace quarry::api::own
