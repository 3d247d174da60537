// Collections, the documents in them, and the chunks those were cut into.
#include <algorithm>
#include <limits>

#include <boost/json.hpp>

#include "api/own/query.h"
#include "api/own/routes.h"
#include "api/own/scope.h"
#include "api/server/message.h"
#include "crawl/url_identity.h"
#include "index/chunk_records.h"
#include "model/collection.h"
#include "model/json/fields.h"
#include "model/json/records.h"
#include "store/records.h"

namespace quarry::api::own {
namespace {

namespace json = boost::json;

constexpr int most_documents = 1'000;
constexpr int most_documents_with_content = 50;  // of which each may have megabytes
constexpr int most_chunks = 1'000;

// With what the index has of it.
json::object collection_record(const Call& call, const Collection& collection,
                               const json::value& index_facts) {
    json::object record = record_of(collection);
    const json::object* facts = index_facts.if_object();
    const json::value* own = facts ? facts->if_contains(call.collection(collection.name)) : nullptr;
    record["index"] = own ? *own : json::value(json::object());
    return record;
}

std::size_t content_bytes(const store::StoredPages& read) {
    std::size_t bytes = 0;
    for (const StoredPage& page : read.pages)
        if (page.content)
            bytes += page.content->markdown.size() + page.content->details.size() + page.content->html.size();
    return bytes;
}

// Few enough for one answer, if they are large; the others come with the next question.
Result<store::StoredPages> read_some(store::Reader& reader, store::PageQuery wanted) {
    constexpr std::size_t most_bytes = 32u << 20;
    while (true) {
        store::StoredPages read = TRY(reader.pages(wanted));
        if (wanted.limit == 1 || content_bytes(read) <= most_bytes) return read;
        wanted.limit = std::max(1, wanted.limit / 4);
    }
}

Result<json::value> read_documents(store::Reader& reader, const Call& call, const store::PageQuery& wanted) {
    store::StoredPages read = TRY(read_some(reader, wanted));
    json::array documents;
    for (StoredPage& page : read.pages)
        if (is_own_collection(call, page.collection))
            documents.push_back(record_of(shown(call, std::move(page))));
    return json::object{{"success", true},
                        {"documents", std::move(documents)},
                        {"next", read.next ? json::value(*read.next) : json::value(nullptr)},
                        {"last", read.last}};
}

store::PageQuery page_in(Query& query) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    store::PageQuery wanted{.after = query.integer("after", 0, most).value_or(0),
                            .skip = query.integer("skip", 0, most).value_or(0),
                            .with_content = query.flag("content")};
    wanted.limit = wanted.with_content ? query.limit(most_documents_with_content, most_documents_with_content)
                                       : query.limit(100, most_documents);
    return wanted;
}

// The key, or those that an address may have: in any spelling that a crawl takes for the same, or as it was
// written with a document.
Result<std::vector<UrlKey>> keys_in(Query query) {
    const std::string key = query.text("key"), text = query.text("url");
    if (!key.empty()) {
        const auto high = parse_hex(std::string_view(key).substr(0, 16));
        const auto low = key.size() == 32 ? parse_hex(std::string_view(key).substr(16)) : std::nullopt;
        if (!high || !low) return fail(ErrorCode::invalid_argument, "key has to be 32 hexadecimal digits");
        return std::vector{UrlKey{*high, *low}};
    }
    if (text.empty()) return fail(ErrorCode::invalid_argument, "say which: ?url= or ?key=");
    std::vector<UrlKey> keys;
    const auto url = url::Url::parse(text);
    if (url) keys.push_back(crawl::url_key(*url, crawl::identity_rules(crawl::CrawlOptions{})));
    keys.push_back(crawl::document_key(text));
    if (url) keys.push_back(crawl::document_key(url->href()));
    return keys;
}

Result<StoredPage> find_document(store::Reader& reader, const Call& call) {
    for (const UrlKey& key : TRY(keys_in(Query(call.request()))))
        if (auto page = TRY(reader.page(call.collection(call.values.at(0)), key))) return *std::move(page);
    return fail(ErrorCode::not_found, "there is no such document");
}

Result<json::value> read_chunks(Api& api, const Call& call, const std::vector<ChunkRef>& wanted,
                                bool with_vectors) {
    const auto with = with_vectors ? index::WithVectors::yes : index::WithVectors::no;
    const std::string& name = call.values.at(0);
    json::array chunks = TRY(api.services().read_chunks(call.collection(name), wanted, with));
    for (json::value& chunk : chunks) chunk.get_object()["collection"] = name;
    return json::object{{"success", true}, {"chunks", std::move(chunks)}};
}

// A file of words would be one of this machine's: only its own commands may name one.
bool names_a_file(const json::object& body) {
    const json::value* pages = body.if_contains("pages");
    if (!pages || !pages->is_array()) return false;
    for (const json::value& page : pages->get_array())
        if (page.is_object() && page.get_object().contains("markdown_file")) return true;
    return false;
}

}  // namespace

