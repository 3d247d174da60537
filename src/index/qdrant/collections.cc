#include "index/qdrant/collections.h"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "index/qdrant/points.h"
#include "index/qdrant/service.h"

namespace quarry::index {

namespace {

namespace json = boost::json;
using net::HttpMethod;

json::object dense_vector(int dimensions) {
    return {{"size", dimensions}, {"distance", "Cosine"}};
}

bool is_not_there(const Error& error) {
    return error.code == ErrorCode::not_found;
}

// Dimensions are learnt later than the rest, so unknown dimensions match any.
bool is_same_model(const EmbedderFacts& known, EmbedderFacts asked) {
    if (asked.dimensions == 0) asked.dimensions = known.dimensions;
    return known == asked;
}

}  // namespace

std::string QdrantCollections::path(const std::string& collection, std::string_view rest) const {
    return fmt::format("/collections/{}{}", qdrant_name(service_.config().prefix, collection), rest);
}

void QdrantCollections::forget(const std::string& collection) {
    known_.with([&](auto& known) { known.erase(collection); });
}

Result<std::optional<QdrantCollectionFacts>> QdrantCollections::find(const std::string& collection,
                                                                     Freshness freshness) {
    if (freshness == Freshness::remembered) {
        const auto remembered = known_.with([&](const auto& known) -> std::optional<QdrantCollectionFacts> {
            const auto found = known.find(collection);
            return found != known.end() ? std::optional(found->second) : std::nullopt;
        });
        if (remembered) return remembered;
    }
    auto facts = TRY(ask(collection));
    known_.with([&](auto& known) {
        if (facts) known[collection] = *facts;
        if (!facts) known.erase(collection);
    });
    return facts;
}

Result<std::optional<QdrantCollectionFacts>> QdrantCollections::ask(const std::string& collection) {
    const json::object body{{"ids", json::array{collection_point(collection)}}, {"with_payload", true}};
    const auto result = service_.post(path(collection, "/points"), body);
    if (!result && is_not_there(result.error())) return std::nullopt;
    if (!result) return std::unexpected(result.error());
    const auto records = TRY(read_records(*result));
    // Without its point the collection was not finished. The next write finishes it.
    if (records.empty()) return std::nullopt;
    return TRY(read_collection(records.front().payload));
}

Result<QdrantCollectionFacts> QdrantCollections::ensure(const std::string& collection) {
    const auto known = TRY(find(collection, Freshness::remembered));
    if (known) return *known;
    return make(collection, {});
}

// Every step may be done again, and the collection's point comes last, so a crash in between costs nothing.
Result<QdrantCollectionFacts> QdrantCollections::make(const std::string& collection,
                                                      const EmbedderFacts& embedder) {
    json::object body{{"sparse_vectors", json::object{{"bm25", json::object{{"modifier", "idf"}}}}}};
    if (embedder.dimensions > 0) body["vectors"] = json::object{{"dense", dense_vector(embedder.dimensions)}};
    const auto made = service_.put(path(collection), body);
    if (!made && made.error().code != ErrorCode::conflict) return std::unexpected(made.error());
    for (const IndexedField& field : indexed_fields())
        TRY(service_.change(
            HttpMethod::put, path(collection, "/index"),
            json::serialize(json::object{{"field_name", field.name}, {"field_schema", field.schema}})));
    const QdrantCollectionFacts facts{.embedder = embedder};
    TRY(save(collection, facts));
    return facts;
}

Result<void> QdrantCollections::save(const std::string& collection, const QdrantCollectionFacts& facts) {
    const json::object point{{"id", collection_point(collection)},
                             {"vector", json::object{}},
                             {"payload", collection_payload(facts)}};
    TRY(service_.change(HttpMethod::put, path(collection, "/points"),
                        json::serialize(json::object{{"points", json::array{point}}})));
    remember(collection, facts);
    return {};
}

void QdrantCollections::remember(const std::string& collection, const QdrantCollectionFacts& facts) {
    known_.with([&](auto& known) { known[collection] = facts; });
}

Result<void> QdrantCollections::remove(const std::string& collection) {
    forget(collection);
    const auto removed = service_.remove(path(collection));
    if (!removed && !is_not_there(removed.error())) return std::unexpected(removed.error());
    return {};
}

Result<void> QdrantCollections::exchange_vectors(const std::string& collection, int old_dimensions,
                                                 int new_dimensions) {
    const std::string vectors = path(collection, "/vectors/dense");
    if (old_dimensions > 0) TRY(service_.change(HttpMethod::delete_, vectors, {}));
    if (new_dimensions > 0)
        TRY(service_.change(HttpMethod::put, vectors,
                            json::serialize(json::object{{"dense", dense_vector(new_dimensions)}})));
    return {};
}

Result<void> QdrantCollections::set_embedder(const std::string& collection, const EmbedderFacts& embedder) {
    auto facts = TRY(find(collection, Freshness::asked));
    if (!facts) {
        TRY(make(collection, embedder));
        return {};
    }
    if (is_same_model(facts->embedder, embedder)) return {};
    const auto exchanged = exchange_vectors(collection, facts->embedder.dimensions, embedder.dimensions);
    if (!exchanged && is_not_there(exchanged.error())) {
        TRY(remove(collection));
        TRY(make(collection, embedder));
        return {};
    }
    if (!exchanged) return exchanged;
    facts->embedder = embedder;
    return save(collection, *facts);
}

Result<std::vector<std::string>> QdrantCollections::names() const {
    const json::value result = TRY(service_.get("/collections"));
    std::vector<std::string> names;
    for (const std::string& name : TRY(read_collection_names(result)))
        if (std::string ours = collection_of(service_.config().prefix, name); !ours.empty())
            names.push_back(std::move(ours));
    std::ranges::sort(names);
    return names;
}

}  // namespace quarry::index
