// `quarry search`: what the index knows about a question.
#include <chrono>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/search_service.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "cli/output/files.h"
#include "cli/data_access.h"
#include "cli/commands/search.h"
#include "cli/commands/search_text.h"
#include "model/json/readable.h"
#include "search/json.h"

namespace quarry::cli {
namespace {

constexpr std::uint64_t largest_batch_file = 256ULL << 20;

void say_what_else(const Session& session, const search::SearchAnswer& answer,
                   const search::SearchRequest& request) {
    if (!answer.warning.empty()) say("warning: " + printable(answer.warning));
    if (session.json) return;
    if (answer.hits.empty()) say(fmt::format("Nothing found in {}", printable(request.collection)));
    for (const std::string& spelling : answer.suggestions)
        say(fmt::format("Did you mean: {}", printable(spelling)));
    if (session.terminal.progress && static_cast<int>(answer.hits.size()) == request.limit)
        say(fmt::format("More: --offset {}", request.offset + request.limit));
}

// A name that was mistyped finds nothing either.
Result<void> check_collection(const app::Workplace& place, const std::string& name) {
    const auto reader = app::open_reader(place);
    if (!reader && reader.error().code == ErrorCode::not_found)
        return std::unexpected(no_such_collection(name, {}));
    if (!reader) return std::unexpected(reader.error());
    if (TRY((*reader)->collection(name))) return {};
    return std::unexpected(no_such_collection(name, TRY((*reader)->collections())));
}

int answer_one(const Session& session, const app::Workplace& place, app::SearchService& service,
               const search::SearchRequest& request) {
    const auto answer = service.search(request);
    if (!answer) return give_up(session, answer.error());
    if (answer->hits.empty())
        if (const auto known = check_collection(place, request.collection); !known)
            return give_up(session, known.error());
    if (session.json)
        write_data(readable_json(to_json(*answer, request)) + "\n");
    else
        write_data(hits_text(*answer, request, session.terminal));
    say_what_else(session, *answer, request);
    return answer->hits.empty() ? exit_no : exit_yes;
}

// One line per query, as soon as it is answered. A query without a word in it has no hits.
int answer_all(const Session& session, app::SearchService& service, search::SearchRequest request,
               const std::vector<BatchQuery>& queries) {
    bool found = false;
    std::string warning;
    for (const BatchQuery& query : queries) {
        if (was_interrupted()) return exit_interrupted;
        request.query = query.text;
        auto answer = service.search(request);
        if (!answer && answer.error().code == ErrorCode::invalid_argument) answer = search::SearchAnswer{};
        if (!answer) return give_up(session, answer.error());
        found = found || !answer->hits.empty();
        if (warning.empty()) warning = answer->warning;
        if (!write_data(readable_json(batch_line(query.id, *answer)) + "\n")) break;
    }
    if (!warning.empty()) say("warning: " + printable(warning));
    return found ? exit_yes : exit_no;
}

Result<std::vector<BatchQuery>> read_batch(const std::string& file) {
    return parse_batch(TRY(read_input(file, largest_batch_file)));
}

int run_search(const Session& session, const SearchFlags& flags) {
    if (flags.words.empty() == flags.batch.empty())
        return give_up(session, {ErrorCode::invalid_argument, "give words to search for, or --batch FILE"});
    const auto now =
        std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const auto request = search_request(flags, now);
    if (!request) return give_up(session, request.error());
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    app::SearchService service(*place);
    if (flags.batch.empty()) return answer_one(session, *place, service, *request);
    const auto queries = read_batch(flags.batch);
    if (!queries) return give_up(session, queries.error());
    stop_on_interrupt();
    return answer_all(session, service, *request, *queries);
}

}  // namespace

Command add_search(CommandBuilder& builder) {
    Parser& parser = builder.add("search", "Find pages by what they say",
                                 "quarry search \"how do I set a rate limit\"\n"
                                 "quarry search '\"exact phrase\" -without' --site docs.example.com\n"
                                 "quarry search std::vector --path /reference --limit 3 --json\n"
                                 "quarry search install --since 7d --context 1\n"
                                 "quarry search --batch queries.jsonl > results.jsonl");
    const auto flags = std::make_shared<SearchFlags>();
    add_search_flags(parser, *flags);
    return {&parser, [flags](const Session& session) { return run_search(session, *flags); }};
}

}  // namespace quarry::cli
