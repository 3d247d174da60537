// `quarry queue`: the jobs behind crawls and indexing, to look at and to set right.
#include <algorithm>
#include <map>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/background.h"
#include "app/owner_protocol.h"
#include "cli/commands.h"
#include "cli/crawl_text.h"
#include "cli/exit_code.h"
#include "cli/place.h"
#include "cli/progress.h"
#include "cli/queue_filter.h"
#include "cli/work_off.h"
#include "model/records_json.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;

struct QueueArguments {
    QueueFlags filter{};
    int limit = 20;
    std::string id{};
};

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

std::string line_about(const Session& session, const json::object& record, JobState state) {
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
        store::JobPage wanted{.filter = filter};
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

int list(const Session& session, store::Reader& reader, const QueueArguments& arguments) {
    const auto filter = job_filter(reader, arguments.filter);
    if (!filter) return give_up(session, filter.error());
    JobRecords records(reader);
    json::array listed;
    std::string lines;
    const auto read = each_job(reader, *filter, arguments.limit, [&](const Job& job) {
        json::object record = records.of(job);
        if (!session.json) lines += line_about(session, record, job.state);
        if (session.json) listed.push_back(std::move(record));
    });
    if (!read) return give_up(session, read.error());
    write_data(session.json ? json::serialize(listed) + "\n" : lines);
    if (!session.json && lines.empty()) say("Nothing in the queue matches");
    return exit_yes;
}

int show(const Session& session, store::Reader& reader, const QueueArguments& arguments) {
    const auto id = parse_job_id(reader, arguments.id);
    if (!id) return give_up(session, id.error());
    const auto job = reader.job(*id);
    if (!job) return give_up(session, job.error());
    json::object record = JobRecords(reader).of(*job);
    if (session.json) {
        write_data(json::serialize(record) + "\n");
        return exit_yes;
    }
    for (const auto& [name, value] : record) {
        if (value.is_null()) continue;
        const std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
        write_data(fmt::format("{:<12} {}\n", std::string_view(name), text));
    }
    return exit_yes;
}

// Counts of the embedding queue stand at the top, in its words; all kinds follow.
json::object counts_record(const std::vector<store::StateCount>& counts) {
    json::object record{{"pending", 0}, {"processing", 0}, {"completed", 0}, {"failed", 0}, {"total", 0}};
    json::array all;
    for (const store::StateCount& count : counts) {
        all.push_back(json::object{{"kind", count.kind},
                                   {"collection", count.collection},
                                   {"status", name_of(count.state)},
                                   {"count", count.count}});
        if (count.kind != "embed_page") continue;
        const std::string_view word = count.state == JobState::queued    ? "pending"
                                      : count.state == JobState::running ? "processing"
                                                                         : name_of(count.state);
        record["total"] = record["total"].to_number<std::int64_t>() + count.count;
        json::value& sum = record[word];
        sum = (sum.is_null() ? 0 : sum.to_number<std::int64_t>()) + count.count;
    }
    record["counts"] = std::move(all);
    return record;
}

int count(const Session& session, store::Reader& reader, const QueueArguments& arguments) {
    const auto filter = job_filter(reader, arguments.filter);
    if (!filter) return give_up(session, filter.error());
    const auto counts = reader.job_counts(*filter);
    if (!counts) return give_up(session, counts.error());
    if (session.json) {
        write_data(json::serialize(counts_record(*counts)) + "\n");
        return exit_yes;
    }
    std::string lines;
    for (const store::StateCount& row : *counts)
        lines += fmt::format(
            "{:<14}  {}  {:>10}{}\n", row.kind,
            session.terminal.paint_data(colour_of(row.state), fmt::format("{:<9}", name_of(row.state))),
            with_commas(row.count), row.collection.empty() ? "" : "  " + row.collection);
    write_data(lines);
    if (lines.empty()) say("The queue is empty");
    return exit_yes;
}

struct Change {
    const char* name;
    const char* method;
    const char* done;  // "3 jobs <done>"
    const char* help;
    bool brings_work;
};

constexpr Change changes[] = {
    {"retry", "retry_jobs", "will be tried again", "Try failed or cancelled jobs again", true},
    {"clear", "clear_jobs", "removed", "Remove jobs that do not run", false},
    {"cancel", "cancel_jobs", "cancelled", "Cancel jobs", false},
    {"pause", "pause_jobs", "paused", "Let queued jobs rest", false},
    {"resume", "resume_jobs", "go on", "Let paused jobs go on", true},
};

int change(const Session& session, const app::Workplace& place, const QueueArguments& arguments,
           const Change& wanted) {
    if (!arguments.filter.narrow() && !arguments.filter.all && std::string_view(wanted.name) != "retry")
        return give_up(session, {ErrorCode::invalid_argument,
                                 fmt::format("say which jobs to {} (--state, --kind, --crawl …), or --all",
                                             wanted.name)});
    const auto reader = app::open_reader(place);
    if (!reader) return give_up(session, reader.error());
    auto filter = job_filter(**reader, arguments.filter);
    if (!filter) return give_up(session, filter.error());
    const bool retries = std::string_view(wanted.name) == "retry";
    if (retries && filter->states.empty()) filter->states = {JobState::failed};
    const auto asked = app::ask(place, wanted.method, app::to_json(*filter));
    if (!asked) return give_up(session, asked.error());
    const auto changed = asked->answer.at("count").to_number<std::int64_t>();
    if (session.json) {
        write_data(json::serialize(json::object{{"success", true}, {"count", changed}}) + "\n");
    } else {
        say(fmt::format("{} {} {}", with_commas(changed), changed == 1 ? "job" : "jobs", wanted.done));
    }
    if (wanted.brings_work && changed > 0 && !asked->by_owner)
        if (const auto started =
                app::start_background_worker(place, place.settings.duration("worker.idle_exit"));
            !started)
            return give_up(session, started.error());
    return exit_yes;
}

int look(const Session& session, const app::Workplace& place, const QueueArguments& arguments,
         int (*show_it)(const Session&, store::Reader&, const QueueArguments&)) {
    const auto reader = app::open_reader(place);
    if (reader) return show_it(session, **reader, arguments);
    const bool is_empty = reader.error().code == ErrorCode::not_found && arguments.id.empty();
    if (!is_empty) return give_up(session, reader.error());
    say("The queue is empty");
    if (session.json) write_data(show_it == count ? json::serialize(counts_record({})) + "\n" : "[]\n");
    return exit_yes;
}

int run_queue(const Session& session, const CLI::App& parser, const QueueArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    for (const Change& wanted : changes)
        if (parser.got_subcommand(wanted.name)) return change(session, *place, arguments, wanted);
    if (parser.got_subcommand("process")) return work_off(session, *place);
    if (parser.got_subcommand("show")) return look(session, *place, arguments, show);
    if (parser.got_subcommand("status")) return look(session, *place, arguments, count);
    return look(session, *place, arguments, list);
}

}  // namespace

