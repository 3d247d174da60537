#include "cli/commands/search.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/index_access.h"
#include "base/ascii.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/files.h"
#include "extract/metadata/dates.h"
#include "model/json/readable.h"
#include "search/json.h"

namespace quarry::cli {

namespace {

namespace json = boost::json;
using namespace std::chrono;

constexpr int usual_limit = 10, batch_limit = 100;

int digits(std::string_view text, std::size_t at, std::size_t count) {
    int number = 0;
    if (text.size() >= at + count) std::from_chars(text.data() + at, text.data() + at + count, number);
    return number;
}

// Where the day, month or year ends that an ISO date names.
sys_days day_after(std::string_view iso) {
    const year_month_day date{year(digits(iso, 0, 4)), month(iso.size() > 4 ? digits(iso, 5, 2) : 1),
                              day(iso.size() > 7 ? digits(iso, 8, 2) : 1)};
    if (iso.size() == 4) return sys_days(date + years(1));
    if (iso.size() == 7) return sys_days(date + months(1));
    return sys_days(date) + days(1);
}

// Of "+01:00" or "Z", in minutes.
minutes zone_of(std::string_view iso) {
    const std::size_t sign = iso.find_first_of("+-", 11);
    if (sign == std::string_view::npos) return minutes(0);
    const minutes offset(digits(iso, sign + 1, 2) * 60 + digits(iso, sign + 4, 2));
    return iso[sign] == '-' ? -offset : offset;
}

// As extract::iso_date writes them.
Timestamp moment_of(std::string_view iso, DayEnd end) {
    if (iso.size() < 11 && end == DayEnd::last) return Timestamp(day_after(iso)) - milliseconds(1);
    const year_month_day date{year(digits(iso, 0, 4)), month(iso.size() > 4 ? digits(iso, 5, 2) : 1),
                              day(iso.size() > 7 ? digits(iso, 8, 2) : 1)};
    const auto time = hours(digits(iso, 11, 2)) + minutes(digits(iso, 14, 2)) + seconds(digits(iso, 17, 2));
    return Timestamp(sys_days(date)) + time - (iso.size() > 11 ? zone_of(iso) : minutes(0));
}

// "7d" and "2w", beside what durations are otherwise written in.
Result<milliseconds> parse_age(std::string_view text) {
    const char unit = text.empty() ? '\0' : text.back();
    if (unit != 'd' && unit != 'w') return parse_duration(text);
    const auto count = TRY(parse_number(text.substr(0, text.size() - 1), 0, 36'500));
    return days(count * (unit == 'w' ? 7 : 1));
}

// An id may be a number in one file and a text in the next.
std::string id_text(const json::value& id) {
    return id.is_string() ? std::string(id.get_string()) : json::serialize(id);
}

Result<BatchQuery> parse_batch_line(std::string_view line, int number) {
    boost::system::error_code error;
    const json::value value = json::parse(line, error);
    const json::object* object = error ? nullptr : value.if_object();
    const json::value* id = object ? object->if_contains("_id") : nullptr;
    const json::value* text = object ? object->if_contains("text") : nullptr;
    if (id == nullptr || text == nullptr || !text->is_string())
        return fail(ErrorCode::invalid_argument,
                    fmt::format(R"(line {} is no query: it must be {{"_id": …, "text": …}})", number));
    return BatchQuery{id_text(*id), std::string(text->get_string())};
}

}  // namespace

void add_search_flags(Parser& parser, SearchFlags& flags) {
    parser.add_option("words", flags.words, "What to look for; \"exact phrases\" and -word are understood");
    parser.add_option("--collection", flags.collection, "Where to look (default)");
    parser.add_option("--limit", flags.limit, "Most hits (10; 100 with --batch)").between(1, 10'000);
    parser.add_option("--offset", flags.offset, "Skip this many hits").between(0, 10'000);
    parser.add_option("--site", flags.site, "Only pages of this host and its subdomains");
    parser.add_option("--path", flags.path, "Only pages whose path begins so: /guide");
    parser.add_option("--lang", flags.language, "Only pages in this language: de");
    parser.add_option("--since", flags.since, "Only pages fetched since then: 2026-03-05, 7d");
    parser.add_option("--until", flags.until, "Only pages fetched until then");
    parser.add_option("--mode", flags.mode, "hybrid, keyword or vector (hybrid)");
    parser.add_flag("--all-chunks", flags.all_chunks, "Every passage is a hit, not only the best of a page");
    parser.add_option("--context", flags.context, "Show passages whole, with this many before and after")
        .between(0, 20);
    parser.add_flag("--rerank", flags.rerank, "Let the reranking service order the best hits anew");
    parser.add_option("--batch", flags.batch,
                      "Ask every line {\"_id\",\"text\"} of this file; one JSON line each");
}

Result<search::SearchRequest> search_request(const SearchFlags& flags, Timestamp now) {
    search::SearchRequest request{.collection = flags.collection,
                                  .limit = flags.limit > 0 ? flags.limit : usual_limit,
                                  .offset = flags.offset,
                                  .mode = TRY(search::parse_mode(flags.mode)),
                                  .all_chunks = flags.all_chunks,
                                  .context = flags.context,
                                  .rerank = flags.rerank};
    for (const std::string& word : flags.words) request.query += (request.query.empty() ? "" : " ") + word;
    if (!flags.site.empty()) search::narrow_to_site(request.filter, flags.site);
    if (!flags.path.empty()) request.filter.path_prefix = flags.path;
    request.filter.language = lower_case(flags.language);
    if (!flags.since.empty()) request.filter.since = TRY(parse_time(flags.since, DayEnd::first, now));
    if (!flags.until.empty()) request.filter.until = TRY(parse_time(flags.until, DayEnd::last, now));
    if (flags.batch.empty()) return request;
    // The texts of a batch are questions as they are, not typed for quarry; and only pages are printed.
    request.syntax = search::Syntax::plain;
    request.passages = 0;
    if (flags.limit == 0) request.limit = batch_limit;
    return request;
}

Result<Timestamp> parse_time(std::string_view text, DayEnd end, Timestamp now) {
    if (const auto age = parse_age(text);
        age && text.find_first_not_of("0123456789") != std::string_view::npos)
        return now - *age;
    if (const auto iso = extract::iso_date(text)) return moment_of(*iso, end);
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is no time: write 2026-03-05, or 7d for a week ago", text));
}

Result<std::vector<BatchQuery>> parse_batch(std::string_view lines) {
    std::vector<BatchQuery> queries;
    for (int number = 1; !lines.empty(); ++number) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        const std::string_view line = trimmed(lines.substr(0, end));
        lines.remove_prefix(std::min(end + 1, lines.size()));
        if (!line.empty()) queries.push_back(TRY(parse_batch_line(line, number)));
    }
    return queries;
}

namespace {

constexpr std::size_t indent = 4;
constexpr int narrowest = 40, widest = 100;  // longer lines are hard to read

// Columns a text takes: characters of East Asia and pictures take two. Near enough to wrap lines by.
std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0) == 0x80) continue;
        columns += byte >= 0xE3 && byte != 0xEF ? 2 : 1;
    }
    return columns;
}

// Writes words into lines of a width, painting those that are marked.
class Paragraph {
public:
    Paragraph(const Terminal& terminal, std::size_t width) : terminal_(terminal), width_(width) {}

