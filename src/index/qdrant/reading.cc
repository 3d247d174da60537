#include "index/qdrant/reading.h"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/json.hpp>

#include "index/qdrant/points.h"
#include "index/qdrant/service.h"

namespace quarry::index {

namespace json = boost::json;

Result<QdrantPages> read_pages(const QdrantService& service, const std::string& points_path,
                               const std::string& collection, std::span<const PageId> pages) {
    constexpr std::size_t most_at_once = 1'000;
    QdrantPages found;
    while (!pages.empty()) {
        const auto some = pages.first(std::min(pages.size(), most_at_once));
        pages = pages.subspan(some.size());
        json::array ids;
        for (const PageId page : some) ids.emplace_back(page_point(collection, page));
        const json::value result =
            TRY(service.post(points_path, {{"ids", std::move(ids)}, {"with_payload", true}}));
        for (const QdrantPoint& record : TRY(read_records(result))) {
            const QdrantPage page = TRY(read_page(record.payload));
            found[page.page] = page;
        }
    }
    return found;
}

namespace {

namespace json = boost::json;

constexpr int most_rounds = 4;
constexpr int most_asked_for = 10'000;

// Longer ago than any question takes, and than the clocks of two machines differ.
constexpr std::chrono::minutes long_ago{5};

bool counts(const QdrantChunkPlace& chunk, const QdrantPages& pages) {
    const auto page = pages.find(chunk.page);
    return page != pages.end() && page->second.generation == chunk.generation &&
           chunk.index < page->second.chunks;
}

// Whether all chunks of the page's generation were there when the question was asked: either it was the same
// before, or it has been for long. Generations only grow, so one that is the same before and after was so in
// between.
bool was_whole(const QdrantPage& after, const QdrantPages& before, Timestamp now) {
    const auto former = before.find(after.page);
    return (former != before.end() && former->second.generation == after.generation) ||
           now - after.written_at > long_ago;
}

template <typename Range, typename Projection>
std::vector<PageId> distinct_pages(const Range& range, Projection page_of) {
    std::set<PageId> pages;
    for (const auto& item : range) pages.insert(page_of(item));
    return {pages.begin(), pages.end()};
}

}  // namespace

Result<QdrantPages> QdrantReading::pages_of(const std::string& collection,
                                            std::span<const PageId> pages) const {
    return read_pages(service_, collections_.path(collection, "/points"), collection, pages);
}

Result<std::vector<QdrantReading::Found>> QdrantReading::ask(const std::string& collection,
                                                             json::object query, int limit) const {
    query["limit"] = limit;
    query["with_payload"] = json::array{"page", "generation", "chunk_index"};
    const json::value result = TRY(service_.post(collections_.path(collection, "/points/query"), query));
    std::vector<Found> found;
    for (const QdrantPoint& point : TRY(read_found(result)))
        found.push_back({.place = TRY(read_chunk_place(point.payload)), .score = point.score});
    return found;
}

// Asked again while a page changes, or chunks that do not count have taken others' places.
Result<std::vector<Scored>> QdrantReading::best(const std::string& collection, const json::object& query,
                                                int limit) const {
    QdrantPages before;
    int asked_for = limit;
    for (int round = 1;; ++round) {
        const std::vector<Found> found = TRY(ask(collection, query, asked_for));
        const auto pages = distinct_pages(found, [](const Found& hit) { return hit.place.page; });
        QdrantPages after = TRY(pages_of(collection, pages));
        const Timestamp now = service_.now();
        std::vector<Scored> best;
        for (const Found& hit : found)
            if (counts(hit.place, after))
                best.push_back(
                    {.chunk = {.page = hit.place.page, .index = hit.place.index}, .score = hit.score});
        const bool is_whole =
            std::ranges::all_of(after, [&](const auto& page) { return was_whole(page.second, before, now); });
        const bool lacks_some = best.size() < found.size() && best.size() < static_cast<std::size_t>(limit) &&
                                found.size() == static_cast<std::size_t>(asked_for);
        if ((is_whole && !lacks_some) || round == most_rounds) {
            best.resize(std::min(best.size(), static_cast<std::size_t>(limit)));
            return best;
        }
        if (lacks_some) asked_for = std::min(2 * asked_for + limit, std::max(limit, most_asked_for));
        before = std::move(after);
    }
}

Result<std::optional<QdrantReading::Records>> QdrantReading::try_to_read(const std::string& collection,
                                                                         std::span<const ChunkRef> chunks,
                                                                         json::object question) const {
    const QdrantPages pages =
        TRY(pages_of(collection, distinct_pages(chunks, [](const ChunkRef& chunk) { return chunk.page; })));
    std::map<std::string, std::size_t> places;
    json::array asked;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const auto page = pages.find(chunks[i].page);
        if (page == pages.end() || chunks[i].index < 0 || chunks[i].index >= page->second.chunks) continue;
        const auto id = chunk_point(collection, chunks[i].page, page->second.generation, chunks[i].index);
        if (places.emplace(id, i).second) asked.emplace_back(id);
    }
    Records records(chunks.size());
    if (asked.empty()) return records;
    const std::size_t expected = asked.size();
    question["ids"] = std::move(asked);
    const json::value result =
        TRY(service_.post(collections_.path(collection, "/points"), std::move(question)));
    std::size_t found = 0;
    for (QdrantPoint& record : TRY(read_records(result))) {
        const auto place = places.find(record.id);
        if (place == places.end() || records[place->second]) continue;
        records[place->second] = std::move(record);
        ++found;
    }
    if (found < expected) return std::nullopt;
    return records;
}

Result<QdrantReading::Records> QdrantReading::records(const std::string& collection,
                                                      std::span<const ChunkRef> chunks,
                                                      const json::object& wanted) const {
    for (int round = 1; round <= most_rounds; ++round)
        if (auto found = TRY(try_to_read(collection, chunks, wanted))) return *std::move(found);
    return fail(ErrorCode::unavailable, "the pages that were found change faster than they can be read");
}

Result<std::vector<FoundChunk>> QdrantReading::read(const std::string& collection,
                                                    std::span<const ChunkRef> chunks) const {
    const Records records = TRY(this->records(collection, chunks, {{"with_payload", true}}));
    std::vector<FoundChunk> found;
    for (const auto& record : records)
        if (record) found.push_back(TRY(read_chunk(record->payload)));
    return found;
}

Result<std::vector<std::vector<float>>> QdrantReading::vectors(const std::string& collection,
                                                               std::span<const ChunkRef> chunks) const {
    Records records = TRY(
        this->records(collection, chunks, {{"with_payload", false}, {"with_vector", json::array{"dense"}}}));
    std::vector<std::vector<float>> vectors;
    for (auto& record : records) vectors.push_back(record ? std::move(record->dense) : std::vector<float>{});
    return vectors;
}

}  // namespace quarry::index
