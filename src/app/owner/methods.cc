#include "app/owner/methods.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.h"
#include "crawl/near_duplicates.h"
#include "crawl/options/options.h"
#include "crawl/url_identity.h"
#include "model/collection.h"
#include "model/job.h"
#include "model/json/records.h"
#include "store/records.h"
#include "store/rows/pages.h"
#include "work/import/documents.h"
#include "work/import/writer.h"
#include "work/jobs/crawl_jobs.h"

namespace quarry::app {

namespace {

namespace json = boost::json;
using work::ImportDocument;

// What is kept beside the words; search reads the id from it.
std::string details_of(const ImportDocument& document) {
    json::object details;
    if (!document.id.empty()) details["id"] = document.id;
    if (!document.metadata.empty()) details["metadata"] = document.metadata;
    return details.empty() ? std::string() : json::serialize(details);
}

// A crawl that meets the page later knows it.
Result<UrlKey> key_of(const ImportDocument& document) {
    if (document.status == 0) return work::document_key(document.url);
    return crawl::url_key(TRY(url::Url::parse(document.url)), {});
}

Result<PageWrite> page_write(const json::value& page, Timestamp now) {
    ImportDocument document = TRY(work::parse_import_document(page));
    TRY(work::pick_up_words(page, document));
    if (trimmed(document.markdown).empty())
        return fail(ErrorCode::invalid_argument, fmt::format("{} has no words", document.url));
    PageWrite write{.key = TRY(key_of(document))};
    write.facts = {.url = document.url,
                   .final_url = document.url,
                   .status = document.status,
                   .etag = document.etag,
                   .last_modified = document.last_modified,
                   .content_type = document.content_type,
                   .title = document.title,
                   .language = document.language,
                   .content_hash = store::content_hash(document.title, document.markdown),
                   .simhash = crawl::simhash(document.markdown),
                   .body_bytes = document.body_bytes,
                   .fetched_at = now};
    const std::string details = details_of(document);
    write.content = TRY(store::pack({.markdown = std::move(document.markdown), .details = details}));
    return write;
}

Result<void> check_param_names(const json::object& params) {
    constexpr std::array<std::string_view, 5> known = {"collection", "site", "priority", "index", "pages"};
    for (const auto& member : params)
        if (const std::string_view name = member.key(); std::ranges::find(known, name) == known.end())
            return fail(ErrorCode::invalid_argument,
                        fmt::format("the parameter \"{}\" is not known. There are: {}", name,
                                    fmt::join(known, ", ")));
    return {};
}

Result<std::string> text_or(const json::object& params, std::string_view name, std::string otherwise) {
    const json::value* value = params.if_contains(name);
    if (!value) return otherwise;
    if (value->is_string()) return std::string(value->get_string());
    return fail(ErrorCode::invalid_argument, fmt::format("the parameter \"{}\" has to be a text", name));
}

Result<int> priority_in(const json::object& params) {
    const json::value* value = params.if_contains("priority");
    if (!value) return priority_normal;
    return parse_embedding_priority(value->is_string() ? std::string(value->get_string())
                                                       : json::serialize(*value));
}

Result<bool> is_to_be_indexed(const json::object& params) {
    const json::value* value = params.if_contains("index");
    if (!value) return true;
    if (value->is_bool()) return value->get_bool();
    return fail(ErrorCode::invalid_argument, "the parameter \"index\" has to be true or false");
}

}  // namespace

Result<json::value> write_pages(store::Store& store, const json::object& params) {
    TRY(check_param_names(params));
    const json::value* pages = params.if_contains("pages");
    if (!pages || !pages->is_array())
        return fail(ErrorCode::invalid_argument, "the parameter \"pages\" has to be a list");
    store::PageBatch batch{.site = TRY(text_or(params, "site", "")),
                           .priority = TRY(priority_in(params)),
                           .index_pages = TRY(is_to_be_indexed(params))};
    batch.collection = TRY(text_or(params, "collection", batch.collection));
    const Timestamp now = store.now();
    batch.pages.reserve(pages->get_array().size());
    for (const json::value& page : pages->get_array()) batch.pages.push_back(TRY(page_write(page, now)));
    const store::PagesWritten written = TRY(store.write_pages(std::move(batch)));
    return json::object{
        {"added", written.added}, {"changed", written.changed}, {"unchanged", written.unchanged}};
}

namespace {

namespace json = boost::json;
using store::JobFilter;
using store::Store;

using Method = Result<json::value> (*)(Store&, const json::object&);

Result<std::int64_t> number_param(const json::object& params, std::string_view name) {
    const json::value* value = params.if_contains(name);
    if (value && value->is_int64()) return value->get_int64();
    return fail(ErrorCode::invalid_argument, fmt::format("the parameter \"{}\" has to be a number", name));
}

Result<std::string> text_param(const json::object& params, std::string_view name) {
    const json::value* value = params.if_contains(name);
    if (value && value->is_string()) return std::string(value->get_string());
    return fail(ErrorCode::invalid_argument, fmt::format("the parameter \"{}\" has to be a text", name));
}

std::string optional_text(const json::object& params, std::string_view name) {
    const json::value* value = params.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

bool parse_key_hash(std::string_view text, KeyHash& bytes) {
    if (text.size() != 2 * bytes.size()) return false;
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        const char* digits = text.data() + 2 * index;
        const auto [end, error] = std::from_chars(digits, digits + 2, bytes[index], 16);
        if (error != std::errc() || end != digits + 2) return false;
    }
    return true;
}

Result<json::value> crawl(Store& store, const json::object& params) {
    const auto options = TRY(crawl::parse_crawl_options(params));
    const GroupId group = TRY(work::start_crawl(store, options));
    return json::object{{"group", number(group)}};
}

template <Result<void> (Store::*change)(GroupId)>
Result<json::value> of_group(Store& store, const json::object& params) {
    const GroupId group{TRY(number_param(params, "group"))};
    TRY((store.*change)(group));
    return json::object();
}

Result<json::value> reprioritise(Store& store, const json::object& params) {
    const GroupId group{TRY(number_param(params, "group"))};
    const std::int64_t priority = TRY(number_param(params, "priority"));
    TRY(store.reprioritise(group, static_cast<int>(priority)));
    return json::object();
}

template <Result<std::int64_t> (Store::*change)(const JobFilter&)>
Result<json::value> of_jobs(Store& store, const json::object& params) {
    const JobFilter filter = TRY(store::parse_job_filter(params));
    return json::object{{"count", TRY((store.*change)(filter))}};
}

Result<json::value> backup(Store& store, const json::object& params) {
    const std::string file = TRY(text_param(params, "file"));
    TRY(store.backup(file));
    return json::object();
}

Result<json::value> schedule(Store& store, const json::object& params) {
    const std::string name = TRY(text_param(params, "name"));
    const std::string cron = TRY(text_param(params, "cron"));
    const json::value* json = params.if_contains("options");
    const auto options = TRY(crawl::parse_crawl_options(json ? *json : json::value()));
    auto planned = TRY(work::crawl_schedule(name, cron, options));
    TRY(store.set_schedule(std::move(planned)));
    return json::object();
}

Result<json::value> unschedule(Store& store, const json::object& params) {
    const std::string name = TRY(text_param(params, "name"));
    return json::object{{"removed", TRY(store.remove_schedule(name))}};
}

Result<json::value> forget(Store& store, const json::object& params) {
    const auto filter = TRY(store::parse_page_filter(params));
    return json::object{{"count", TRY(store.forget(filter))}};
}

Result<json::value> index_again(Store& store, const json::object& params) {
    const auto filter = TRY(store::parse_page_filter(params));
    return json::object{{"count", TRY(store.index_again(filter))}};
}

// What failed gets new attempts; what waits for its time has had some, and is due.
Result<json::value> embed_group(Store& store, const json::object& params) {
    const GroupId group{TRY(number_param(params, "group"))};
    TRY(store.index_again({.group = group}, store::IndexAgain::missing));
    TRY(store.retry(
        JobFilter{.group = group, .kind = "embed_page", .states = {JobState::failed, JobState::cancelled}}));
    TRY(store.hasten({.group = group, .kind = "embed_page", .states = {JobState::queued}}));
    return json::object();
}

Result<json::value> set_collection(Store& store, const json::object& params) {
    Collection collection{.name = TRY(text_param(params, "name")), .created_at = store.now()};
    collection.embedder.provider = TRY(text_param(params, "provider"));
    collection.embedder.model = optional_text(params, "model");
    collection.embedder.version = optional_text(params, "version");
    if (params.contains("dimensions"))
        collection.embedder.dimensions = static_cast<int>(TRY(number_param(params, "dimensions")));
    TRY(store.set_collection(collection));
    return json::object();
}

Result<json::value> remove_collection(Store& store, const json::object& params) {
    const std::string name = TRY(text_param(params, "name"));
    return json::object{{"removed", TRY(store.remove_collection(name))}};
}

// The key itself never comes here, only what it is known by.
Result<json::value> add_key(Store& store, const json::object& params) {
    ApiKey key{.owner = TRY(text_param(params, "owner"))};
    key.name = optional_text(params, "name");
    key.hint = optional_text(params, "hint");
    const std::string hash = TRY(text_param(params, "hash"));
    if (!is_owner_name(key.owner))
        return fail(ErrorCode::invalid_argument, "an owner's name has letters, digits and ._@- only");
    if (!parse_key_hash(hash, key.hash)) return fail(ErrorCode::invalid_argument, "a hash has 64 hex digits");
    return json::object{{"id", TRY(store.add_key(key))}};
}

Result<json::value> revoke_key(Store& store, const json::object& params) {
    const std::int64_t id = TRY(number_param(params, "id"));
    return json::object{{"revoked", TRY(store.revoke_key(id))}};
}

Result<json::value> set_limits(Store& store, const json::object& params) {
    const std::string owner = TRY(text_param(params, "owner"));
    store::OwnerLimits limits;
    limits.running_groups = static_cast<int>(TRY(number_param(params, "crawls")));
    limits.running_jobs = static_cast<int>(TRY(number_param(params, "jobs")));
    limits.open_jobs = TRY(number_param(params, "open_jobs"));
    limits.requests_per_minute = TRY(number_param(params, "requests_per_minute"));
    limits.pages_per_month = TRY(number_param(params, "pages_per_month"));
    // Of a command that is older it is not asked for.
    if (params.contains("stored_bytes")) limits.stored_bytes = TRY(number_param(params, "stored_bytes"));
    TRY(store.set_limits(owner, limits));
    return json::object();
}

Result<json::value> add_requests(Store& store, const json::object& params) {
    std::vector<RequestRecord> records;
    const json::value* list = params.if_contains("requests");
    if (!list || !list->is_array()) return fail(ErrorCode::invalid_argument, "\"requests\" has to be a list");
    for (const json::value& item : list->get_array()) records.push_back(TRY(parse_request_record(item)));
    TRY(store.add_requests(records));
    return json::object();
}

Result<json::value> add_session(Store& store, const json::object& params) {
    Session session = TRY(parse_session(params));
    // What began and ended elsewhere is timed by this clock.
    session.completed_at = store.now();
    session.started_at = *session.completed_at - session.counts.duration;
    TRY(store.add_session(session));
    return json::object();
}

Result<json::value> add_urls(Store& store, const json::object& params) {
    const GroupId group{TRY(number_param(params, "group"))};
    const auto filter = TRY(store::parse_page_filter(params));
    TRY(work::add_urls(store, group, filter.urls));
    return json::object();
}

const std::map<std::string, Method>& methods() {
    static const std::map<std::string, Method> table = {
        {"crawl", crawl},
        {"schedule", schedule},
        {"unschedule", unschedule},
        {"add_urls", add_urls},
        {"add_requests", add_requests},
        {"add_session", add_session},
        {"cancel", of_group<&Store::cancel>},
        {"erase", of_group<&Store::erase>},
        {"pause", of_group<&Store::pause>},
        {"resume", of_group<&Store::resume>},
        {"reprioritise", reprioritise},
        {"cancel_jobs", of_jobs<&Store::cancel>},
        {"pause_jobs", of_jobs<&Store::pause>},
        {"resume_jobs", of_jobs<&Store::resume>},
        {"retry_jobs", of_jobs<&Store::retry>},
        {"clear_jobs", of_jobs<&Store::clear>},
        {"backup", backup},
        {"add_key", add_key},
        {"revoke_key", revoke_key},
        {"set_limits", set_limits},
        {"write_pages", write_pages},
        {"forget", forget},
        {"index_again", index_again},
        {"embed", embed_group},
        {"set_collection", set_collection},
        {"remove_collection", remove_collection},
    };
    return table;
}

}  // namespace

Result<json::value> perform(Store& store, const std::string& method, const json::object& params) {
    const auto found = methods().find(method);
    if (found == methods().end())
        return fail(ErrorCode::unsupported, fmt::format("the worker knows no \"{}\"", method));
    return found->second(store, params);
}

}  // namespace quarry::app
