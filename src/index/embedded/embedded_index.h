// The index of one machine: DATA/index.db. Postings, chunks and int8 vectors are rows; sign bits, lengths and
// what filters look at are also in memory.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "index/index.h"

namespace quarry::index {

// The parts of an embedded index that the builtin space is made with. A space has a version; its vectors are
// filled in while the former space still answers, then it is put to use in one commit. What a crash leaves
// behind of a space that was never used is dropped when the index is opened.
class EmbeddedIndex : public Index {
public:
    struct StoredSpace {
        int version = 0;
        std::int64_t fitted_on = 0;  // chunks the collection had then
        std::string bytes{};         // embed::Space::serialise
    };
    struct ChunkText {
        std::int64_t id = 0;  // within this index
        Chunk chunk{};
        std::string title{};
    };
    struct ChunkVector {
        std::int64_t id = 0;
        std::vector<float> vector{};
    };

    // A snapshot's chunks by id, a batch at a time: `after` is the last id of the batch before. `stride` n
    // gives every nth: a sample spread over the collection.
    virtual Result<std::vector<ChunkText>> chunks_after(const std::string& collection, std::int64_t after,
                                                        int limit, int stride) = 0;

    // The space in use, if any; cheap if `known` is its version already: nothing then.
    virtual Result<std::optional<StoredSpace>> space(const std::string& collection, int known) = 0;
    // `conflict` if the collection has another embedder than the builtin space.
    virtual Result<int> begin_space(const std::string& collection, std::int64_t fitted_on,
                                    std::string bytes) = 0;
    virtual Result<void> add_vectors(const std::string& collection, int space,
                                     std::span<const ChunkVector> vectors) = 0;
    // Chunks without a vector of that space, in order of their ids: those that came or changed meanwhile and
    // brought none (IndexedChunk::next).
    virtual Result<std::vector<ChunkText>> chunks_without(const std::string& collection, int space,
                                                          std::int64_t after, int limit) = 0;
    // From now on `nearest` and replace() mean this space. The former one's vectors are removed in small
    // steps.
    virtual Result<void> use_space(const std::string& collection, int space) = 0;

    // Names the database this index was made from: set once, when it is new.
    virtual Result<std::string> source() = 0;  // "" for a new index
    virtual Result<void> set_source(const std::string& name) = 0;

    // How far a collection has followed one elsewhere, in its follower's own words. Set after what it covers.
    virtual Result<std::string> position(const std::string& collection) = 0;  // "" if it follows none
    virtual Result<void> set_position(const std::string& collection, const std::string& position) = 0;

    // Writes what is only in the log's tail into its final place. Called when nothing else is to do.
    virtual Result<void> settle() = 0;
};

struct EmbeddedIndexConfig {
    std::string path{};  // of index.db
    enum class Access { write, read } access = Access::write;
    std::size_t tail_chunks = 16'384;  // whose postings stay in memory until they are worth a segment
};

// `corrupt` if the file is damaged, `unsupported` if it is of a newer quarry. With Access::read the file is
// never changed, and `not_found` if there is none.
Result<std::unique_ptr<EmbeddedIndex>> open_embedded_index(const EmbeddedIndexConfig& config);

}  // namespace quarry::index
