// Data of several pages, as a job: the pages are a group like those of a batch, which remembers what is
// wanted of them; the data is made from the stored pages when somebody asks for it. So a restart loses
// nothing.
#include "api/firecrawl/crawl_request.h"
#include "api/firecrawl/data_request.h"
#include "api/firecrawl/groups.h"
#include "api/firecrawl/page_answers.h"
#include "api/firecrawl/routes.h"
#include "api/reply.h"
#include "chat/page_parts.h"
#include "model/iso_time.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

constexpr std::string_view extract_kind = "extract";
constexpr std::size_t most_urls = 100;

void read_urls(Fields& fields, crawl::CrawlOptions& options) {
    const auto urls = fields.texts("urls");
    if (!urls || urls->empty()) return fields.reject("urls", "is missing: pages are not searched for");
    if (urls->size() > most_urls) return fields.reject("urls", "has more than 100 URLs");
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
    options.limit = most_urls;
    options.priority = priority_high;
    options.formats = Formats();
    store_for_answers(options.formats);
    options.about["extract"] = {{"schema", wish.schema},
                                {"prompt", wish.prompt},
                                {"showSources", fields.flag("showSources").value_or(false)}};
    return options;
}

DataWish wish_of(const json::object& about) {
    DataWish wish{.wants_json = true};
    const json::value* extract = about.if_contains("extract");
    const json::object* object = extract != nullptr ? extract->if_object() : nullptr;
    if (object == nullptr) return wish;
    if (const json::value* schema = object->if_contains("schema")) wish.schema = *schema;
    if (const json::value* prompt = object->if_contains("prompt"); prompt != nullptr && prompt->is_string())
        wish.prompt = prompt->get_string();
    return wish;
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
    std::string error{};  // of the last page that had nothing
    std::string warning{};
};

Result<Extracted> extract_all(Api& api, store::Reader& reader, const Group& group, const DataWish& wish) {
    const auto pages = TRY(reader.pages({.group = group.id, .limit = most_urls, .with_content = true}));
    Extracted extracted{.error = "no page could be fetched"};
    for (const StoredPage& page : pages.pages) {
        if (!page.content) continue;
        json::object document;
        const auto added = add_answers(page, wish, api.services().model.get(), api.stopping(), document);
        if (!added) {
            extracted.error = added.error().message;
            continue;
        }
        chat::merge_into(extracted.data, document["json"]);
        extracted.sources.emplace_back(page.facts.url);
        if (const json::value* warning = document.if_contains("warning"))
            extracted.warning = warning->as_string();
    }
    return extracted;
}

void answer_with_data(Api& api, store::Reader& reader, const Call& call, const Group& group) {
    const auto options = crawl::options_of(group);
    if (!options) return call.respond(reply(options.error()));
    auto extracted = extract_all(api, reader, group, wish_of(options->about));
    if (!extracted) return call.respond(reply(extracted.error()));
    const bool is_there = !extracted->sources.empty();
    json::object answer{{"success", true},
                        {"status", is_there ? "completed" : "failed"},
                        {"data", is_there ? std::move(extracted->data) : json::value(json::object())},
                        {"expiresAt", iso_time(expiry_of(group))},
                        {"creditsUsed", extracted->sources.size()}};
    if (!is_there) answer["error"] = extracted->error;
    if (!extracted->warning.empty()) answer["warning"] = extracted->warning;
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
        return api.post_slow(call, [&api, call, group = *group](store::Reader& own) {
            answer_with_data(api, own, call, group);
        });
    const bool is_cancelled = group->state == JobState::cancelled;
    call.respond(reply(json::object{{"success", true},
                                    {"status", is_cancelled ? "cancelled" : "processing"},
                                    {"data", json::array()},
                                    {"expiresAt", iso_time(expiry_of(*group))}}));
}

}  // namespace quarry::api
