// `quarry reindex`: the index made again from the stored pages, with the embedder there is or another one.
#include <chrono>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/index_report.h"
#include "cli/commands.h"
#include "cli/output/crawl_text.h"
#include "cli/exit.h"
#include "cli/commands/index_wait.h"
#include "cli/data_access.h"
#include "model/json/json_in.h"
#include "store/filter_json.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;
using app::CollectionReport;

struct ReindexArguments {
    std::string collection{}, embedder{};
    bool wait = false;
};

Result<std::vector<CollectionReport>> chosen(const app::Workplace& place, const std::string& name) {
    if (name.empty()) return app::report_collections(place);
    return std::vector{TRY(app::report_collection(place, name))};
}

// Its provider is named anew without a model: whatever model the service has now is recorded with the first
// page. The vectors go at once, so that two models never meet; until all pages are done, words alone answer.
Result<std::int64_t> begin_anew(const Perform& perform, const CollectionReport& report,
                                const std::string& embedder) {
    const Collection& collection = report.collection;
    const std::string provider = embedder.empty() ? collection.embedder.provider : embedder;
    if (!provider.empty())
        TRY(perform("set_collection", {{"name", collection.name}, {"provider", provider}}));
    TRY(perform("drop_vectors", {{"collection", collection.name}}));
    const json::value answer = TRY(perform("index_again", {{"collection", collection.name}}));
    // What waits after an error need not wait any longer.
    TRY(perform("retry_jobs",
                store::to_json(store::JobFilter{.kind = "embed_page", .collection = collection.name})));
    return answered_number(answer, "count");
}

std::int64_t sum_of(const std::vector<CollectionReport>& reports,
                    std::int64_t (*value)(const CollectionReport&)) {
    std::int64_t sum = 0;
    for (const CollectionReport& report : reports) sum += value(report);
    return sum;
}

int run_reindex(const Session& session, const ReindexArguments& arguments) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    const auto reports = chosen(*place, arguments.collection);
    if (!reports) return give_up(session, reports.error());
    if (reports->empty())
        return give_up(session,
                       {ErrorCode::not_found, "There is nothing to index yet. See quarry crawl --help"});
    const auto started = std::chrono::steady_clock::now();
    const auto begin = [&](const Perform& perform) -> Result<void> {
        for (const CollectionReport& report : *reports) TRY(begin_anew(perform, report, arguments.embedder));
        return {};
    };
    const auto counts =
        work_until_indexed(session, *place, {.collection = arguments.collection, .begin = begin});
    if (!counts) return give_up(session, counts.error());
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started);
    const auto after = chosen(*place, arguments.collection);
    if (!after) return give_up(session, after.error());
    const auto pages = sum_of(*after, [](const CollectionReport& report) { return report.indexed.pages; });
    const auto chunks = sum_of(*after, [](const CollectionReport& report) { return report.indexed.chunks; });
    say(fmt::format("{} indexed again, {}, {}", counted(pages, "page"), counted(chunks, "chunk"),
                    in_words(took)));
    const int exit_code = report_index(session, *counts);
    if (session.json)
        write_data(json::serialize(json::object{{"success", exit_code == exit_yes},
                                                {"pages", pages},
                                                {"chunks", chunks},
                                                {"waiting", counts->pending},
                                                {"failed", counts->failed}}) +
                   "\n");
    return exit_code;
}

}  // namespace

Command add_reindex(CommandBuilder& builder) {
    Parser& parser = builder.add("reindex", "Make the search index again from the stored pages",
                                 "quarry reindex\n"
                                 "quarry reindex --collection papers\n"
                                 "quarry reindex --collection papers --embedder tei   # with TEI_URL set\n"
                                 "quarry reindex --embedder builtin                   # without any service");
    const auto arguments = std::make_shared<ReindexArguments>();
    parser.add_option("--collection", arguments->collection, "Only this one (all)");
    parser
        .add_option("--embedder", arguments->embedder,
                    "From now on builtin, tei, openai or none: by words alone (as it was)")
        .one_of({"builtin", "tei", "openai", "none"});
    parser.add_flag("--wait", arguments->wait, "Stay until all is in use, as it does anyway");
    return {&parser, [arguments](const Session& session) { return run_reindex(session, *arguments); }};
}

}  // namespace quarry::cli
