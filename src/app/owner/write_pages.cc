#include "app/owner/write_pages.h"

#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.h"
#include "crawl/simhash.h"
#include "crawl/url_identity.h"
#include "model/job.h"
#include "store/rows/pack.h"
#include "work/import/import_document.h"
#include "work/import/writer.h"

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
            return fail(ErrorCode::invalid_argument, fmt::format("the parameter \"{}\" is not known. There are: {}",
                                                                 name, fmt::join(known, ", ")));
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

}  // namespace quarry::app
