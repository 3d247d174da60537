// The builtin space: vectors with no model and no service. Latent semantics of the collection itself: tf-idf
// (ltc), then the strongest directions of a sample of its chunks by randomised SVD. docs/decisions tells why.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/terms/terms.h"

namespace quarry::embed {

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

}  // namespace quarry::embed
