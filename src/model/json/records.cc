#include "model/json/records.h"

#include <boost/json.hpp>

#include "model/ids.h"
#include "model/json/fields.h"
#include "model/json/output.h"

namespace quarry {
namespace {

namespace json = boost::json;

template <typename Visit, typename Type>
void each_timing(Visit& visit, Type& timings) {
    visit("fetch_ms", timings.fetch);
    visit("extract_ms", timings.extract);
    visit("chunk_ms", timings.chunk);
    visit("embed_ms", timings.embed);
    visit("index_ms", timings.index);
    visit("bm25_ms", timings.words);
    visit("chunks", timings.chunks);
    visit("note", timings.note);
}

template <typename Visit, typename Type>
void each_counter(Visit& visit, Type& counters) {
    visit("urls_total", counters.discovered);
    visit("urls_completed", counters.completed);
    visit("urls_failed", counters.failed);
    visit("urls_skipped", counters.skipped);
    visit("urls_queued", counters.queued);
    visit("urls_running", counters.running);
    visit("pages_unchanged", counters.unchanged);
    visit("pages_duplicate", counters.duplicates);
    visit("pages_removed", counters.removed);
    visit("urls_gone", counters.gone);
    visit("urls_not_admitted", counters.not_admitted);
    visit("bytes", counters.bytes);
    visit("pages_indexed", counters.indexed);
    visit("pages_not_indexed", counters.index_failed);
    visit("chunks", counters.chunks);
    visit("jobs_open", counters.jobs_open);
}

template <typename Visit, typename Type>
void each_field_of_group(Visit& visit, Type& group) {
    visit("number", group.id);
    visit("kind", group.kind);
    visit("status", group.state);
    visit("state", group.state);  // also where `status` waits for the index (store/index_progress.h)
    visit("url", group.name);
    visit("collection", group.collection);
    visit("owner", group.owner);
    visit("priority", group.priority);
    visit("company", group.concurrency);
    visit("page_limit", group.page_limit);
    visit("index_pages", group.index_pages);
    visit("kept_for_ms", group.kept_for);
    visit("created_at", group.created_at);
    visit("started_at", group.started_at);
    visit("completed_at", group.finished_at);
    visit.derived("progress", percent_done(group));
    each_counter(visit, group.counters);
    visit.object("timings", [&](auto& nested) { each_timing(nested, group.timings); });
    visit("roots", group.roots);
    visit("error", group.error);
    visit.json("options", group.options);
}

template <typename Visit, typename Type>
void each_field_of_job(Visit& visit, Type& job) {
    visit("number", job.id);
    visit("kind", job.kind);
    visit("status", job.state);
    visit("url", job.url);
    visit("priority", job.priority);
    visit("attempts", job.attempts);
    visit("max_attempts", job.max_attempts);
    visit("stalls", job.stalls);
    visit("progress", job.progress);
    visit("owner", job.owner);
    visit("crawl", job.group);
    visit("unique_key", job.unique_key);
    visit("last_error", job.last_error);
    visit("worker", job.worker);
    visit("created_at", job.created_at);
    visit("run_at", job.run_at);
    visit("started_at", job.started_at);
    visit("finished_at", job.finished_at);
    visit("tried_at", job.tried_at);
    visit("start_by", job.start_by);
    visit("deadline", job.deadline);
    visit.json("payload", job.payload);
    visit.json("result", job.result);
}

template <typename Visit, typename Type>
void each_field_of_url(Visit& visit, Type& url) {
    visit("number", url.id);
    visit("crawl", url.group);
    visit("url", url.url);
    visit("final_url", url.final_url);
    visit("status", url.state);
    visit("reason", url.skipped);
    visit("error", url.note);
    visit.code("error_code", url.error);
    visit("status_code", url.status);
    visit("depth", url.depth);
    visit("source", url.source);
    visit("attempts", url.attempts);
    visit("stalls", url.stalls);
    visit("run_at", url.run_at);
    visit("finished_at", url.finished_at);
    visit("content", url.content);
}

template <typename Visit, typename Type>
void each_fact(Visit& visit, Type& facts) {
    visit("url", facts.url);
    visit("final_url", facts.final_url);
    visit("status_code", facts.status);
    visit("title", facts.title);
    visit("language", facts.language);
    visit("content_type", facts.content_type);
    visit("etag", facts.etag);
    visit("last_modified", facts.last_modified);
    visit.hex("content_hash", facts.content_hash);
    visit.hex("simhash", facts.simhash);
    visit("body_bytes", facts.body_bytes);
    visit("fetched_at", facts.fetched_at);
}

template <typename Visit, typename Type>
void each_field_of_page(Visit& visit, Type& page) {
    visit("number", page.id);
    visit("version", page.content_id);
    visit.object("key", [&](auto& nested) {
        nested.hex("high", page.key.high);
        nested.hex("low", page.key.low);
    });
    visit("collection", page.collection);
    each_fact(visit, page.facts);
    visit("changed_at", page.changed_at);
    visit("near_duplicate_of", page.near_duplicate_of);
}

template <typename Visit, typename Type>
void each_field_of_content(Visit& visit, Type& content) {
    visit("markdown", content.markdown);
    visit("html", content.html);
    visit.json("details", content.details);
}

template <typename Visit, typename Type>
void each_field_of_collection(Visit& visit, Type& collection) {
    visit("name", collection.name);
    visit("pages", collection.pages);
    visit("created_at", collection.created_at);
    visit.object("embedder", [&](auto& nested) {
        nested("provider", collection.embedder.provider);
        nested("model", collection.embedder.model);
        nested("dimensions", collection.embedder.dimensions);
        nested("version", collection.embedder.version);
    });
}

template <typename Visit, typename Type>
void each_session_count(Visit& visit, Type& counts) {
    visit("total_urls", counts.total_urls);
    visit("completed_urls", counts.completed_urls);
    visit("failed_urls", counts.failed_urls);
    visit("pages_indexed", counts.pages_indexed);
    visit("pages_failed", counts.pages_failed);
    visit("chunks", counts.chunks);
    visit("fetch_ms", counts.fetch);
    visit("extract_ms", counts.extract);
    visit("chunking_ms", counts.chunking);
    visit("embedding_ms", counts.embedding);
    visit("index_ms", counts.index);
    visit("bm25_ms", counts.bm25);
    visit("duration_ms", counts.duration);
}

template <typename Visit, typename Type>
void each_field_of_session(Visit& visit, Type& session) {
    visit("number", session.id);
    visit("crawl", session.group);
    visit("job", session.job);
    visit("operation", session.operation);
    visit("base_url", session.base_url);
    visit("owner", session.owner);
    visit("started_at", session.started_at);
    visit("completed_at", session.completed_at);
    visit("success", session.success);
    visit("auto_index", session.auto_index);
    each_session_count(visit, session.counts);
    visit.json("extra", session.extra);
    visit("error", session.error);
}

template <typename Visit, typename Type>
void each_field_of_request(Visit& visit, Type& request) {
    visit("at", request.at);
    visit("method", request.method);
    visit("path", request.path);
    visit("route", request.route);
    visit("status_code", request.status);
    visit("duration_ms", request.took);
    visit("request_id", request.request_id);
    visit("client_ip", request.peer);
    visit("user_agent", request.user_agent);
    visit("owner", request.owner);
    visit.json("extra_metadata", request.extra);
}

template <typename Visit, typename Type>
void each_field_of_day(Visit& visit, Type& day) {
    visit("day", day.day);
    visit("operation", day.operation);
    visit("sessions", day.sessions);
    visit("successes", day.successes);
    each_session_count(visit, day.counts);
}

}  // namespace

json::object record_of(const Timings& timings) {
    return write_fields([&](auto& visit) { each_timing(visit, timings); });
}

Result<Timings> parse_timings(const json::value& record) {
    return read_fields<Timings>(record, "timings", [](auto& visit, Timings& to) { each_timing(visit, to); });
}

json::object record_of(const Group& group, std::uint64_t salt) {
    FieldWriter writer;
    writer.derived("crawl_id", public_id(number(group.id), group.created_at, salt));
    each_field_of_group(writer, group);
    return std::move(writer).take();
}

Result<Group> parse_group(const json::value& record) {
    return read_fields<Group>(record, "a crawl",
                              [](auto& visit, Group& to) { each_field_of_group(visit, to); });
}

json::object record_of(const Job& job, std::uint64_t salt) {
    FieldWriter writer;
    writer.derived("id", public_id(number(job.id), job.created_at, salt));
    each_field_of_job(writer, job);
    return std::move(writer).take();
}

Result<Job> parse_job(const json::value& record) {
    return read_fields<Job>(record, "a job", [](auto& visit, Job& to) { each_field_of_job(visit, to); });
}

json::object record_of(const FrontierUrl& url) {
    return write_fields([&](auto& visit) { each_field_of_url(visit, url); });
}

Result<FrontierUrl> parse_url(const json::value& record) {
    return read_fields<FrontierUrl>(record, "a URL",
                                    [](auto& visit, FrontierUrl& to) { each_field_of_url(visit, to); });
}

json::object record_of(const StoredPage& page) {
    FieldWriter writer;
    each_field_of_page(writer, page);
    if (page.content)
        writer.object("content", [&](auto& nested) { each_field_of_content(nested, *page.content); });
    return std::move(writer).take();
}

Result<StoredPage> parse_page(const json::value& record) {
    return read_fields<StoredPage>(record, "a page", [&](auto& visit, StoredPage& to) {
        each_field_of_page(visit, to);
        const json::value* content = record.get_object().if_contains("content");
        if (!content || content->is_null()) return;
        to.content.emplace();
        visit.object("content", [&](auto& nested) { each_field_of_content(nested, *to.content); });
    });
}

json::object record_of(const Collection& collection) {
    return write_fields([&](auto& visit) { each_field_of_collection(visit, collection); });
}

Result<Collection> parse_collection(const json::value& record) {
    return read_fields<Collection>(record, "a collection",
                                   [](auto& visit, Collection& to) { each_field_of_collection(visit, to); });
}

json::object record_of(const Session& session) {
    return write_fields([&](auto& visit) { each_field_of_session(visit, session); });
}

Result<Session> parse_session(const json::value& record) {
    return read_fields<Session>(record, "a session",
                                [](auto& visit, Session& to) { each_field_of_session(visit, to); });
}

json::object record_of(const Operation& operation, std::uint64_t salt) {
    FieldWriter writer;
    writer("number", operation.id);
    writer("at", operation.at);
    writer("job_id", public_id(number(operation.job), operation.job_created_at, salt));
    std::optional<std::string> crawl;
    if (operation.group && operation.group_created_at)
        crawl = public_id(number(*operation.group), *operation.group_created_at, salt);
    writer("crawl_id", crawl);
    writer("collection", operation.collection);
    writer("document_url", operation.url);
    writer("request_id", operation.request_id);
    writer("success", operation.error.empty());
    writer("error", operation.error);
    writer.object("timings", [&](auto& nested) { each_timing(nested, operation.timings); });
    return std::move(writer).take();
}

json::object record_of(const OperationDay& day) {
    FieldWriter writer;
    writer("day", day.day);
    writer("collection", day.collection);
    writer("pages", day.pages);
    writer("failed", day.failed);
    writer.object("timings", [&](auto& nested) { each_timing(nested, day.timings); });
    return std::move(writer).take();
}

json::object record_of(const SessionDay& day) {
    return write_fields([&](auto& visit) { each_field_of_day(visit, day); });
}

Result<SessionDay> parse_session_day(const json::value& record) {
    return read_fields<SessionDay>(record, "a day of sessions",
                                   [](auto& visit, SessionDay& to) { each_field_of_day(visit, to); });
}

json::object record_of(const RequestRecord& request) {
    return write_fields([&](auto& visit) { each_field_of_request(visit, request); });
}

Result<RequestRecord> parse_request_record(const json::value& record) {
    return read_fields<RequestRecord>(
        record, "a request", [](auto& visit, RequestRecord& to) { each_field_of_request(visit, to); });
}

json::object record_of(const RequestDay& day) {
    return write_fields([&](auto& visit) {
        visit("day", day.day);
        visit("route", day.route);
        visit("status_code", day.status);
        visit("requests", day.requests);
        visit("duration_ms", day.took);
    });
}

}  // namespace quarry
