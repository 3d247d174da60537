#include "app/write_pages.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "crawl/simhash.h"
#include "crawl/url_identity.h"
#include "store/pack.h"
#include "work/import_document.h"
#include "work/import_writer.h"

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

template <typename T>
T param_or(const json::object& params, std::string_view name, T otherwise) {
    const json::value* value = params.if_contains(name);
    if (!value) return otherwise;
    if constexpr (std::is_same_v<T, std::string>) {
        return value->is_string() ? std::string(value->get_string()) : otherwise;
    } else if constexpr (std::is_same_v<T, bool>) {
        return value->is_bool() ? value->get_bool() : otherwise;
    } else {
        return value->is_int64() ? static_cast<T>(value->get_int64()) : otherwise;
    }
}

}  // namespace

Result<json::value> write_pages(store::Store& store, const json::object& params) {
    const json::value* pages = params.if_contains("pages");
    if (!pages || !pages->is_array())
        return fail(ErrorCode::invalid_argument, "the parameter \"pages\" has to be a list");
    store::PageBatch batch{.site = param_or(params, "site", std::string()),
                           .priority = param_or(params, "priority", priority_normal),
                           .index_pages = param_or(params, "index", true)};
    batch.collection = param_or(params, "collection", batch.collection);
    const Timestamp now = store.now();
    batch.pages.reserve(pages->get_array().size());
    for (const json::value& page : pages->get_array()) batch.pages.push_back(TRY(page_write(page, now)));
    const store::PagesWritten written = TRY(store.write_pages(std::move(batch)));
    return json::object{
        {"added", written.added}, {"changed", written.changed}, {"unchanged", written.unchanged}};
}

}  // namespace quarry::app
