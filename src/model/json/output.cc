#include "model/json/output.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "model/ids.h"

namespace quarry {
namespace {

namespace json = boost::json;

json::value text_or_null(const std::string& text) {
    return text.empty() ? json::value(nullptr) : json::value(text);
}

json::value time_or_null(std::optional<Timestamp> time) {
    return time ? json::value(iso_time(*time)) : json::value(nullptr);
}

// The outbox is an embedding queue, and those who read embedding queues know these words.
std::string_view embedding_state(JobState state) {
    switch (state) {
        case JobState::queued: return "pending";
        case JobState::running: return "processing";
        default: return name_of(state);
    }
}

std::string_view status_of(const Job& job) {
    return job.kind == "embed_page" ? embedding_state(job.state) : name_of(job.state);
}

// Members of `details` that the record does not state itself. Details are JSON that quarry wrote; a text that
// does not parse adds nothing.
void add_details(json::object& record, const std::string& details) {
    boost::system::error_code error;
    const json::value parsed = json::parse(details, error);
    if (error || !parsed.is_object()) return;
    for (const auto& [name, value] : parsed.get_object()) record.insert({{name, value}});
}

}  // namespace

int percent_done(const Group& group) {
    if (group.state == JobState::completed) return 100;
    const GroupCounters& counters = group.counters;
    const std::int64_t done = counters.completed + counters.failed + counters.skipped;
    const std::int64_t total = std::max<std::int64_t>(counters.discovered, 1);
    return static_cast<int>(std::min<std::int64_t>(99, done * 100 / total));
}

json::object to_json(const Timings& timings) {
    const auto in_ms = [](std::chrono::microseconds time) {
        return static_cast<double>(time.count()) / 1'000;
    };
    return {{"fetch_ms", in_ms(timings.fetch)}, {"extract_ms", in_ms(timings.extract)},
            {"chunk_ms", in_ms(timings.chunk)}, {"embed_ms", in_ms(timings.embed)},
            {"index_ms", in_ms(timings.index)}, {"bm25_ms", in_ms(timings.words)}};
}

json::object to_json(const Group& group, std::uint64_t salt) {
    const GroupCounters& counters = group.counters;
    return {{"crawl_id", public_id(number(group.id), group.created_at, salt)},
            {"status", name_of(group.state)},
            {"url", group.name},
            {"collection", group.collection},
            {"priority", group.priority},
            {"created_at", iso_time(group.created_at)},
            {"started_at", time_or_null(group.started_at)},
            {"completed_at", time_or_null(group.finished_at)},
            {"progress", percent_done(group)},
            {"urls_total", counters.discovered},
            {"urls_completed", counters.completed},
            {"urls_failed", counters.failed},
            {"urls_skipped", counters.skipped},
            {"urls_queued", counters.queued},
            {"urls_running", counters.running},
            {"pages_unchanged", counters.unchanged},
            {"pages_duplicate", counters.duplicates},
            {"pages_removed", counters.removed},
            {"urls_gone", counters.gone},
            {"urls_not_admitted", counters.not_admitted},
            {"bytes", counters.bytes},
            {"pages_indexed", counters.indexed},
            {"pages_not_indexed", counters.index_failed},
            {"chunks", counters.chunks},
            {"timings", to_json(group.timings)},
            {"error", text_or_null(group.error)}};
}

json::object to_json(const Job& job, std::uint64_t salt, std::optional<Timestamp> group_created_at) {
    const Timestamp updated = std::max(
        {job.created_at, job.started_at.value_or(job.created_at), job.tried_at.value_or(job.created_at),
         job.finished_at.value_or(job.created_at)});
    json::value group = nullptr;
    if (job.group && group_created_at) group = public_id(number(*job.group), *group_created_at, salt);
    return {{"id", public_id(number(job.id), job.created_at, salt)},
            {"jobId", std::move(group)},
            {"url", text_or_null(job.url)},
            {"status", status_of(job)},
            {"retries", job.attempts},
            {"maxRetries", job.max_attempts},
            {"lastError", text_or_null(job.last_error)},
            {"createdAt", iso_time(job.created_at)},
            {"updatedAt", iso_time(updated)},
            {"kind", job.kind},
            {"priority", job.priority},
            {"stalls", job.stalls},
            {"progress", job.progress},
            {"owner", job.owner},
            {"runAt", time_or_null(job.run_at)},
            {"startedAt", time_or_null(job.started_at)},
            {"finishedAt", time_or_null(job.finished_at)}};
}

json::object to_json(const FrontierUrl& url) {
    const bool skipped = url.state == UrlState::skipped;
    return {{"url", url.url},
            {"finalUrl", text_or_null(url.final_url)},
            {"status", name_of(url.state)},
            {"reason", skipped ? json::value(name_of(url.skipped)) : json::value(nullptr)},
            {"error", text_or_null(url.note)},
            {"statusCode", url.status == 0 ? json::value(nullptr) : json::value(url.status)},
            {"depth", url.depth},
            {"source", name_of(url.source)},
            {"attempts", url.attempts},
            {"finishedAt", time_or_null(url.finished_at)}};
}

json::object to_json(const StoredPage& page) {
    const PageFacts& facts = page.facts;
    json::object record{{"url", facts.url},
                        {"finalUrl", facts.final_url.empty() ? facts.url : facts.final_url},
                        {"statusCode", facts.status},
                        {"title", facts.title},
                        {"language", text_or_null(facts.language)},
                        {"contentType", facts.content_type},
                        {"fetchedAt", iso_time(facts.fetched_at)},
                        {"changedAt", iso_time(page.changed_at)},
                        {"collection", page.collection},
                        {"etag", text_or_null(facts.etag)},
                        {"lastModified", text_or_null(facts.last_modified)},
                        {"contentHash", fmt::format("{:016x}", facts.content_hash)},
                        {"bodyBytes", facts.body_bytes},
                        {"nearDuplicateOf", text_or_null(page.near_duplicate_of)}};
    if (!page.content) return record;
    record["markdown"] = page.content->markdown;
    if (!page.content->html.empty()) record["html"] = page.content->html;
    add_details(record, page.content->details);
    return record;
}

}  // namespace quarry
