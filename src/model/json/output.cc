#include "model/json/output.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "model/ids.h"

namespace quarry {

namespace {

namespace json = boost::json;

// "og:site_name" becomes "ogSiteName", "dc.date.created" becomes "dcDateCreated".
std::string camel_case(std::string_view name) {
    std::string key;
    bool starts_word = false;
    for (const char letter : name) {
        if (letter == ':' || letter == '.' || letter == '_' || letter == '-') {
            starts_word = !key.empty();
            continue;
        }
        const bool is_lower = letter >= 'a' && letter <= 'z';
        key += starts_word && is_lower ? static_cast<char>(letter - 'a' + 'A') : letter;
        starts_word = false;
    }
    return key;
}

// Firecrawl gives these names to Open Graph's article:… properties.
std::string open_graph_key(std::string_view name) {
    if (name == "article:published_time") return "publishedTime";
    if (name == "article:modified_time") return "modifiedTime";
    return camel_case(name);
}

void add_text(json::object& object, std::string_view key, const std::string& value) {
    if (!value.empty() && !object.contains(key)) object.emplace(key, value);
}

// A name met again turns its value into a list, as Firecrawl's clients expect of repeated meta tags.
void add_repeated(json::object& object, const std::string& key, const std::string& value) {
    if (key.empty()) return;
    json::value& place = object[key];
    if (place.is_null()) {
        place = value;
    } else if (place.is_array()) {
        place.as_array().emplace_back(value);
    } else {
        place = json::array{std::move(place), json::value(value)};
    }
}

std::string directives(const RobotsDirectives& robots) {
    std::string list;
    const auto add = [&](bool asked, std::string_view name) {
        if (!asked) return;
        if (!list.empty()) list += ", ";
        list += name;
    };
    add(robots.noindex, "noindex");
    add(robots.nofollow, "nofollow");
    add(robots.noarchive, "noarchive");
    add(robots.nosnippet, "nosnippet");
    return list;
}

void add_stated_fields(json::object& object, const Metadata& metadata) {
    add_text(object, "title", metadata.title);
    add_text(object, "description", metadata.description);
    add_text(object, "language", metadata.language);
    add_text(object, "author", metadata.author);
    add_text(object, "keywords", metadata.keywords);
    add_text(object, "robots", directives(metadata.robots));
    add_text(object, "siteName", metadata.site_name);
    add_text(object, "canonical", metadata.canonical);
    add_text(object, "favicon", metadata.favicon);
    add_text(object, "image", metadata.image);
    add_text(object, "publishedTime", metadata.published);
    add_text(object, "modifiedTime", metadata.modified);
    if (metadata.pages > 0) object["numPages"] = metadata.pages;
}

// Facts about the fetch, which the caller adds. A page that names a meta tag so must not pass for it.
bool is_reserved(std::string_view name) {
    constexpr std::array reserved{
        std::string_view{"url"},
        std::string_view{"sourceURL"},
        std::string_view{"statusCode"},
        std::string_view{"error"},
        std::string_view{"scrapeId"},
        std::string_view{"contentType"},
        std::string_view{"proxyUsed"},
        std::string_view{"cacheState"},
        std::string_view{"cachedAt"},
        std::string_view{"numPages"},
        std::string_view{"totalPages"},
        std::string_view{"creditsUsed"},
        std::string_view{"concurrencyLimited"},
    };
    return std::ranges::find(reserved, name) != reserved.end();
}

// What the page names itself is gathered apart, so that repetition makes lists there but never touches ours.
void add_page_fields(json::object& object, const Metadata& metadata) {
    json::object stated;
    for (const auto& [name, value] : metadata.open_graph) add_repeated(stated, open_graph_key(name), value);
    for (const auto& [name, value] : metadata.dublin_core) add_repeated(stated, camel_case(name), value);
    for (const auto& [name, value] : metadata.other) add_repeated(stated, name, value);
    for (json::key_value_pair& field : stated) {
        if (!object.contains(field.key()) && !is_reserved(field.key()))
            object.emplace(field.key(), std::move(field.value()));
    }
}

json::array json_ld(const Metadata& metadata) {
    json::array list;
    for (const std::string& text : metadata.json_ld) {
        boost::system::error_code error;
        json::value value = json::parse(text, error);
        if (!error) list.push_back(std::move(value));
    }
    return list;
}

template <typename Item>
json::array urls(const std::vector<Item>& items) {
    json::array list;
    list.reserve(items.size());
    for (const Item& item : items) list.emplace_back(item.url);
    return list;
}

json::array attributes(const Document& document) {
    json::array list;
    for (const AttributeValues& one : document.attributes) {
        json::array values;
        for (const std::string& value : one.values) values.emplace_back(value);
        list.push_back(json::object{
            {"selector", one.selector}, {"attribute", one.attribute}, {"values", std::move(values)}});
    }
    return list;
}

}  // namespace

boost::json::object to_json(const Metadata& metadata) {
    json::object object;
    add_stated_fields(object, metadata);
    if (json::array list = json_ld(metadata); !list.empty()) object["jsonLd"] = std::move(list);
    add_page_fields(object, metadata);
    return object;
}

boost::json::object to_json(const Document& document, const Formats& formats) {
    json::object object;
    if (formats.markdown) object["markdown"] = document.markdown;
    if (formats.html) object["html"] = document.html;
    if (formats.raw_html) object["rawHtml"] = document.raw_html;
    if (formats.text) object["text"] = document.text;
    if (formats.links) object["links"] = urls(document.links);
    if (formats.images) object["images"] = urls(document.images);
    if (!document.attributes.empty()) object["attributes"] = attributes(document);
    add_text(object, "warning", document.warning);
    if (formats.metadata) object["metadata"] = to_json(document.metadata);
    return object;
}

namespace {

namespace json = boost::json;

json::value text_or_null(const std::string& text) {
    return text.empty() ? json::value(nullptr) : json::value(text);
}

json::value time_or_null(std::optional<Timestamp> time) {
    return time ? json::value(iso_time(*time)) : json::value(nullptr);
}

// The outbox is an embedding queue, and those who read embedding queues know these words.
std::string_view embedding_state(JobState state) {
    switch (state) {
        case JobState::queued: return "pending";
        case JobState::running: return "processing";
        default: return name_of(state);
    }
}

std::string_view status_of(const Job& job) {
    return job.kind == "embed_page" ? embedding_state(job.state) : name_of(job.state);
}

// Members of `details` that the record does not state itself. Details are JSON that quarry wrote; a text that
// does not parse adds nothing.
void add_details(json::object& record, const std::string& details) {
    boost::system::error_code error;
    const json::value parsed = json::parse(details, error);
    if (error || !parsed.is_object()) return;
    for (const auto& [name, value] : parsed.get_object()) record.insert({{name, value}});
}

}  // namespace

int percent_done(const Group& group) {
    if (group.state == JobState::completed) return 100;
    const GroupCounters& counters = group.counters;
    const std::int64_t done = counters.completed + counters.failed + counters.skipped;
    const std::int64_t total = std::max<std::int64_t>(counters.discovered, 1);
    return static_cast<int>(std::min<std::int64_t>(99, done * 100 / total));
}

json::object to_json(const Timings& timings) {
    const auto in_ms = [](std::chrono::microseconds time) {
        return static_cast<double>(time.count()) / 1'000;
    };
    return {{"fetch_ms", in_ms(timings.fetch)}, {"extract_ms", in_ms(timings.extract)},
            {"chunk_ms", in_ms(timings.chunk)}, {"embed_ms", in_ms(timings.embed)},
            {"index_ms", in_ms(timings.index)}, {"bm25_ms", in_ms(timings.words)}};
}

json::object to_json(const Group& group, std::uint64_t salt) {
    const GroupCounters& counters = group.counters;
    return {{"crawl_id", public_id(number(group.id), group.created_at, salt)},
            {"status", name_of(group.state)},
            {"url", group.name},
            {"collection", group.collection},
            {"priority", group.priority},
            {"created_at", iso_time(group.created_at)},
            {"started_at", time_or_null(group.started_at)},
            {"completed_at", time_or_null(group.finished_at)},
            {"progress", percent_done(group)},
            {"urls_total", counters.discovered},
            {"urls_completed", counters.completed},
            {"urls_failed", counters.failed},
            {"urls_skipped", counters.skipped},
            {"urls_queued", counters.queued},
            {"urls_running", counters.running},
            {"pages_unchanged", counters.unchanged},
            {"pages_duplicate", counters.duplicates},
            {"pages_removed", counters.removed},
            {"urls_gone", counters.gone},
            {"urls_not_admitted", counters.not_admitted},
            {"bytes", counters.bytes},
            {"pages_indexed", counters.indexed},
            {"pages_not_indexed", counters.index_failed},
            {"chunks", counters.chunks},
            {"timings", to_json(group.timings)},
            {"error", text_or_null(group.error)}};
}

json::object to_json(const Job& job, std::uint64_t salt, std::optional<Timestamp> group_created_at) {
    const Timestamp updated =
        std::max({job.created_at, job.started_at.value_or(job.created_at),
                  job.tried_at.value_or(job.created_at), job.finished_at.value_or(job.created_at)});
    json::value group = nullptr;
    if (job.group && group_created_at) group = public_id(number(*job.group), *group_created_at, salt);
    return {{"id", public_id(number(job.id), job.created_at, salt)},
            {"jobId", std::move(group)},
            {"url", text_or_null(job.url)},
            {"status", status_of(job)},
            {"retries", job.attempts},
            {"maxRetries", job.max_attempts},
            {"lastError", text_or_null(job.last_error)},
            {"createdAt", iso_time(job.created_at)},
            {"updatedAt", iso_time(updated)},
            {"kind", job.kind},
            {"priority", job.priority},
            {"stalls", job.stalls},
            {"progress", job.progress},
            {"owner", job.owner},
            {"runAt", time_or_null(job.run_at)},
            {"startedAt", time_or_null(job.started_at)},
            {"finishedAt", time_or_null(job.finished_at)}};
}

json::object to_json(const FrontierUrl& url) {
    const bool skipped = url.state == UrlState::skipped;
    return {{"url", url.url},
            {"finalUrl", text_or_null(url.final_url)},
            {"status", name_of(url.state)},
            {"reason", skipped ? json::value(name_of(url.skipped)) : json::value(nullptr)},
            {"error", text_or_null(url.note)},
            {"statusCode", url.status == 0 ? json::value(nullptr) : json::value(url.status)},
            {"depth", url.depth},
            {"source", name_of(url.source)},
            {"attempts", url.attempts},
            {"finishedAt", time_or_null(url.finished_at)}};
}

json::object to_json(const StoredPage& page) {
    const PageFacts& facts = page.facts;
    json::object record{{"url", facts.url},
                        {"finalUrl", facts.final_url.empty() ? facts.url : facts.final_url},
                        {"statusCode", facts.status},
                        {"title", facts.title},
                        {"language", text_or_null(facts.language)},
                        {"contentType", facts.content_type},
                        {"fetchedAt", iso_time(facts.fetched_at)},
                        {"changedAt", iso_time(page.changed_at)},
                        {"collection", page.collection},
                        {"etag", text_or_null(facts.etag)},
                        {"lastModified", text_or_null(facts.last_modified)},
                        {"contentHash", fmt::format("{:016x}", facts.content_hash)},
                        {"bodyBytes", facts.body_bytes},
                        {"nearDuplicateOf", text_or_null(page.near_duplicate_of)}};
    if (!page.content) return record;
    record["markdown"] = page.content->markdown;
    if (!page.content->html.empty()) record["html"] = page.content->html;
    add_details(record, page.content->details);
    return record;
}

}  // namespace quarry
