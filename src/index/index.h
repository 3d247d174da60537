// Chunks, found by their words and by their vectors. One implementation per store; all keep the promises in
// index/promises. Everything in an index can be made again from the pages. Every call is safe from any
// thread and is durable when it returns. Errors are `unavailable` (disk full, service not there: nothing
// was written, try again later), `corrupt` (has to be made anew), and those a call names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "model/collection.h"
#include "model/document.h"
#include "model/ids.h"
#include "text/terms/terms.h"

namespace quarry::index {

// Whether vectors of one embedder may be compared with vectors of another.

// The builtin space has versions of its own, and dimensions that are not known yet are no difference.
inline bool is_same_embedder(const EmbedderFacts& a, const EmbedderFacts& b) {
    if (a.provider != b.provider) return false;
    if (a.provider == "builtin") return true;
    const bool same_dimensions = a.dimensions == b.dimensions || a.dimensions == 0 || b.dimensions == 0;
    return a.model == b.model && a.version == b.version && same_dimensions;
}

// Chunks, found by their words and by their vectors. One implementation per store; all keep the promises in
// index/promises. Everything in an index can be made again from the pages.
//
// Every call is safe from any thread and is durable when it returns. Errors are `unavailable` (disk full,
// service not there: nothing was written, try again later), `corrupt` (has to be made anew), and those a call
// names.

struct IndexedChunk {
    Chunk chunk{};
    text::TermBag terms{};
    std::vector<float> vector{};  // empty: found by its words alone
    std::vector<float> next{};    // of the space that is being filled, if it was folded into that as well
};

// What a hit says of its page.
struct PageLabel {
    std::string id{};  // what its user calls it: the imported _id, or the URL
    std::string url{};
    std::string host{};  // "docs.example.com"; of a file, ""
    std::string path{};  // "/guide/install"; of a file, its path
    std::string title{}, description{}, language{};
    int status = 0;
    std::uint64_t content_hash = 0;
    Timestamp fetched_at{};
};

struct IndexedPage {
    PageId page{};
    std::int64_t version = 0;  // of Store's outbox: what is older than what is here changes nothing
    PageLabel label{};
    int next_space = 0;                  // that the chunks' `next` are of; 0: of none
    std::vector<IndexedChunk> chunks{};  // empty: the page stays known, and is never found
};

struct RemovedPage {
    PageId page{};
    std::int64_t version = 0;
};

// Every field narrows.
struct Filter {
    std::string host{};  // "example.com": with its subdomains
    std::string path_prefix{};
    std::string language{};
    std::optional<Timestamp> since{}, until{};  // when it was fetched
};

struct KeywordQuery {
    struct Word {
        std::string term{};  // as text::Term has it
        float weight = 1;    // how often it was asked for
    };
    std::vector<Word> words{};            // each adds to the score
    std::vector<std::string> required{};  // a chunk without all of these is not found
    std::vector<std::string> excluded{};  // nor is one with any of these
};

struct Scored {
    ChunkRef chunk{};
    float score = 0;
};

struct FoundChunk {
    ChunkRef ref{};
    Chunk chunk{};
    PageLabel label{};
};

struct IndexFacts {
    std::int64_t pages = 0, chunks = 0, vectors = 0;
    EmbedderFacts embedder{};  // of the vectors there are
    int space = 0;             // the version of the builtin space in use; 0: none
};

class Index {
public:
    virtual ~Index() = default;

    // Replaces all chunks of these pages at once: readers see a page's old chunks until they see all new
    // ones. `conflict` if a vector has other dimensions than those the collection has.
    virtual Result<void> replace(const std::string& collection, std::vector<IndexedPage> pages) = 0;
    virtual Result<void> remove(const std::string& collection, std::span<const RemovedPage> pages) = 0;
    virtual Result<void> remove_collection(const std::string& collection) = 0;

    // Says whose vectors the collection has. If it had another's, those are gone, and it is found by words
    // until its pages were replaced.
    virtual Result<void> set_embedder(const std::string& collection, const EmbedderFacts& facts) = 0;

    // Whether other processes change it, too: what was seen of it once may have changed.
    virtual bool is_shared() const { return false; }

    // The best chunks, best first, by BM25 over the collection. None if the collection is unknown.
    virtual Result<std::vector<Scored>> match(const std::string& collection, const KeywordQuery& query,
                                              const Filter& filter, int limit) = 0;
    // By the cosine of the angle.
    virtual Result<std::vector<Scored>> nearest(const std::string& collection, std::span<const float> vector,
                                                const Filter& filter, int limit) = 0;

    // In the order asked for; those that have gone meanwhile are left out.
    virtual Result<std::vector<FoundChunk>> read(const std::string& collection,
                                                 std::span<const ChunkRef> chunks) = 0;

    // Of these chunks, in the order asked for; empty for one that has none.
    virtual Result<std::vector<std::vector<float>>> vectors(const std::string& collection,
                                                            std::span<const ChunkRef> chunks) = 0;

    virtual Result<IndexFacts> facts(const std::string& collection) = 0;  // zeros if it is unknown
    virtual Result<std::vector<std::string>> collections() = 0;

    // Words of the collection that differ from this one by a slip of the fingers, the most frequent first.
    virtual Result<std::vector<std::string>> similar_words(const std::string& collection,
                                                           const std::string& word, int limit) = 0;
};

}  // namespace quarry::index
