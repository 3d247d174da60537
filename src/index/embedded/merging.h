// How parts and segments become fewer. A Merge makes one run of terms out of several. A Rewriting turns
// several parts and segments into one segment, in steps: each is a short transaction, and searches see
// nothing of it before the last.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/collection.h"
#include "index/embedded/part.h"
#include "index/embedded/postings.h"
#include "index/embedded/segments.h"

namespace quarry::index {

// Several runs of terms made into one: how parts and segments become fewer.

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

// Several parts and segments becoming one segment, in steps: each is a short transaction, and nothing of it
// is seen before the last.

class Rewriting {
public:
    struct Inputs {
        std::vector<std::shared_ptr<const Part>> parts{};
        std::vector<Segment> segments{};
        std::int64_t pending_before = 0;  // pages whose first chunk is below are all in these parts
    };

    // What is dead by now is left out; its slots are free when all is done.
    static Result<Rewriting> begin(db::Connection& connection, CollectionState& state, Inputs inputs);

    // Goes on for about that much of the processor. True when it is done, and searches see the new segment.
    Result<bool> step(db::Connection& connection, ViewLock& lock, std::chrono::milliseconds time);

    std::int64_t target() const { return target_; }
    bool has(const Part* part) const;
    const CollectionState& state() const { return *state_; }

private:
    Rewriting() = default;
    Result<void> sort_slots(db::Connection& connection);
    Result<bool> write_leaves(db::Connection& connection, std::chrono::milliseconds time);
    Result<void> put_to_use(db::Connection& connection);
    void change_view(ViewLock& lock);

    CollectionState* state_ = nullptr;
    Inputs inputs_;
    std::int64_t target_ = 0;
    Bits keep_;
    std::vector<Slot> kept_, dropped_;
    std::string last_term_;
};

// The slots of these that are live, as bits.
Bits live_of(const SlotTable& slots, const std::vector<Slot>& of);

}  // namespace quarry::index
