// `quarry embed-queue`: the embedding queue by itself, in its own words. The same jobs are in `quarry queue`.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/data_access.h"
#include "cli/commands/queue_change.h"
#include "cli/commands/queue_jobs.h"
#include "cli/commands/queue_list.h"

namespace quarry::cli {
namespace {

constexpr QueueChange retrying = {"retry", "retry_jobs", "will be tried again", "", true};
constexpr QueueChange cleaning = {"clean", "clear_jobs", "removed", "", false};

struct EmbedQueueArguments {
    QueueFlags filter{.kind = "embed_page"};
    int limit = 20;
    bool failed = false;
};

int list_changes(const Session& session, const app::Workplace& place, const EmbedQueueArguments& arguments) {
    const auto reader = app::open_reader(place);
    if (reader) return list_jobs(session, **reader, arguments.filter, arguments.limit);
    if (reader.error().code != ErrorCode::not_found) return give_up(session, reader.error());
    if (session.json) write_data("[]\n");
    say("The embedding queue is empty");
    return exit_yes;
}

int run_embed_queue(const Session& session, const Parser& parser, const EmbedQueueArguments& arguments) {
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
    return {&parser, [arguments, &parser](const Session& session) {
                return run_embed_queue(session, parser, *arguments);
            }};
}

}  // namespace quarry::cli
