// Postings at rest: the rows of segments, and the leaves they consist of. A leaf holds some kilobytes of
// consecutive terms with their postings. One row per leaf instead of per term makes writing, merging and
// removing a segment some hundred rows instead of tens of thousands; a term with many postings has a leaf
// of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/collection.h"
#include "index/embedded/postings.h"

namespace quarry::index {

// Postings at rest: segments of leaves, each some kilobytes of consecutive terms with their postings. One row
// per leaf instead of per term makes a segment's writing, merging and removal some hundred rows instead of
// tens of thousands; a term with many postings has a leaf of its own.

// Terms in order with their postings, wherever they are.
class TermCursor {
public:
    virtual ~TermCursor() = default;
    // False at the end. What term() and postings() gave before is no longer valid.
    virtual Result<bool> next() = 0;
    std::string_view term() const { return term_; }
    std::string_view postings() const { return postings_; }

protected:
    std::string_view term_{}, postings_{};
};

// The terms of a leaf.
class LeafCursor : public TermCursor {
public:
    explicit LeafCursor(std::string_view leaf) : left_(leaf) {}
    Result<bool> next() override;

private:
    std::string_view left_;
};

// A segment's terms after `after`, leaf by leaf. Fails with the database's errors.
Result<std::unique_ptr<TermCursor>> open_segment(db::Connection& connection, std::int64_t segment,
                                                 const std::string& after);

// Writes leaves of a segment, terms in order; finish() or nothing of the last leaf is there.
class LeafWriter {
public:
    LeafWriter(db::Statement& insert, std::int64_t segment) : insert_(insert), segment_(segment) {}
    Result<void> add(std::string_view term, std::string_view postings);
    Result<void> finish();

private:
    db::Statement& insert_;  // INSERT INTO leaf VALUES(segment, first, bytes)
    std::int64_t segment_;
    std::string first_, bytes_;
};

// The term's postings in this leaf; "" if it has none. `corrupt` if the leaf is damaged.
Result<std::string_view> find_in_leaf(std::string_view leaf, std::string_view term);

// The rows of segments: which there are, and which slots' postings they have.

enum class SegmentState : std::uint8_t { being_written = 0, used = 1, dropped = 2 };

// Those in use.
Result<std::vector<Segment>> segments_of(db::Connection& connection, std::int64_t collection);
Result<std::vector<Slot>> segment_slots(db::Connection& connection, std::int64_t segment);

// Within the writer's transaction.
Result<std::int64_t> begin_segment(db::Connection& connection, std::int64_t collection);
Result<void> use_segment(db::Connection& connection, std::int64_t segment, const std::vector<Slot>& slots);
Result<void> drop_segment(db::Connection& connection, std::int64_t segment);

}  // namespace quarry::index
