// `quarry queue`: the jobs behind crawls and indexing, to look at and to set right.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/commands/queue_jobs.h"
#include "cli/commands/worker.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "model/json/output.h"
#include "model/json/values.h"
#include "store/index_progress.h"
#include "store/records.h"

namespace quarry::cli {

namespace {

namespace json = boost::json;

struct QueueArguments {
    QueueFlags filter{};
    int limit = 20;
    ProcessWish processing{};
    std::string id{};
};

int list_jobs(const CommandContext& session, const app::DataSource&, store::Reader& reader,
              const QueueArguments& arguments) {
    return list_jobs(session, reader, arguments.filter, arguments.limit);
}

int show(const CommandContext& session, const app::DataSource&, store::Reader& reader,
         const QueueArguments& arguments) {
    return show_job(session, reader, arguments.id);
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
    record["waiting_reason"] = nullptr;
    return record;
}

Timestamp begin_of_newest_crawl(store::Reader& reader) {
    const auto groups = reader.groups({.limit = 1});
    return groups && !groups->empty() ? groups->front().created_at : Timestamp();
}

// Why what is not over does not get on.
void say_what_waits(const app::DataSource& place, store::Reader& reader,
                    const std::vector<store::StateCount>& counts, const store::OutboxCounts& outbox) {
    const bool is_open =
        std::ranges::any_of(counts, [](const store::StateCount& row) { return goes_on(row.state); });
    const bool is_stuck = is_open && nobody_works(place, reader, begin_of_newest_crawl(reader));
    if (store::waits_for_embedder(outbox))
        say(fmt::format("{} {} for embedding: {}. {} now: quarry queue process --all",
                        counted(outbox.pending, "page"), outbox.pending == 1 ? "waits" : "wait",
                        printable(outbox.last_error),
                        is_stuck ? "Try" : "A worker tries again by itself; or"));
    if (is_stuck) say(how_to_work);
}

int count(const CommandContext& session, const app::DataSource& place, store::Reader& reader,
          const QueueArguments& arguments) {
    const auto filter = job_filter(reader, arguments.filter);
    if (!filter) return give_up(session, filter.error());
    const auto counts = reader.job_counts(*filter);
    if (!counts) return give_up(session, counts.error());
    const auto outbox = reader.outbox_counts(filter->collection, filter->group);
    if (!outbox) return give_up(session, outbox.error());
    if (session.json) {
        json::object record = counts_record(*counts);
        if (store::waits_for_embedder(*outbox)) record["waiting_reason"] = outbox->last_error;
        write_data(json::serialize(record) + "\n");
        return exit_success;
    }
    std::string lines;
    for (const store::StateCount& row : *counts)
        lines += fmt::format(
            "{:<14}  {}  {:>10}{}\n", row.kind,
            session.terminal.paint_data(colour_of(row.state), fmt::format("{:<9}", name_of(row.state))),
            with_commas(row.count), row.collection.empty() ? "" : "  " + row.collection);
    write_data(lines);
    if (lines.empty()) say("The queue is empty");
    say_what_waits(place, reader, *counts, *outbox);
    return exit_success;
}

int list_workers(const CommandContext& session, const app::DataSource&, store::Reader& reader,
                 const QueueArguments&) {
    const auto workers = reader.workers();
    if (!workers) return give_up(session, workers.error());
    if (session.json) {
        json::array records;
        for (const store::WorkerInfo& worker : *workers) records.push_back(store::record_of(worker));
        write_data(json::serialize(records) + "\n");
        return exit_success;
    }
    std::string lines;
    for (const store::WorkerInfo& worker : *workers)
        lines += fmt::format("{:<30}  {:>8} running  last heard of {}\n", worker.name,
                             with_commas(worker.running), iso_time(worker.beat_at));
    write_data(lines);
    if (lines.empty()) say("Nobody works");
    return exit_success;
}

constexpr QueueChange changes[] = {
    {"retry", "retry_jobs", "will be tried again", "Try failed or cancelled jobs again", true},
    {"clear", "clear_jobs", "removed", "Remove jobs that do not run", false},
    {"cancel", "cancel_jobs", "cancelled", "Cancel jobs", false},
    {"pause", "pause_jobs", "paused", "Let queued jobs rest", false},
    {"resume", "resume_jobs", "go on", "Let paused jobs go on", true},
};

int change(const CommandContext& session, const app::DataSource& place, QueueFlags flags,
           const QueueChange& wanted) {
    const bool retries = std::string_view(wanted.name) == "retry";
    if (!flags.narrow() && !flags.all && !retries)
        return give_up(session, {ErrorCode::invalid_argument,
                                 fmt::format("say which jobs to {} (--state, --kind, --crawl …), or --all",
                                             wanted.name)});
    if (retries && flags.states.empty()) flags.states = {"failed"};
    return change_jobs(session, place, flags, wanted);
}

int look(const CommandContext& session, const app::DataSource& place, const QueueArguments& arguments,
         int (*show_it)(const CommandContext&, const app::DataSource&, store::Reader&,
                        const QueueArguments&)) {
    const auto reader = app::open_reader(place);
    if (reader) return show_it(session, place, **reader, arguments);
    const bool is_empty = reader.error().code == ErrorCode::not_found && arguments.id.empty();
    if (!is_empty) return give_up(session, reader.error());
    say("The queue is empty");
    if (session.json) write_data(show_it == count ? json::serialize(counts_record({})) + "\n" : "[]\n");
    return exit_success;
}

int run_queue(const CommandContext& session, const Parser& parser, const QueueArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    for (const QueueChange& wanted : changes)
        if (parser.chose(wanted.name)) return change(session, *place, arguments.filter, wanted);
    if (parser.chose("process")) return process_queue(session, *place, arguments.processing);
    if (parser.chose("show")) return look(session, *place, arguments, show);
    if (parser.chose("workers")) return look(session, *place, arguments, list_workers);
    if (parser.chose("list")) return look(session, *place, arguments, list_jobs);
    return look(session, *place, arguments, count);
}

}  // namespace

Command add_queue(CommandBuilder& builder) {
    Parser& parser =
        builder.add("queue", "Look at the jobs behind crawls, and set them right",
                    "quarry queue                        # how many wait, run and have failed, and why\n"
                    "quarry queue list --state failed --crawl 0199c5a0\n"
                    "quarry queue retry --kind fetch_page --crawl 0199c5a0\n"
                    "quarry queue clear --state completed --older-than 2h\n"
                    "quarry queue process                # embed the next 10 pages that wait, now\n"
                    "quarry queue process --batch 100 --collection news --json\n"
                    "quarry queue process --all --provider tei");
    const auto arguments = std::make_shared<QueueArguments>();
    Parser& listed = parser.add_command("list", "List jobs, with their errors");
    add_queue_flags(listed, arguments->filter);
    listed.add_option("--limit", arguments->limit, "Most jobs to list (20)").between(1, 1'000'000);
    parser.add_command("show", "Show one job").add_option("id", arguments->id, "The job's id").required();
    add_queue_flags(parser.add_command("status", "Count jobs by kind and state"), arguments->filter);
    parser.add_command("workers", "List who works, on which host");
    for (const QueueChange& change : changes) {
        Parser& nested = parser.add_command(change.name, change.help);
        add_queue_flags(nested, arguments->filter);
        nested.add_flag("--all", arguments->filter.all, "All of them");
    }
    Parser& processed = parser.add_command("process", "Embed pages that wait for it, now");
    processed.add_option("--batch", arguments->processing.batch, "So many pages (10)")
        .between(1, most_processed);
    processed.add_flag("--all", arguments->processing.all, "All that wait, batch after batch");
    processed.add_option("--collection", arguments->processing.collection, "Only pages of this collection");
    processed.add_option("--provider", arguments->processing.provider,
                         "Who embeds collections that have no embedder yet: builtin, tei, openai, none");
    return {&parser, [arguments, &parser](const CommandContext& session) {
                return run_queue(session, parser, *arguments);
            }};
}

// `quarry embed-queue`: the embedding queue by itself, in its own words. The same jobs are in `quarry queue`.

namespace {

constexpr QueueChange retrying = {"retry", "retry_jobs", "will be tried again", "", true};
constexpr QueueChange cleaning = {"clean", "clear_jobs", "removed", "", false};

struct EmbedQueueArguments {
    QueueFlags filter{.kind = "embed_page"};
    int limit = 20;
    bool failed = false;
};

int list_changes(const CommandContext& session, const app::DataSource& place,
                 const EmbedQueueArguments& arguments) {
    const auto reader = app::open_reader(place);
    if (reader) return list_jobs(session, **reader, arguments.filter, arguments.limit);
    if (reader.error().code != ErrorCode::not_found) return give_up(session, reader.error());
    if (session.json) write_data("[]\n");
    say("The embedding queue is empty");
    return exit_success;
}

int run_embed_queue(const CommandContext& session, const Parser& parser,
                    const EmbedQueueArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    QueueFlags filter = arguments.filter;
    if (parser.chose("retry")) {
        filter.states = {"failed"};
        return change_jobs(session, *place, filter, retrying);
    }
    if (parser.chose("clean")) {
        filter.states = {"completed"};
        if (arguments.failed) filter.states.emplace_back("failed");
        return change_jobs(session, *place, filter, cleaning);
    }
    return list_changes(session, *place, arguments);
}

}  // namespace

Command add_embed_queue(CommandBuilder& builder) {
    Parser& parser = builder.add("embed-queue", "The pages that wait to be embedded and indexed",
                                 "quarry embed-queue list --state failed\n"
                                 "quarry embed-queue retry\n"
                                 "quarry embed-queue retry 0199c5a4-6d1e-7c02-9b71-1f3a5e6c8d20\n"
                                 "quarry embed-queue clean --failed --older-than 24h\n"
                                 "quarry queue process              # embed the next of them now");
    const auto arguments = std::make_shared<EmbedQueueArguments>();
    const auto add = [&](const std::string& name, const std::string& help) -> Parser& {
        Parser& nested = parser.add_command(name, help);
        nested.add_option("--collection", arguments->filter.collection, "Only those of this collection");
        return nested;
    };
    Parser& listed = add("list", "List them, with their errors");
    listed.add_option("--state", arguments->filter.states,
                      "Only pending, processing, completed or failed; may be repeated");
    listed.add_option("--limit", arguments->limit, "Most to list (20)").between(1, 1'000'000);
    Parser& retried = add("retry", "Try those that failed again, or only some of them");
    retried.add_option("id", arguments->filter.ids, "Their ids (all that failed)");
    Parser& cleaned = add("clean", "Remove those that are done");
    cleaned.add_flag("--failed", arguments->failed, "Those that failed too");
    cleaned.add_option("--older-than", arguments->filter.older_than,
                       "Only those that ended so long ago: 24h");
    parser.require_command();
    return {&parser, [arguments, &parser](const CommandContext& session) {
                return run_embed_queue(session, parser, *arguments);
            }};
}

}  // namespace quarry::cli
