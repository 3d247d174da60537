// `quarry forget`: pages that are to be gone, from the store and from the index.
#include <chrono>
#include <set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/index_report.h"
#include "cli/command.h"
#include "cli/commands/index_wait.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "cli/output/terminal.h"
#include "model/json/fields.h"
#include "store/records.h"
#include "url/url.h"

namespace quarry::cli {

namespace {

namespace json = boost::json;

struct ForgetArguments {
    std::vector<std::string> urls{};
    std::string site{}, collection{};
    bool yes = false;

    bool is_whole_collection() const { return urls.empty() && site.empty(); }
};

// What was forgotten so far: it has to be known when another process goes on with it.
struct Forgotten {
    std::int64_t pages = 0;
    std::set<std::string> done{};          // URLs, or "" for what has none
    std::vector<std::string> not_there{};  // URLs that are not stored
};

// As the store has them: a URL may be typed in many ways.
json::array spellings_of(const std::string& typed) {
    json::array spellings{json::string(typed)};
    const auto parsed = url::Url::parse(typed);
    if (parsed && parsed->href() != typed) spellings.push_back(json::string(parsed->href()));
    return spellings;
}

Result<std::int64_t> forget_some(const Perform& perform, json::object filter, const std::string& collection) {
    if (!collection.empty()) filter["collection"] = collection;
    const json::value answer = TRY(perform("forget", std::move(filter)));
    return answered_number(answer, "count");
}

Result<void> forget_all(const Perform& perform, const ForgetArguments& arguments, Forgotten& forgotten) {
    for (const std::string& url : arguments.urls) {
        if (forgotten.done.contains(url)) continue;
        const auto count = TRY(forget_some(perform, {{"urls", spellings_of(url)}}, arguments.collection));
        forgotten.done.insert(url);
        forgotten.pages += count;
        if (count == 0) forgotten.not_there.push_back(url);
    }
    if (!arguments.urls.empty()) return {};
    json::object filter;
    if (!arguments.site.empty()) filter["host"] = arguments.site;
    forgotten.pages += TRY(forget_some(perform, std::move(filter), arguments.collection));
    return {};
}

int report(const CommandContext& session, const Forgotten& forgotten) {
    for (const std::string& url : forgotten.not_there)
        say_error(session.terminal, fmt::format("Not stored: {}", printable(url)));
    const std::string pages =
        fmt::format("{} {}", with_commas(forgotten.pages), forgotten.pages == 1 ? "page" : "pages");
    say(fmt::format("{} forgotten", pages));
    if (session.json) {
        json::array not_there;
        for (const std::string& url : forgotten.not_there) not_there.push_back(json::string(url));
        write_data(json::serialize(json::object{{"success", forgotten.not_there.empty()},
                                                {"count", forgotten.pages},
                                                {"not_found", std::move(not_there)}}) +
                   "\n");
    }
    return forgotten.not_there.empty() && forgotten.pages > 0 ? exit_success : exit_incomplete;
}

// Nothing to do if it may go on.
Result<bool> may_go_on(store::Reader& reader, const ForgetArguments& arguments) {
    if (arguments.yes || !arguments.is_whole_collection()) return true;
    const auto collection = TRY(reader.collection(arguments.collection));
    if (!collection) return true;
    return confirmed(fmt::format("All of \"{}\" will be forgotten: {}.", arguments.collection,
                                 counted(collection->pages, "page")));
}

int run_forget(const CommandContext& session, const ForgetArguments& arguments) {
    if (arguments.is_whole_collection() && arguments.collection.empty())
        return give_up(session, {ErrorCode::invalid_argument,
                                 "name URLs, --site HOST or --collection NAME. See quarry forget --help"});
    if (!arguments.urls.empty() && !arguments.site.empty())
        return give_up(session, {ErrorCode::invalid_argument, "name URLs or --site HOST, not both"});
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    const auto reader = app::open_reader(*place);
    if (!reader) return give_up(session, reader.error());
    const auto wanted = may_go_on(**reader, arguments);
    if (!wanted) return give_up(session, wanted.error());
    if (!*wanted) return exit_incomplete;
    Forgotten forgotten;
    const auto counts = work_until_indexed(
        session, *place,
        {.collection = arguments.collection,
         .begin = [&](const Perform& perform) { return forget_all(perform, arguments, forgotten); },
         .what = "Forgetting"});
    if (!counts) return give_up(session, counts.error());
    return report(session, forgotten);
}

}  // namespace

Command add_forget(CommandBuilder& builder) {
    Parser& parser = builder.add("forget", "Delete pages for good, from the store and from the index",
                                 "quarry forget https://docs.example.com/old/page\n"
                                 "quarry forget --site docs.example.com\n"
                                 "quarry forget --site docs.example.com --collection news\n"
                                 "quarry forget --collection news --yes");
    const auto arguments = std::make_shared<ForgetArguments>();
    parser.add_option("url", arguments->urls, "Pages to forget");
    parser.add_option("--site", arguments->site, "All pages of this host and its subdomains");
    parser.add_option("--collection", arguments->collection,
                      "Only in this collection; alone, all that is in it");
    parser.add_flag("--yes", arguments->yes, "Do not ask");
    return {&parser, [arguments](const CommandContext& session) { return run_forget(session, *arguments); }};
}

// `quarry reindex`: the index made again from the stored pages, with the embedder there is or another one.

namespace {

namespace json = boost::json;
using app::CollectionReport;

struct ReindexArguments {
    std::string collection{}, embedder{};
    bool wait = false;
};

Result<std::vector<CollectionReport>> chosen(const app::DataSource& place, const std::string& name) {
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

int run_reindex(const CommandContext& session, const ReindexArguments& arguments) {
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
        write_data(json::serialize(json::object{{"success", exit_code == exit_success},
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
    return {&parser, [arguments](const CommandContext& session) { return run_reindex(session, *arguments); }};
}

}  // namespace quarry::cli
