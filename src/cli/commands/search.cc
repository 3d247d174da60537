#include "cli/commands/search.h"

#include <charconv>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/units.h"
#include "extract/metadata/dates.h"
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

}  // namespace quarry::cli
