// The routes that show and mend the jobs behind crawls and the index. The embedding queue is the part of them
// that waits to be indexed, in the terms that are usual for such queues.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/own/query.h"
#include "api/own/routes.h"
#include "api/own/scope.h"
#include "api/server/message.h"
#include "base/threads.h"
#include "model/json/fields.h"
#include "model/json/output.h"
#include "model/json/records.h"
#include "store/change_batch.h"
#include "store/records.h"

namespace quarry::api::own {
namespace {

namespace json = boost::json;

constexpr int most_jobs = 10'000;
constexpr std::int64_t longest_age = 365ll * 24 * 3'600 * 1'000;

store::JobFilter filter_in(Query& query) {
    store::JobFilter filter{.group = query.id<GroupId>("crawl"),
                            .kind = query.text("kind"),
                            .states = query.job_states("status"),
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

constexpr int most_in_batch = 1'000;
constexpr std::chrono::seconds batch_patience{60};

std::int64_t read_batch(Fields& fields) {
    constexpr int standard = 10;
    const auto batch = fields.integer("batch", 1, most_in_batch);
    const auto batch_size = fields.integer("batchSize", 1, most_in_batch);
    if (batch && batch_size) fields.reject("batchSize", "is the same as batch: say one of them");
    return batch.value_or(batch_size.value_or(standard));
}

void refuse_others(Fields& fields, const json::object& body, std::initializer_list<std::string_view> known) {
    for (const auto& member : body)
        if (const std::string_view name = member.key(); std::ranges::find(known, name) == known.end())
            fields.reject(name, fmt::format("is not known here. There are: {}", fmt::join(known, ", ")));
}

Result<store::BatchProgress> process(Api& api, store::Reader& reader, const json::object& params) {
    using std::chrono::steady_clock;
    const auto chosen = api.services().perform("process_changes", params);
    if (!chosen && chosen.error().code == ErrorCode::unsupported)
        return fail(ErrorCode::unavailable,
                    "no worker runs that could embed pages. Start one: quarry worker");
    if (!chosen) return std::unexpected(chosen.error());
    const store::ChangeBatch batch = TRY(store::parse_change_batch(*chosen));
    const auto until = steady_clock::now() + batch_patience;
    while (true) {
        store::BatchProgress progress = TRY(store::progress_of(reader, batch));
        if (progress.left == 0 || steady_clock::now() >= until) return progress;
        if (!pause_for(std::chrono::milliseconds(50), api.stopping())) return progress;
    }
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
    store::JobQuery wanted{.filter = filter_in(query),
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

// Chooses a batch, has the process that works on the index do it, and answers when the batch is done. What is
// not done in time goes on.
void process_queue(Api& api, store::Reader&, Call call) {
    std::vector<Issue> issues;
    Fields fields(call.body, issues);
    const auto batch = read_batch(fields);
    const auto collection = fields.text("collection");
    const auto provider = fields.text("provider");
    refuse_others(fields, call.body, {"batch", "batchSize", "collection", "provider"});
    if (!issues.empty()) return call.respond(reply(issues));
    // A collection belongs to its owner, even if no crawl brought its pages.
    json::object params{{"batch", batch}};
    if (collection && !collection->empty())
        params["collection"] = call.collection(*collection);
    else
        params["owner"] = call.owner;
    if (provider) params["provider"] = *provider;
    api.post_outside(call, [&api, call, params = std::move(params)](store::Reader& reader) {
        const auto progress = process(api, reader, params);
        if (!progress) return call.respond(reply(progress.error()));
        json::object record{{"success", true}};
        for (auto& [name, value] : record_of(*progress)) record[name] = std::move(value);
        call.respond(reply(record));
    });
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
    store::JobQuery wanted{
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
