// The builtin space: vectors with no model and no service. Latent semantics of the collection itself: tf-
// idf (ltc), then the strongest directions of a sample of its chunks by randomised SVD (docs/decisions
// tells why). lean_towards is the space's own way to ask: a question has few words, and the chunks that
// they find best have many more about the same matter. On four collections the fused nDCG@10 gains another
// 0.005, and no collection loses (bench/space_bench).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/terms/terms.h"

namespace quarry::embed {

// The builtin space: vectors with no model and no service. Latent semantics of the collection itself: tf-idf
// (ltc), then the strongest directions of a sample of its chunks by randomised SVD. docs/decisions tells why.

struct SpaceOptions {
    int dimensions = 192;             // measured: 128 is worse on larger collections, 256 on smaller ones
    std::size_t max_chunks = 65'536;  // of the sample
    std::size_t max_vocabulary = 50'000;
};

class Space {
public:
    // Of unit length. Empty if the space knows none of the words. Rotated so that signs alone tell much of an
    // angle.
    std::vector<float> fold_in(const text::TermBag& terms) const;

    int dimensions() const;

    std::string serialise() const;
    // `corrupt` if the bytes are not a space.
    static Result<Space> parse(std::string_view bytes);

    Space(Space&&) noexcept;
    Space& operator=(Space&&) noexcept;
    ~Space();

private:
    friend class SpaceFit;
    struct Tables;
    explicit Space(std::unique_ptr<const Tables> tables);
    std::unique_ptr<const Tables> tables_;
};

// Gathers a sample, then finds the space. The same sample gives the same space.
class SpaceFit {
public:
    explicit SpaceFit(SpaceOptions options);
    ~SpaceFit();

    void add(const text::TermBag& terms);  // what is beyond max_chunks is not taken
    // `conflict` if the sample is too small to span a space, `interrupted`.
    Result<Space> finish(std::stop_token stop);

private:
    struct Sample;
    std::unique_ptr<Sample> sample_;
};

// The builtin space's own way to ask: a question has few words, and the chunks that they find best have many
// more about the same matter. Measured by bench/space_bench on four collections: the fused nDCG@10 gains
// another 0.005, and no collection loses.

// How many chunks a query leans towards. Two to four do as well; with more, some are about other matters.
inline constexpr int feedback_chunks = 3;

// A chunk that was found by words.
struct FeedbackChunk {
    std::vector<float> vector{};
    float score = 0;  // BM25's
};

// The query's vector, moved towards those of the chunks, the best first, and the more the better the chunk
// is; of unit length. Any vector may be empty, as fold_in() may return it. Empty if all are.
std::vector<float> lean_towards(std::span<const float> query, std::span<const FeedbackChunk> chunks);

}  // namespace quarry::embed
