#include "index/qdrant/qdrant_index.h"

#include <mutex>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "index/qdrant/collections.h"
#include "index/qdrant/points.h"
#include "index/qdrant/reading.h"
#include "index/qdrant/service.h"
#include "index/qdrant/writing.h"

namespace quarry::index {

namespace {

namespace json = boost::json;
using Freshness = QdrantCollections::Freshness;

class QdrantIndex : public Index {
public:
    explicit QdrantIndex(QdrantService service) : service_(std::move(service)) {}

    Result<void> replace(const std::string& collection, std::vector<IndexedPage> pages) override {
        const std::lock_guard turn(writing_);
        return rewritten(collection, writer_.replace(collection, std::move(pages)));
    }
    Result<void> remove(const std::string& collection, std::span<const RemovedPage> pages) override {
        const std::lock_guard turn(writing_);
        return rewritten(collection, writer_.remove(collection, pages));
    }
    Result<void> remove_collection(const std::string& collection) override {
        const std::lock_guard turn(writing_);
        return collections_.remove(collection);
    }
    Result<void> set_embedder(const std::string& collection, const EmbedderFacts& facts) override {
        const std::lock_guard turn(writing_);
        return collections_.set_embedder(collection, facts);
    }

    Result<std::vector<Scored>> match(const std::string& collection, const KeywordQuery& query,
                                      const Filter& filter, int limit) override;
    Result<std::vector<Scored>> nearest(const std::string& collection, std::span<const float> vector,
                                        const Filter& filter, int limit) override;
    Result<std::vector<FoundChunk>> read(const std::string& collection,
                                         std::span<const ChunkRef> chunks) override {
        return if_there(collection, reader_.read(collection, chunks));
    }
    Result<std::vector<std::vector<float>>> vectors(const std::string& collection,
                                                    std::span<const ChunkRef> chunks) override {
        auto found = TRY(if_there(collection, reader_.vectors(collection, chunks)));
        found.resize(chunks.size());
        return found;
    }
    Result<IndexFacts> facts(const std::string& collection) override;
    Result<std::vector<std::string>> collections() override { return collections_.names(); }
    Result<std::vector<std::string>> similar_words(const std::string&, const std::string&, int) override {
        return std::vector<std::string>{};
    }

private:
    // A collection that somebody else deleted is to be made anew, not remembered.
    Result<void> rewritten(const std::string& collection, Result<void> result) {
        if (!result) collections_.forget(collection);
        return result;
    }
    template <typename T>
    Result<T> if_there(const std::string& collection, Result<T> result) {
        if (result || result.error().code != ErrorCode::not_found) return result;
        collections_.forget(collection);
        return T{};
    }
    Result<std::int64_t> count(const std::string& collection, json::object filter);

    const QdrantService service_;
    QdrantCollections collections_{service_};
    const QdrantReading reader_{service_, collections_};
    // Held while the service is asked: the version that is compared must be the one that is replaced.
    std::mutex writing_;
    QdrantWriting writer_{service_, collections_};
};

Result<std::vector<Scored>> QdrantIndex::match(const std::string& collection, const KeywordQuery& query,
                                               const Filter& filter, int limit) {
    if (query.words.empty() || limit <= 0) return std::vector<Scored>{};
    const json::object question{
        {"query", to_json(sparse_of(query.words))}, {"using", "bm25"}, {"filter", to_qdrant(filter, query)}};
    return if_there(collection, reader_.best(collection, question, limit));
}

Result<std::vector<Scored>> QdrantIndex::nearest(const std::string& collection, std::span<const float> vector,
                                                 const Filter& filter, int limit) {
    const auto known = TRY(collections_.find(collection, Freshness::remembered));
    if (!known || known->embedder.dimensions == 0 || limit <= 0) return std::vector<Scored>{};
    if (static_cast<std::size_t>(known->embedder.dimensions) != vector.size()) {
        collections_.forget(collection);
        return fail(ErrorCode::conflict,
                    fmt::format("the collection \"{}\" has vectors of {} dimensions, not {}", collection,
                                known->embedder.dimensions, vector.size()));
    }
    const json::object question{{"query", json::array(vector.begin(), vector.end())},
                                {"using", "dense"},
                                {"filter", to_qdrant(filter)}};
    auto best = if_there(collection, reader_.best(collection, question, limit));
    // Refused for the shape of the vector: another process has set another embedder.
    if (!best && best.error().code == ErrorCode::invalid_argument) collections_.forget(collection);
    return best;
}

Result<std::int64_t> QdrantIndex::count(const std::string& collection, json::object filter) {
    const json::value result = TRY(service_.post(collections_.path(collection, "/points/count"),
                                                 {{"filter", std::move(filter)}, {"exact", true}}));
    return read_count(result);
}

Result<IndexFacts> QdrantIndex::facts(const std::string& collection) {
    const auto known = TRY(collections_.find(collection, Freshness::asked));
    if (!known) return IndexFacts{};
    const auto is = [](std::string_view key, json::value value) {
        return json::object{{"key", key}, {"match", json::object{{"value", std::move(value)}}}};
    };
    IndexFacts facts{.embedder = known->embedder};
    facts.pages = TRY(count(collection, {{"must", json::array{is("kind", "page"), is("removed", false)}}}));
    facts.chunks = TRY(count(collection, {{"must", json::array{is("kind", "chunk")}}}));
    if (known->embedder.dimensions > 0)
        facts.vectors = TRY(count(
            collection, {{"must", json::array{is("kind", "chunk"), json::object{{"has_vector", "dense"}}}}}));
    return facts;
}

}  // namespace

Result<std::unique_ptr<Index>> open_qdrant_index(QdrantConfig config, net::HttpClient& client) {
    QdrantService service = TRY(QdrantService::open(std::move(config), client));
    return std::make_unique<QdrantIndex>(std::move(service));
}

}  // namespace quarry::index