    void add(const search::Snippet& snippet) {
        const std::string text = printable(snippet.text);
        std::size_t at = 0;
        while (at < text.size()) {
            const std::size_t end = std::min(text.find(' ', at), text.size());
            if (end > at)
                add_word(text, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)}, snippet);
            at = end + 1;
        }
    }

    std::string take() { return std::move(out_); }

private:
    using Range = search::Snippet::Range;

    void add_word(const std::string& text, Range word, const search::Snippet& snippet) {
        const std::size_t columns =
            columns_of(std::string_view(text).substr(word.begin, word.end - word.begin));
        if (column_ > 0 && column_ + 1 + columns > width_) {
            out_ += '\n';
            column_ = 0;
        }
        out_ += column_ > 0 ? " " : std::string(indent, ' ');
        column_ += (column_ > 0 ? 1 : 0) + columns;
        std::uint32_t at = word.begin;
        for (const Range& mark : snippet.marks) {
            const Range part{std::max(mark.begin, at), std::min(mark.end, word.end)};
            if (part.begin >= part.end) continue;
            out_.append(text, at, part.begin - at);
            out_ += terminal_.paint_data(Colour::bold,
                                         std::string_view(text).substr(part.begin, part.end - part.begin));
            at = part.end;
        }
        out_.append(text, at, word.end - at);
    }

    const Terminal& terminal_;
    std::size_t width_;
    std::string out_;
    std::size_t column_ = 0;
};