void list_collections(Api& api, store::Reader& reader, Call call) {
    const auto collections = own_collections(reader, call);
    if (!collections) return call.respond(reply(collections.error()));
    const auto facts = api.services().perform("index_facts", {});
    json::array records;
    for (const Collection& collection : *collections)
        records.push_back(collection_record(call, collection, facts.value_or(json::value())));
    call.respond(reply(json::object{{"success", true}, {"collections", std::move(records)}}));
}

void show_collection(Api& api, store::Reader& reader, Call call) {
    auto collection = reader.collection(call.collection(call.values.at(0)));
    if (!collection) return call.respond(reply(collection.error()));
    if (!*collection) return call.respond(reply(Error{ErrorCode::not_found, "there is no such collection"}));
    const auto facts = api.services().perform("index_facts", {});
    call.respond(
        reply(collection_record(call, shown(call, **std::move(collection)), facts.value_or(json::value()))));
}

void show_index(Api& api, store::Reader&, Call call) {
    const auto facts = api.services().perform("index_facts", {});
    const auto all = facts ? answered_object(*facts) : std::unexpected(facts.error());
    if (!all) return call.respond(reply(all.error()));
    json::object own;
    for (const auto& [name, value] : *all)
        if (is_own_collection(call, name)) own[plain_collection(call.owner, name)] = value;
    call.respond(reply(own));
}

void set_collection(Api& api, store::Reader&, Call call) {
    call.body["name"] = call.collection(call.values.at(0));
    perform(api, call, "set_collection", call.body);
}

void remove_collection(Api& api, store::Reader&, Call call) {
    perform_slowly(api, call, "remove_collection", {{"name", call.collection(call.values.at(0))}});
}

void drop_vectors(Api& api, store::Reader&, Call call) {
    perform(api, call, "drop_vectors", {{"collection", call.collection(call.values.at(0))}});
}

void list_documents(Api&, store::Reader& reader, Call call) {
    Query query(call.request());
    store::PageQuery wanted = page_in(query);
    if (const std::string name = query.text("collection"); !name.empty())
        wanted.collection = call.collection(name);
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    answer(call, read_documents(reader, call, wanted));
}

void list_crawl_documents(Api&, store::Reader& reader, Call call) {
    Query query(call.request());
    store::PageQuery wanted = page_in(query);
    wanted.url = query.id<JobId>("url");
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    const auto group = find_crawl(reader, call);
    if (!group) return call.respond(reply(group.error()));
    wanted.group = group->id;
    answer(call, read_documents(reader, call, wanted));
}

void show_document(Api&, store::Reader& reader, Call call) {
    auto page = find_document(reader, call);
    call.respond(page ? reply(record_of(shown(call, *std::move(page)))) : reply(page.error()));
}

void list_chunks(Api& api, store::Reader&, Call call) {
    Query query(call.request());
    const auto document = query.id<PageId>("document");
    const auto after = query.integer("after", 0, 1'000'000'000);
    const int limit = query.limit(64, most_chunks);
    const bool with_vectors = query.flag("vectors");
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    if (!document)
        return call.respond(reply(Error{ErrorCode::invalid_argument, "say of which: ?document= its number"}));
    std::vector<ChunkRef> wanted;
    for (int i = 0; i < limit; ++i) wanted.push_back({*document, static_cast<int>(after.value_or(0)) + i});
    answer(call, read_chunks(api, call, wanted, with_vectors));
}

void write_documents(Api& api, store::Reader& reader, Call call) {
    if (names_a_file(call.body))
        return call.respond(
            reply(Error{ErrorCode::refused, "documents come with their words, not with files"}));
    const json::value* name = call.body.if_contains("collection");
    if (name && !name->is_string())
        return call.respond(reply(Error{ErrorCode::invalid_argument, "collection has to be a text"}));
    if (const auto room = api.check_storage(reader, call.owner); !room)
        return call.respond(reply(room.error()));
    call.body["collection"] = call.collection(name ? std::string_view(name->get_string()) : "default");
    perform_slowly(api, call, "write_pages", call.body);
}

void forget_documents(Api& api, store::Reader& reader, Call call) {
    auto filter = store::parse_page_filter(call.body);
    if (!filter) return call.respond(reply(filter.error()));
    if (filter->is_empty())
        return call.respond(reply(Error{ErrorCode::invalid_argument, "say which documents to forget"}));
    auto own = narrowed(reader, call, *std::move(filter));
    if (!own) return call.respond(reply(own.error()));
    perform_slowly(api, call, "forget", *std::move(own));
}

void index_again(Api& api, store::Reader& reader, Call call) {
    auto filter = store::parse_page_filter(call.body);
    if (!filter) return call.respond(reply(filter.error()));
    auto own = narrowed(reader, call, *std::move(filter));
    if (!own) return call.respond(reply(own.error()));
    perform_slowly(api, call, "index_again", *std::move(own));
}

}  // namespace quarry::api::own
