#include "api/monitoring.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

#include "api/api.h"
#include "api/server/message.h"

namespace quarry::api {

std::optional<Error> trouble_of_store(Api& api, store::Reader& reader) {
    if (api.services().store_trouble)
        if (auto trouble = api.services().store_trouble()) return trouble;
    const auto workers = reader.workers();
    if (!workers) return workers.error();
    return std::nullopt;
}

namespace {

// A page of text in Prometheus's exposition format.
class Exposition {
public:
    void begin(std::string_view name, std::string_view kind, std::string_view help) {
        name_ = name;
        fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
    }
    // `labels` as it stands between the braces: no value of ours needs escaping.
    template <typename Number>
    void add(std::string_view labels, Number value) {
        const std::string braces = labels.empty() ? "" : fmt::format("{{{}}}", labels);
        fmt::format_to(std::back_inserter(text_), "{}{} {}\n", name_, braces, value);
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
    std::string name_;
};

// In bytes; 0 where the system does not say.
std::int64_t resident_memory() {
    std::ifstream file("/proc/self/statm");
    std::int64_t size = 0, resident = 0;
    file >> size >> resident;
    return file ? resident * sysconf(_SC_PAGESIZE) : 0;
}

void add_requests(Exposition& page, const RequestLog& log) {
    const RequestLog::Counts counts = log.counts();
    const auto labels = [](const auto& key) {
        return fmt::format("route=\"{}\",status=\"{}\"", key.first, key.second);
    };
    page.begin("quarry_requests_total", "counter", "Requests answered, by route and status.");
    for (const auto& [key, count] : counts) page.add(labels(key), count.requests);
    page.begin("quarry_request_seconds_total", "counter", "Time spent on them, waiting included.");
    for (const auto& [key, count] : counts)
        page.add(labels(key), static_cast<double>(count.took.count()) / 1e6);
    page.begin("quarry_requests_without_record_total", "counter", "Requests of which no record is kept.");
    page.add("", log.not_kept());
}

Result<void> add_queue(Exposition& page, store::Reader& reader) {
    std::map<std::pair<std::string, JobState>, std::int64_t> jobs;
    for (const store::StateCount& count : TRY(reader.job_counts({})))
        jobs[{count.kind, count.state}] += count.count;
    page.begin("quarry_jobs", "gauge", "Jobs by kind and state; fetch_page are URLs, embed_page the outbox.");
    for (const auto& [key, count] : jobs)
        page.add(fmt::format("kind=\"{}\",state=\"{}\"", key.first, name_of(key.second)), count);
    const store::OutboxCounts outbox = TRY(reader.outbox_counts("", std::nullopt));
    page.begin("quarry_outbox", "gauge", "Pages on their way into the index.");
    page.add("state=\"pending\"", outbox.pending);
    page.add("state=\"processing\"", outbox.processing);
    page.add("state=\"failed\"", outbox.failed);
    std::int64_t running = 0;
    const auto workers = TRY(reader.workers());
    for (const store::WorkerInfo& worker : workers) running += worker.running;
    page.begin("quarry_workers", "gauge", "Workers that have a place.");
    page.add("", workers.size());
    page.begin("quarry_running", "gauge", "Jobs, URLs and changes that are worked on.");
    page.add("", running);
    return {};
}

Result<std::string> exposition_of(Api& api, store::Reader& reader) {
    Exposition page;
    page.begin("quarry_info", "gauge", "The program.");
    page.add(fmt::format("version=\"{}\"", api.services().version), 1);
    page.begin("process_resident_memory_bytes", "gauge", "Memory in use.");
    page.add("", resident_memory());
    add_requests(page, api.request_log());
    const bool is_up = !trouble_of_store(api, reader).has_value();
    page.begin("quarry_store_up", "gauge", "1 if the store can be read and worked on.");
    page.add("", is_up ? 1 : 0);
    // What is in it cannot be said while it is away.
    if (is_up) TRY(add_queue(page, reader));
    return page.take();
}

}  // namespace

void show_metrics(Api& api, store::Reader& reader, Call call) {
    auto page = exposition_of(api, reader);
    if (!page) return call.respond(reply(page.error()));
    call.respond({.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = *std::move(page)});
}

}  // namespace quarry::api