Command add_queue(CommandBuilder& builder) {
    CLI::App& parser =
        builder.add("queue", "Look at the jobs behind crawls, and set them right",
                    "quarry queue status\n"
                    "quarry queue list --state failed --crawl 0199c5a0\n"
                    "quarry queue retry --kind fetch_page --crawl 0199c5a0\n"
                    "quarry queue clear --state completed --older-than 2h\n"
                    "quarry queue process                # work in the foreground until it is empty");
    const auto arguments = std::make_shared<QueueArguments>();
    const auto add = [&](const std::string& name, const std::string& help) -> CLI::App& {
        CLI::App* nested = parser.add_subcommand(name, help);
        nested->fallthrough();
        return *nested;
    };
    CLI::App& listed = add("list", "List jobs, with their errors");
    add_queue_flags(listed, arguments->filter);
    listed.add_option("--limit", arguments->limit, "Most jobs to list (20)")->check(CLI::Range(1, 1'000'000));
    add("show", "Show one job").add_option("id", arguments->id, "The job's id")->required();
    add_queue_flags(add("status", "Count jobs by kind and state"), arguments->filter);
    for (const Change& change : changes) {
        CLI::App& nested = add(change.name, change.help);
        add_queue_flags(nested, arguments->filter);
        nested.add_flag("--all", arguments->filter.all, "All of them");
    }
    add("process", "Work until the queue is empty");
    parser.require_subcommand(1);
    return {&parser,
            [arguments, &parser](const Session& session) { return run_queue(session, parser, *arguments); }};
}

}  // namespace quarry::cli