std::string indented(std::string_view text) {
    std::string lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (!line.empty()) lines += std::string(indent, ' ') + printable(line);
        lines += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// "Guide › Linux", without the page's own title, which stands above it.
std::string heading_path(const search::Hit& hit, const search::Passage& passage) {
    std::string path;
    for (const std::string& heading : passage.headings) {
        if (&heading == &passage.headings.front() && heading == hit.label.title) continue;
        path += (path.empty() ? "" : " › ") + heading;
    }
    return printable(path);
}

std::string passage_text(const search::Hit& hit, bool whole, const Terminal& terminal) {
    if (hit.passages.empty()) return "";
    const search::Passage& passage = hit.passages.front();
    std::string text;
    if (const std::string path = heading_path(hit, passage); !path.empty())
        text += std::string(indent, ' ') + terminal.paint_data(Colour::grey, path) + "\n";
    if (whole) return text + indented(passage.text);
    const int width = std::clamp(terminal.columns, narrowest, widest) - static_cast<int>(indent) - 1;
    Paragraph paragraph(terminal, static_cast<std::size_t>(width));
    paragraph.add(passage.snippet);
    return text + paragraph.take() + "\n";
}

}  // namespace

std::string hits_text(const search::SearchAnswer& answer, const search::SearchRequest& request,
                      const Terminal& terminal) {
    std::string text;
    int rank = request.offset;
    for (const search::Hit& hit : answer.hits) {
        const std::string& title = hit.label.title.empty() ? hit.label.id : hit.label.title;
        text += text.empty() ? "" : "\n";
        text += fmt::format("{:>2}  {}\n", ++rank, terminal.paint_data(Colour::bold, printable(title)));
        if (!hit.label.url.empty())
            text += fmt::format("    {}\n", terminal.paint_data(Colour::blue, printable(hit.label.url)));
        text += passage_text(hit, request.context > 0, terminal);
    }
    return text;
}

// `quarry search`: what the index knows about a question.

namespace {

constexpr std::uint64_t largest_batch_file = 256ULL << 20;

void say_what_else(const CommandContext& session, const search::SearchAnswer& answer,
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
Result<void> check_collection(const app::DataSource& place, const std::string& name) {
    const auto reader = app::open_reader(place);
    if (!reader && reader.error().code == ErrorCode::not_found)
        return std::unexpected(no_such_collection(name, {}));
    if (!reader) return std::unexpected(reader.error());
    if (TRY((*reader)->collection(name))) return {};
    return std::unexpected(no_such_collection(name, TRY((*reader)->collections())));
}

int answer_one(const CommandContext& session, const app::DataSource& place, app::SearchService& service,
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
    return answer->hits.empty() ? exit_incomplete : exit_success;
}

// One line per query, as soon as it is answered. A query without a word in it has no hits.
int answer_all(const CommandContext& session, app::SearchService& service, search::SearchRequest request,
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
    return found ? exit_success : exit_incomplete;
}

Result<std::vector<BatchQuery>> read_batch(const std::string& file) {
    return parse_batch(TRY(read_input(file, largest_batch_file)));
}

int run_search(const CommandContext& session, const SearchFlags& flags) {
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
    return {&parser, [flags](const CommandContext& session) { return run_search(session, *flags); }};
}

}  // namespace quarry::cli
