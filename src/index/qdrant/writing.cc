#include "index/qdrant/writing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "index/qdrant/points.h"
#include "index/qdrant/reading.h"

namespace quarry::index {

namespace {

namespace json = boost::json;
using net::HttpMethod;

constexpr std::size_t most_deleted_at_once = 500;  // pages in one filter

// As a float's shortest digits: half the bytes of the same number as a double.
std::string numbers_json(std::span<const float> vector) {
    std::string text = "[";
    for (const float component : vector) fmt::format_to(std::back_inserter(text), "{},", component);
    if (text.back() == ',') text.pop_back();
    return text + "]";
}

std::string point_json(const std::string& id, const std::string& vector, const json::object& payload) {
    return fmt::format(R"({{"id":"{}","vector":{},"payload":{}}})", id, vector, json::serialize(payload));
}

std::string vectors_json(const IndexedChunk& chunk, double average_length) {
    const std::string words = json::serialize(to_json(sparse_of(chunk.terms, average_length)));
    if (chunk.vector.empty()) return fmt::format(R"({{"bm25":{}}})", words);
    return fmt::format(R"({{"dense":{},"bm25":{}}})", numbers_json(chunk.vector), words);
}

// The newest of each page, should there be several, and none that is older than what is there.
std::vector<IndexedPage> worth_writing(std::vector<IndexedPage> pages, const QdrantPages& known) {
    std::map<PageId, IndexedPage> newest;
    for (IndexedPage& page : pages) {
        const auto former = known.find(page.page);
        if (former != known.end() && former->second.version > page.version) continue;
        const auto other = newest.find(page.page);
        if (other != newest.end() && other->second.version > page.version) continue;
        newest.insert_or_assign(page.page, std::move(page));
    }
    std::vector<IndexedPage> kept;
    for (auto& [id, page] : newest) kept.push_back(std::move(page));
    return kept;
}

QdrantPage next_of(const QdrantPages& known, PageId page, std::int64_t version) {
    const auto former = known.find(page);
    return {.page = page,
            .version = version,
            .generation = (former != known.end() ? former->second.generation : 0) + 1};
}

// Counts them in, and says how long a chunk is on average.
double count_lengths(std::span<const IndexedPage> pages, QdrantCollectionFacts& facts) {
    for (const IndexedPage& page : pages) {
        facts.chunks += static_cast<std::int64_t>(page.chunks.size());
        for (const IndexedChunk& chunk : page.chunks) facts.length += chunk.terms.length;
    }
    return facts.chunks > 0 ? static_cast<double>(facts.length) / static_cast<double>(facts.chunks) : 0;
}

}  // namespace

// All vectors of one length, which is the collection's; the first ones decide.
Result<void> QdrantWriting::settle_dimensions(const std::string& collection,
                                              std::span<const IndexedPage> pages,
                                              QdrantCollectionFacts& facts) {
    std::size_t dimensions = static_cast<std::size_t>(facts.embedder.dimensions);
    for (const IndexedPage& page : pages)
        for (const IndexedChunk& chunk : page.chunks) {
            if (chunk.vector.empty()) continue;
            if (dimensions == 0) dimensions = chunk.vector.size();
            if (chunk.vector.size() != dimensions)
                return fail(
                    ErrorCode::conflict,
                    fmt::format("the collection \"{}\" has vectors of {} dimensions, not {}: run quarry "
                                "reindex to begin with others",
                                collection, dimensions, chunk.vector.size()));
            if (!std::ranges::all_of(chunk.vector, [](float component) { return std::isfinite(component); }))
                return fail(ErrorCode::invalid_argument, "a vector has something that is not a number");
        }
    if (static_cast<int>(dimensions) == facts.embedder.dimensions) return {};
    facts.embedder.dimensions = static_cast<int>(dimensions);
    return collections_.set_embedder(collection, facts.embedder);
}

Result<void> QdrantWriting::flush(const std::string& collection) {
    if (pending_.empty()) return {};
    const std::string body = fmt::format(R"({{"points":[{}]}})", std::exchange(pending_, {}));
    return service_.change(HttpMethod::put, collections_.path(collection, "/points"), body);
}

Result<void> QdrantWriting::add_point(const std::string& collection, std::string point) {
    if (!pending_.empty() && pending_.size() + point.size() > service_.config().max_request_bytes)
        TRY(flush(collection));
    if (!pending_.empty()) pending_ += ',';
    pending_ += point;
    return {};
}

Result<void> QdrantWriting::put_chunks(const std::string& collection, const IndexedPage& page,
                                       const QdrantPage& next, double average_length) {
    for (int index = 0; index < next.chunks; ++index) {
        const QdrantChunkPlace place{.page = page.page, .generation = next.generation, .index = index};
        const IndexedChunk& chunk = page.chunks[static_cast<std::size_t>(index)];
        TRY(add_point(collection,
                      point_json(chunk_point(collection, page.page, next.generation, index),
                                 vectors_json(chunk, average_length), chunk_payload(page, place))));
    }
    return {};
}

Result<void> QdrantWriting::delete_uncounted(const std::string& collection,
                                             std::span<const QdrantPage> pages) {
    while (!pages.empty()) {
        const auto some = pages.first(std::min(pages.size(), most_deleted_at_once));
        pages = pages.subspan(some.size());
        TRY(service_.change(HttpMethod::post, collections_.path(collection, "/points/delete"),
                            json::serialize(json::object{{"filter", uncounted_chunks(some)}})));
    }
    return {};
}

Result<void> QdrantWriting::replace(const std::string& collection, std::vector<IndexedPage> pages) {
    pending_.clear();
    QdrantCollectionFacts facts = TRY(collections_.ensure(collection));
    TRY(settle_dimensions(collection, pages, facts));
    std::vector<PageId> ids;
    for (const IndexedPage& page : pages) ids.push_back(page.page);
    const QdrantPages known =
        TRY(read_pages(service_, collections_.path(collection, "/points"), collection, ids));
    pages = worth_writing(std::move(pages), known);
    if (pages.empty()) return {};

    const double average = count_lengths(pages, facts);
    std::vector<QdrantPage> written;
    for (const IndexedPage& page : pages) {
        written.push_back(next_of(known, page.page, page.version));
        written.back().chunks = static_cast<int>(page.chunks.size());
        TRY(put_chunks(collection, page, written.back(), average));
    }
    TRY(flush(collection));
    TRY(put_pages(collection, pages, written, facts));
    return delete_uncounted(collection, written);
}

// From here on readers see the new chunks, page by page.
Result<void> QdrantWriting::put_pages(const std::string& collection, std::span<const IndexedPage> pages,
                                      std::span<QdrantPage> written, const QdrantCollectionFacts& facts) {
    for (std::size_t i = 0; i < pages.size(); ++i) {
        written[i].written_at = service_.now();
        TRY(add_point(collection, point_json(page_point(collection, pages[i].page), "{}",
                                             page_payload(written[i], pages[i].label.url))));
    }
    TRY(add_point(collection, point_json(collection_point(collection), "{}", collection_payload(facts))));
    TRY(flush(collection));
    collections_.remember(collection, facts);
    return {};
}

Result<void> QdrantWriting::remove(const std::string& collection, std::span<const RemovedPage> pages) {
    pending_.clear();
    if (!TRY(collections_.find(collection, QdrantCollections::Freshness::remembered))) return {};
    std::vector<PageId> ids;
    for (const RemovedPage& page : pages) ids.push_back(page.page);
    const QdrantPages known =
        TRY(read_pages(service_, collections_.path(collection, "/points"), collection, ids));
    std::vector<QdrantPage> removed;
    for (const RemovedPage& page : pages) {
        const auto former = known.find(page.page);
        if (former != known.end() && former->second.version > page.version) continue;
        QdrantPage next = next_of(known, page.page, page.version);
        next.is_removed = true;
        next.written_at = service_.now();
        // The page's point stays, so that an older version that comes late is known to be old.
        TRY(add_point(collection,
                      point_json(page_point(collection, page.page), "{}", page_payload(next, ""))));
        removed.push_back(next);
    }
    TRY(flush(collection));
    return delete_uncounted(collection, removed);
}

}  // namespace quarry::index
