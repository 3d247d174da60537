#include "cli/commands/queue_jobs.h"

#include <fmt/format.h>

#include "base/units.h"
#include "cli/data_access.h"

namespace quarry::cli {

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

}  // namespace quarry::cli
