#include "cli/commands/queue_jobs.h"

#include <algorithm>
#include <map>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/owner/background.h"
#include "base/units.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/terminal.h"
#include "model/json/fields.h"
#include "model/json/output.h"
#include "store/records.h"

namespace quarry::cli {

namespace json = boost::json;

void add_queue_flags(Parser& parser, QueueFlags& flags) {
    parser.add_option("--id", flags.ids, "Only the job of this id; may be repeated");
    parser.add_option("--state", flags.states,
                      "Only queued, running, completed, failed, cancelled or paused; may be repeated");
    parser.add_option("--kind", flags.kind, "Only this kind: fetch_page for URLs, embed_page for the index");
    parser.add_option("--crawl", flags.crawl, "Only those of this crawl");
    parser.add_option("--collection", flags.collection, "Only those of this collection");
    parser.add_option("--older-than", flags.older_than,
                      "Only those that ended, or were added, so long ago: 2h");
}

Result<store::JobFilter> job_filter(store::Reader& reader, const QueueFlags& flags) {
    store::JobFilter filter{.kind = flags.kind, .collection = flags.collection};
    for (const std::string& word : flags.states) filter.states.push_back(TRY(parse_embedding_state(word)));
    for (const std::string& id : flags.ids) filter.ids.push_back(TRY(parse_job_id(reader, id)));
    if (!flags.crawl.empty()) filter.group = TRY(find_crawl(reader, flags.crawl)).id;
    if (!flags.older_than.empty()) filter.older_than = TRY(parse_duration(flags.older_than));
    return filter;
}

namespace {

namespace json = boost::json;

// Jobs as JSON, with the ids of their crawls, each crawl looked up once.
class JobRecords {
public:
    explicit JobRecords(store::Reader& reader) : reader_(reader) {}

    json::object of(const Job& job) {
        return to_json(job, reader_.salt(), job.group ? created_at(*job.group) : std::nullopt);
    }

private:
    std::optional<Timestamp> created_at(GroupId id) {
        const auto known = times_.find(id);
        if (known != times_.end()) return known->second;
        const auto group = reader_.group(id);
        return times_[id] = group ? std::optional(group->created_at) : std::nullopt;
    }

    store::Reader& reader_;
    std::map<GroupId, std::optional<Timestamp>> times_;
};

std::string line_about(const CommandContext& session, const json::object& record, JobState state) {
    const auto text = [&](std::string_view name) {
        const json::value& value = record.at(name);
        return value.is_string() ? printable(value.get_string()) : std::string();
    };
    return fmt::format("{}  {:<10}  {}  {}/{}  {}{}\n", text("id"), text("kind"),
                       session.terminal.paint_data(colour_of(state), fmt::format("{:<10}", text("status"))),
                       record.at("retries").to_number<int>(), record.at("maxRetries").to_number<int>(),
                       shorten(text("url"), 80), text("lastError").empty() ? "" : "  " + text("lastError"));
}

// Which kinds to list one after the other: a list without a kind has jobs, URLs and index changes, which the
// store keeps apart.
std::vector<std::string> kinds_of(const store::JobFilter& filter) {
    if (!filter.kind.empty() || !filter.ids.empty()) return {filter.kind};
    if (filter.group) return {"", "embed_page"};  // a crawl's URLs are among its jobs
    return {"", "fetch_page", "embed_page"};
}

// Up to `limit` jobs, handed over one by one.
template <typename Take>
Result<void> each_job(store::Reader& reader, const store::JobFilter& filter, int limit, Take take) {
    for (const std::string& kind : kinds_of(filter)) {
        store::JobQuery wanted{.filter = filter};
        wanted.filter.kind = kind;
        while (limit > 0) {
            wanted.limit = std::min(limit, 500);
            const auto jobs = TRY(reader.jobs(wanted));
            if (jobs.empty()) break;
            wanted.after = jobs.back().id;
            limit -= static_cast<int>(jobs.size());
            for (const Job& job : jobs) take(job);
        }
    }
    return {};
}

}  // namespace

int list_jobs(const CommandContext& session, store::Reader& reader, const QueueFlags& flags, int limit) {
    const auto filter = job_filter(reader, flags);
    if (!filter) return give_up(session, filter.error());
    JobRecords records(reader);
    json::array listed;
    std::string lines;
    const auto read = each_job(reader, *filter, limit, [&](const Job& job) {
        json::object record = records.of(job);
        if (!session.json) lines += line_about(session, record, job.state);
        if (session.json) listed.push_back(std::move(record));
    });
    if (!read) return give_up(session, read.error());
    write_data(session.json ? json::serialize(listed) + "\n" : lines);
    if (!session.json && lines.empty()) say("Nothing in the queue matches");
    return exit_success;
}

int show_job(const CommandContext& session, store::Reader& reader, const std::string& id_text) {
    const auto id = parse_job_id(reader, id_text);
    if (!id) return give_up(session, id.error());
    const auto job = reader.job(*id);
    if (!job) return give_up(session, job.error());
    json::object record = JobRecords(reader).of(*job);
    if (session.json) {
        write_data(json::serialize(record) + "\n");
        return exit_success;
    }
    for (const auto& [name, value] : record) {
        if (value.is_null()) continue;
        const std::string shown =
            value.is_string() ? std::string(value.get_string()) : json::serialize(value);
        write_data(fmt::format("{:<12} {}\n", std::string_view(name), shown));
    }
    return exit_success;
}

int change_jobs(const CommandContext& session, const app::DataSource& place, const QueueFlags& flags,
                const QueueChange& change) {
    const auto reader = app::open_reader(place);
    if (!reader) return give_up(session, reader.error());
    auto filter = job_filter(**reader, flags);
    if (!filter) return give_up(session, filter.error());
    const auto asked = app::ask(place, change.method, store::to_json(*filter));
    if (!asked) return give_up(session, asked.error());
    const auto count = answered_number(asked->answer, "count");
    if (!count) return give_up(session, count.error());
    const std::int64_t changed = *count;
    if (session.json) {
        write_data(json::serialize(json::object{{"success", true}, {"count", changed}}) + "\n");
    } else {
        say(fmt::format("{} {} {}", with_commas(changed), changed == 1 ? "job" : "jobs", change.done));
    }
    if (change.brings_work && changed > 0 && !asked->by_owner)
        if (const auto started =
                app::start_background_worker(place, place.settings.duration("worker.idle_exit"));
            !started)
            return give_up(session, started.error());
    return exit_success;
}

}  // namespace quarry::cli
