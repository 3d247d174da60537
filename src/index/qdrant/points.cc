#include "index/qdrant/points.h"

#include <charconv>

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "index/qdrant/qdrant_words.h"

namespace quarry::index {

namespace {

namespace json = boost::json;

constexpr std::size_t deepest_path = 32;

std::string in_iso(Timestamp time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), (time - seconds).count());
}

std::string joined(const std::vector<std::string>& headings) {
    std::string path;
    for (const std::string& heading : headings) path += (path.empty() ? "" : " > ") + heading;
    return path;
}

json::array list_of(const std::vector<std::string>& texts) {
    return json::array(texts.begin(), texts.end());
}

json::array word_numbers(const text::TermBag& terms) {
    const SparseVector vector = sparse_of(terms, 1);
    return json::array(vector.indices.begin(), vector.indices.end());
}

std::int64_t milliseconds_of(Timestamp time) {
    return time.time_since_epoch().count();
}

// Reads fields one by one and remembers whether one was not there.
class FieldReader {
public:
    explicit FieldReader(const json::object& payload) : payload_(payload) {}

    std::int64_t number(std::string_view key) {
        const json::value* value = payload_.if_contains(key);
        json::error_code error;
        const bool is_integer = value != nullptr && (value->is_int64() || value->is_uint64());
        const std::int64_t number = is_integer ? value->to_number<std::int64_t>(error) : 0;
        if (!is_integer || error) is_whole_ = false;
        return number;
    }
    int small_number(std::string_view key) {
        const std::int64_t value = number(key);
        if (value < 0 || value > INT32_MAX) is_whole_ = false;
        return is_whole_ ? static_cast<int>(value) : 0;
    }
    std::string text(std::string_view key) {
        const json::value* value = payload_.if_contains(key);
        if (value != nullptr && value->is_string()) return std::string(value->get_string());
        is_whole_ = false;
        return {};
    }
    bool is_true(std::string_view key) {
        const json::value* value = payload_.if_contains(key);
        return value != nullptr && value->is_bool() && value->get_bool();
    }
    std::vector<std::string> texts(std::string_view key) {
        std::vector<std::string> list;
        const json::value* value = payload_.if_contains(key);
        if (value == nullptr || !value->is_array()) {
            is_whole_ = false;
            return list;
        }
        for (const json::value& item : value->get_array())
            if (item.is_string()) list.emplace_back(item.get_string());
        return list;
    }
    bool is_whole() const { return is_whole_; }

private:
    const json::object& payload_;
    bool is_whole_ = true;
};

std::uint64_t number_of_hash(const std::string& text) {
    std::uint64_t hash = 0;
    std::from_chars(text.data(), text.data() + text.size(), hash, 16);
    return hash;
}

PageLabel read_label(FieldReader& fields) {
    PageLabel label;
    label.id = fields.text("page_name");
    label.url = fields.text("source_url");
    label.host = fields.text("host");
    label.path = fields.text("path");
    label.title = fields.text("title");
    label.description = fields.text("description");
    label.language = fields.text("language");
    label.status = fields.small_number("status_code");
    label.content_hash = number_of_hash(fields.text("content_hash"));
    label.fetched_at = Timestamp(std::chrono::milliseconds(fields.number("fetched_at")));
    return label;
}

std::unexpected<Error> not_ours(const char* what) {
    return fail(ErrorCode::corrupt, fmt::format("Qdrant has a point that is not quarry's {}", what));
}

}  // namespace

const std::vector<IndexedField>& indexed_fields() {
    static const std::vector<IndexedField> fields = {
        {"kind", "keyword"},     {"page", "integer"},        {"generation", "integer"},
        {"removed", "bool"},     {"hosts", "keyword"},       {"path_prefixes", "keyword"},
        {"language", "keyword"}, {"chunk_index", "integer"}, {"fetched_at", "integer"},
        {"words", "integer"},
    };
    return fields;
}

