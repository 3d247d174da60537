// Several runs of terms made into one: how parts and segments become fewer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/embedded/bits.h"
#include "index/embedded/part.h"
#include "index/embedded/segments.h"

namespace quarry::index {

std::unique_ptr<TermCursor> open_part(const Part& part, std::string_view after);

// Every term of the inputs in order, with the postings of all of them; those of slots that are not in `keep`
// are left out, and so are terms that nothing is left of. A slot is in one input only.
class Merge : public TermCursor {
public:
    // `keep` outlives this.
    Merge(std::vector<std::unique_ptr<TermCursor>> inputs, const Bits& keep);
    Result<bool> next() override;

private:
    bool comes_later(std::size_t a, std::size_t b) const;
    Result<void> begin();
    Result<void> advance(std::size_t input);
    Result<void> take_smallest();

    std::vector<std::unique_ptr<TermCursor>> inputs_;
    const Bits& keep_;
    std::vector<std::size_t> heap_;  // inputs that have not ended, the smallest term on top
    bool has_begun_ = false;
    std::string term_bytes_, posting_bytes_;
    std::vector<Posting> gathered_;
};

// `keep` as above; the new part is of the slots that are kept.
Result<std::shared_ptr<const Part>> merge_parts(const std::vector<std::shared_ptr<const Part>>& parts,
                                                const Bits& keep);

}  // namespace quarry::index
