// The routes that extract data from several pages as a job: the pages are a group like those of a batch. The
// worker that reads a page makes its data, which is stored with the page. A client that asks for the job gets
// the data of all pages, merged.
#include <boost/json.hpp>

#include "api/firecrawl/document.h"
#include "api/firecrawl/page_request.h"
#include "api/firecrawl/routes.h"
#include "api/firecrawl/states.h"
#include "api/server/message.h"
#include "chat/page_parts.h"
#include "model/json/values.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

constexpr std::string_view extract_kind = "extract";
constexpr std::size_t most_extracted_urls = 100;

void read_urls(Fields& fields, crawl::CrawlOptions& options) {
    const auto urls = fields.texts("urls");
    if (!urls || urls->empty()) return fields.reject("urls", "is missing: pages are not searched for");
    if (urls->size() > most_extracted_urls) return fields.reject("urls", "has more than 100 URLs");
    const bool ignores_invalid = fields.flag("ignoreInvalidURLs").value_or(true);
    for (const std::string& text : *urls) {
        if (text.ends_with("/*"))
            return fields.reject(
                "urls",
                "has \"" + text + "\": a whole site is not read here, name its pages (/v2/map lists them)");
        auto url = read_page_url(text);
        if (url) options.urls.push_back(*std::move(url));
        if (!url && !ignores_invalid)
            return fields.reject("urls", "has \"" + text + "\", which is no http or https URL");
    }
    if (options.urls.empty()) fields.reject("urls", "has no http or https URL");
}

crawl::CrawlOptions read_extract_request(const json::object& body, std::vector<Issue>& issues,
                                         DataWish& wish) {
    crawl::CrawlOptions options = options_of_pages(extract_kind);
    Fields fields(body, issues);
    if (const json::object* page = fields.object("scrapeOptions")) {
        Fields inner(*page, issues, "scrapeOptions.");
        read_page_wish(inner, options);
    }
    read_urls(fields, options);
    read_schema_and_prompt(fields, body, wish);
    options.limit = most_extracted_urls;
    options.priority = priority_high;
    options.formats = Formats();
    options.data = wish;
    options.about["extract"] = {{"showSources", fields.flag("showSources").value_or(false)}};
    return options;
}

bool shows_sources(const json::object& about) {
    const json::value* extract = about.if_contains("extract");
    const json::object* object = extract != nullptr ? extract->if_object() : nullptr;
    const json::value* shows = object != nullptr ? object->if_contains("showSources") : nullptr;
    return shows != nullptr && *shows == true;
}

struct Extracted {
    json::value data{};
    json::array sources{};
    std::string error{};  // of the last page without data
    std::string warning{};
};

// The fields of a page's record other than its words.
json::object answers_of(const StoredPage& page) {
    json::error_code error;
    json::value details = json::parse(page.content->details, error);
    const json::object* object = error ? nullptr : details.if_object();
    const json::value* answers = object != nullptr ? object->if_contains("answers") : nullptr;
    return answers != nullptr && answers->is_object() ? answers->get_object() : json::object();
}

void take(const json::object& answers, std::string_view name, std::string& into) {
    const json::value* words = answers.if_contains(name);
    if (words != nullptr && words->is_string()) into = words->get_string();
}

Result<Extracted> extract_all(store::Reader& reader, const Group& group) {
    const auto pages =
        TRY(reader.pages({.group = group.id, .limit = most_extracted_urls, .with_content = true}));
    Extracted extracted{.error = "no page could be fetched"};
    for (const StoredPage& page : pages.pages) {
        if (!page.content) continue;
        const json::object answers = answers_of(page);
        take(answers, "error", extracted.error);
        take(answers, "warning", extracted.warning);
        const json::value* data = answers.if_contains("json");
        if (data == nullptr) continue;
        chat::merge_into(extracted.data, *data);
        extracted.sources.emplace_back(page.facts.url);
    }
    return extracted;
}

void answer_with_data(Api& api, store::Reader& reader, const Call& call, const Group& group) {
    const auto options = crawl::options_of(group);
    if (!options) return call.respond(reply(options.error()));
    auto extracted = extract_all(reader, group);
    if (!extracted) return call.respond(reply(extracted.error()));
    const bool is_there = !extracted->sources.empty();
    json::object answer{{"success", true},
                        {"status", is_there ? "completed" : "failed"},
                        {"data", is_there ? std::move(extracted->data) : json::value(json::object())},
                        {"expiresAt", iso_time(expiry_of(api.services(), group))},
                        {"creditsUsed", extracted->sources.size()}};
    if (!is_there) answer["error"] = extracted->error;
    if (is_there && !extracted->warning.empty()) answer["warning"] = answer["error"] = extracted->warning;
    if (shows_sources(options->about))
        answer["sources"] = json::object{{"pages", std::move(extracted->sources)}};
    call.respond(reply(answer));
}

}  // namespace

void begin_extract(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    DataWish wish;
    crawl::CrawlOptions options = read_extract_request(call.body, issues, wish);
    if (wish.needs_model() && api.services().model == nullptr)
        issues.push_back({.path = "prompt", .message = std::string(needs_model_sentence)});
    if (!issues.empty()) return call.respond(reply(issues));
    Api::claim(call, options);
    const auto id = api.begin_crawl(reader, call, std::move(options));
    if (!id) return call.respond(reply(id.error()));
    const auto group = reader.group(*id);
    if (!group) return call.respond(reply(group.error()));
    call.respond(
        reply(json::object{{"success", true}, {"id", id_of(*group, reader)}, {"urlTrace", json::array()}}));
}

void show_extract(Api& api, store::Reader& reader, Call call) {
    const auto group = find_group(reader, call, extract_kind);
    if (!group) return call.respond(reply(group.error()));
    if (group->is_over() && group->state != JobState::cancelled)
        return answer_with_data(api, reader, call, *group);
    const bool is_cancelled = group->state == JobState::cancelled;
    call.respond(reply(json::object{{"success", true},
                                    {"status", is_cancelled ? "cancelled" : "processing"},
                                    {"data", json::array()},
                                    {"expiresAt", iso_time(expiry_of(api.services(), *group))}}));
}

}  // namespace quarry::api