json::object chunk_payload(const IndexedPage& page, const QdrantChunkPlace& place) {
    const PageLabel& label = page.label;
    const IndexedChunk& chunk = page.chunks[static_cast<std::size_t>(place.index)];
    return {{"kind", "chunk"},
            {"source_url", label.url},
            {"source_type", label.host.empty() ? "file" : "web_crawl"},
            {"title", label.title},
            {"description", label.description},
            {"status_code", label.status},
            {"crawl_timestamp", in_iso(label.fetched_at)},
            {"file_path", label.url},
            {"chunk_index", place.index},
            {"chunk_text", chunk.chunk.text},
            {"heading_path", joined(chunk.chunk.headings)},
            {"headings", list_of(chunk.chunk.headings)},
            {"begin", chunk.chunk.begin},
            {"end", chunk.chunk.end},
            {"content_hash", fmt::format("{:016x}", label.content_hash)},
            {"page", number(page.page)},
            {"page_name", label.id},
            {"version", page.version},
            {"generation", place.generation},
            {"host", label.host},
            {"hosts", list_of(host_suffixes(label.host))},
            {"path", label.path},
            {"path_prefixes", list_of(path_prefixes(label.path))},
            {"language", label.language},
            {"fetched_at", milliseconds_of(label.fetched_at)},
            {"words", word_numbers(chunk.terms)}};
}

json::object page_payload(const QdrantPage& page, const std::string& url) {
    return {{"kind", "page"},
            {"source_url", url},
            {"page", number(page.page)},
            {"version", page.version},
            {"generation", page.generation},
            {"chunks", page.chunks},
            {"removed", page.is_removed},
            {"written_at", milliseconds_of(page.written_at)}};
}

json::object collection_payload(const QdrantCollectionFacts& facts) {
    return {{"kind", "collection"},
            {"provider", facts.embedder.provider},
            {"model", facts.embedder.model},
            {"dimensions", facts.embedder.dimensions},
            {"model_version", facts.embedder.version},
            {"chunks", facts.chunks},
            {"length", facts.length}};
}

Result<FoundChunk> read_chunk(const json::object& payload) {
    FieldReader fields(payload);
    FoundChunk found;
    found.ref.page = PageId{fields.number("page")};
    found.ref.index = fields.small_number("chunk_index");
    found.chunk.text = fields.text("chunk_text");
    found.chunk.headings = fields.texts("headings");
    found.chunk.begin = static_cast<std::uint32_t>(fields.number("begin"));
    found.chunk.end = static_cast<std::uint32_t>(fields.number("end"));
    found.label = read_label(fields);
    if (!fields.is_whole()) return not_ours("chunk");
    return found;
}

Result<QdrantChunkPlace> read_chunk_place(const json::object& payload) {
    FieldReader fields(payload);
    const QdrantChunkPlace place{.page = PageId{fields.number("page")},
                                 .generation = fields.number("generation"),
                                 .index = fields.small_number("chunk_index")};
    if (!fields.is_whole()) return not_ours("chunk");
    return place;
}

Result<QdrantPage> read_page(const json::object& payload) {
    FieldReader fields(payload);
    const QdrantPage page{.page = PageId{fields.number("page")},
                          .version = fields.number("version"),
                          .generation = fields.number("generation"),
                          .chunks = fields.small_number("chunks"),
                          .is_removed = fields.is_true("removed"),
                          .written_at = Timestamp(std::chrono::milliseconds(fields.number("written_at")))};
    if (!fields.is_whole()) return not_ours("page");
    return page;
}

Result<QdrantCollectionFacts> read_collection(const json::object& payload) {
    FieldReader fields(payload);
    QdrantCollectionFacts facts;
    facts.embedder = {.provider = fields.text("provider"),
                      .model = fields.text("model"),
                      .dimensions = fields.small_number("dimensions"),
                      .version = fields.text("model_version")};
    facts.chunks = fields.number("chunks");
    facts.length = fields.number("length");
    if (!fields.is_whole()) return not_ours("collection");
    return facts;
}

std::vector<std::string> host_suffixes(const std::string& host) {
    std::vector<std::string> suffixes;
    if (host.empty()) return suffixes;
    suffixes.push_back(host);
    for (std::size_t at = host.find('.'); at != host.npos; at = host.find('.', at + 1))
        suffixes.push_back(host.substr(at + 1));
    return suffixes;
}

std::vector<std::string> path_prefixes(const std::string& path) {
    std::vector<std::string> prefixes;
    std::size_t depth = 0;
    for (std::size_t at = path.find('/'); at != path.npos && ++depth <= deepest_path;
         at = path.find('/', at + 1)) {
        if (at > 0) prefixes.push_back(path.substr(0, at));
        prefixes.push_back(path.substr(0, at + 1));
    }
    if (depth <= deepest_path && (prefixes.empty() || prefixes.back() != path)) prefixes.push_back(path);
    return prefixes;
}

}  // namespace quarry::index
