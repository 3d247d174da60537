// An index as simple as can be: everything in one map, every question answered by looking at all of it. What
// the real one must agree with.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "index/index.h"

namespace quarry::test {

class ReferenceIndex {
public:
    void replace(const std::vector<index::IndexedPage>& pages);
    void remove(index::RemovedPage page);
    void clear() { *this = {}; }
    // Every chunk's vector is this.
    void set_vectors(const std::vector<float>& vector);

    std::set<ChunkRef> match(const index::KeywordQuery& query, const index::Filter& filter) const;
    // BM25 of each chunk that has a word of the question.
    std::map<ChunkRef, double> scores(const index::KeywordQuery& query) const;
    std::set<ChunkRef> with_vector(const index::Filter& filter) const;
    std::int64_t pages() const;
    std::int64_t chunks() const;
    std::string text(ChunkRef chunk) const;
    std::set<std::string> texts() const;

private:
    struct Chunk {
        std::string text{};
        std::map<std::string, int, std::less<>> words{};
        std::uint32_t length = 0;
        std::vector<float> vector{};
    };
    struct Page {
        std::int64_t version = 0;
        bool is_removed = false;
        std::string host{};
        std::vector<Chunk> chunks{};
    };
    bool is_newer(PageId page, std::int64_t version) const;
    template <typename Use>
    void each_chunk(Use use) const;

    std::map<PageId, Page> pages_;
};

}  // namespace quarry::test
