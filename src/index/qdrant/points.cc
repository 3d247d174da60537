#include "index/qdrant/points.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <xxhash.h>

#include "base/ascii.h"
#include "base/sha256.h"

namespace quarry::index {

namespace {

bool is_kept(char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '_' || c == '-' || c == '.';
}

}  // namespace

std::string point_id(std::string_view identifier) {
    const auto digest = sha256(identifier);
    std::string id;
    for (std::size_t i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) id += '-';
        id += fmt::format("{:02x}", digest[i]);
    }
    return id;
}

std::string chunk_point(const std::string& collection, PageId page, std::int64_t generation, int index) {
    return point_id(fmt::format("chunk {} {} {} {}", number(page), generation, index, collection));
}

std::string page_point(const std::string& collection, PageId page) {
    return point_id(fmt::format("page {} {}", number(page), collection));
}

std::string collection_point(const std::string& collection) {
    return point_id("collection " + collection);
}

std::string qdrant_name(std::string_view prefix, std::string_view collection) {
    std::string name(prefix);
    for (const char c : collection) {
        if (is_kept(c)) {
            name += c;
        } else {
            name += fmt::format("~{:02x}", static_cast<unsigned char>(c));
        }
    }
    return name;
}

std::string collection_of(std::string_view prefix, std::string_view qdrant_name) {
    if (!qdrant_name.starts_with(prefix)) return {};
    qdrant_name.remove_prefix(prefix.size());
    std::string name;
    for (std::size_t i = 0; i < qdrant_name.size(); ++i) {
        if (qdrant_name[i] != '~') {
            name += qdrant_name[i];
            continue;
        }
        const std::string_view digits = qdrant_name.substr(i + 1, 2);
        unsigned value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (error != std::errc() || end != digits.data() + 2) return {};
        name += static_cast<char>(value);
        i += 2;
    }
    return name;
}

namespace {

constexpr double k1 = 1.2;
constexpr double b = 0.75;

SparseVector sorted(const std::map<std::uint32_t, double>& values) {
    SparseVector vector;
    for (const auto& [index, value] : values) {
        vector.indices.push_back(index);
        vector.values.push_back(static_cast<float>(value));
    }
    return vector;
}

}  // namespace

std::uint32_t word_number(std::string_view term) {
    return static_cast<std::uint32_t>(XXH3_64bits(term.data(), term.size()));
}

SparseVector sparse_of(const text::TermBag& terms, double average_length) {
    // Words that share a number are one word: Qdrant takes each index once.
    std::map<std::uint32_t, double> counts;
    for (const text::TermCount& term : terms.counts) counts[word_number(term.term)] += term.count;
    const double relative_length = average_length > 0 ? terms.length / average_length : 1;
    for (auto& [index, count] : counts)
        count = count * (k1 + 1) / (count + k1 * (1 - b + b * relative_length));
    return sorted(counts);
}

SparseVector sparse_of(std::span<const KeywordQuery::Word> words) {
    std::map<std::uint32_t, double> weights;
    for (const KeywordQuery::Word& word : words) weights[word_number(word.term)] += word.weight;
    return sorted(weights);
}

boost::json::object to_json(const SparseVector& vector) {
    return {{"indices", boost::json::array(vector.indices.begin(), vector.indices.end())},
            {"values", boost::json::array(vector.values.begin(), vector.values.end())}};
}

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

namespace {

namespace json = boost::json;

json::object has_value(std::string_view key, json::value value) {
    return {{"key", key}, {"match", json::object{{"value", std::move(value)}}}};
}

json::object fetched_between(const Filter& filter) {
    json::object range;
    if (filter.since) range["gte"] = filter.since->time_since_epoch().count();
    if (filter.until) range["lte"] = filter.until->time_since_epoch().count();
    return {{"key", "fetched_at"}, {"range", std::move(range)}};
}

json::array conditions(const Filter& filter) {
    json::array must;
    if (!filter.host.empty()) must.push_back(has_value("hosts", json::value(filter.host)));
    if (!filter.path_prefix.empty())
        must.push_back(has_value("path_prefixes", json::value(filter.path_prefix)));
    if (!filter.language.empty()) must.push_back(has_value("language", json::value(filter.language)));
    if (filter.since || filter.until) must.push_back(fetched_between(filter));
    return must;
}

}  // namespace

json::object to_qdrant(const Filter& filter) {
    return {{"must", conditions(filter)}};
}

json::object to_qdrant(const Filter& filter, const KeywordQuery& query) {
    json::array must = conditions(filter), must_not;
    for (const std::string& term : query.required) must.push_back(has_value("words", word_number(term)));
    for (const std::string& term : query.excluded) must_not.push_back(has_value("words", word_number(term)));
    return {{"must", std::move(must)}, {"must_not", std::move(must_not)}};
}

json::object uncounted_chunks(std::span<const QdrantPage> pages) {
    json::array any;
    for (const QdrantPage& page : pages) {
        const json::object is_counted{
            {"must", json::array{has_value("generation", page.generation),
                                 json::object{{"key", "chunk_index"},
                                              {"range", json::object{{"lt", page.chunks}}}}}}};
        any.push_back(json::object{
            {"must", json::array{has_value("page", number(page.page)), has_value("kind", "chunk")}},
            {"must_not", json::array{is_counted}}});
    }
    return {{"should", std::move(any)}};
}

}  // namespace quarry::index
