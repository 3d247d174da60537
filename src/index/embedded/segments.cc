#include "index/embedded/segments.h"

#include <utility>

#include "index/embedded/postings.h"

namespace quarry::index {

namespace {

// Large enough that rows do not matter, small enough that looking one rare term up does not either.
constexpr std::size_t leaf_bytes = 6'000;

class SegmentCursor : public TermCursor {
public:
    SegmentCursor(db::Statement leaves, std::int64_t segment, const std::string& after)
        : leaves_(std::move(leaves)), after_(after), leaf_({}) {
        leaves_.bind(segment, db::Blob{after_});
    }

    Result<bool> next() override {
        while (true) {
            while (!TRY(leaf_.next())) {
                if (!TRY(leaves_.step())) return false;
                leaf_ = LeafCursor(leaves_.text(0));
            }
            if (leaf_.term() <= after_) continue;
            term_ = leaf_.term();
            postings_ = leaf_.postings();
            return true;
        }
    }

private:
    db::Statement leaves_;
    std::string after_;
    LeafCursor leaf_;
};

}  // namespace

Result<bool> LeafCursor::next() {
    if (left_.empty()) return false;
    ByteReader reader(left_);
    term_ = reader.text();
    postings_ = reader.text();
    if (!reader.is_sound() || term_.empty()) return damaged("a list of words cannot be read");
    left_ = left_.substr(static_cast<std::size_t>(postings_.data() + postings_.size() - left_.data()));
    return true;
}

Result<std::unique_ptr<TermCursor>> open_segment(db::Connection& connection, std::int64_t segment,
                                                 const std::string& after) {
    db::Statement leaves = TRY(connection.prepare(R"sql(
        SELECT bytes FROM leaf
        WHERE segment = ?1
          AND first >= coalesce((SELECT first FROM leaf WHERE segment = ?1 AND first <= ?2
                                 ORDER BY first DESC LIMIT 1), x'')
        ORDER BY first)sql"));
    return std::make_unique<SegmentCursor>(std::move(leaves), segment, after);
}

Result<void> LeafWriter::add(std::string_view term, std::string_view postings) {
    if (!bytes_.empty() && bytes_.size() + postings.size() > leaf_bytes) TRY(finish());
    if (bytes_.empty()) first_ = term;
    put_text(bytes_, term);
    put_text(bytes_, postings);
    return {};
}

Result<void> LeafWriter::finish() {
    if (bytes_.empty()) return {};
    TRY(insert_.bind(segment_, db::Blob{first_}, db::Blob{bytes_}).run());
    bytes_.clear();
    return {};
}

Result<std::string_view> find_in_leaf(std::string_view leaf, std::string_view term) {
    LeafCursor cursor(leaf);
    while (TRY(cursor.next())) {
        if (cursor.term() == term) return cursor.postings();
        if (cursor.term() > term) break;
    }
    return std::string_view();
}

Result<std::vector<Segment>> segments_of(db::Connection& connection, std::int64_t collection) {
    db::Statement rows = TRY(
        connection.prepare("SELECT id, slots FROM segment WHERE collection = ?1 AND state = 1 ORDER BY id"));
    rows.bind(collection);
    std::vector<Segment> segments;
    while (TRY(rows.step())) {
        segments.push_back({.id = rows.integer(0), .chunks = posting_count(rows.text(1))});
    }
    return segments;
}

Result<std::vector<Slot>> segment_slots(db::Connection& connection, std::int64_t segment) {
    db::Statement row = TRY(connection.prepare("SELECT slots FROM segment WHERE id = ?1"));
    row.bind(segment);
    std::vector<Slot> slots;
    if (!TRY(row.step()) || !unpack_slots(row.text(0), slots))
        return damaged("the list of a segment's chunks");
    // One that is too large would take memory for all those below it.
    if (!slots.empty() && slots.back() >= (Slot{1} << 30)) return damaged("the list of a segment's chunks");
    return slots;
}

Result<std::int64_t> begin_segment(db::Connection& connection, std::int64_t collection) {
    db::Statement insert =
        TRY(connection.prepare("INSERT INTO segment VALUES(NULL, ?1, 0, x'00') RETURNING id"));
    insert.bind(collection);
    if (!TRY(insert.step())) return damaged("the list of a segment's chunks");
    const std::int64_t id = insert.integer(0);
    TRY(insert.step());
    return id;
}

Result<void> use_segment(db::Connection& connection, std::int64_t segment, const std::vector<Slot>& slots) {
    db::Statement update = TRY(connection.prepare("UPDATE segment SET state = 1, slots = ?2 WHERE id = ?1"));
    const std::string packed = pack_slots(slots);
    return update.bind(segment, db::Blob{packed}).run();
}

Result<void> drop_segment(db::Connection& connection, std::int64_t segment) {
    db::Statement update =
        TRY(connection.prepare("UPDATE segment SET state = 2, slots = x'00' WHERE id = ?1"));
    return update.bind(segment).run();
}

}  // namespace quarry::index
