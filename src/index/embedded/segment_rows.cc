#include "index/embedded/segment_rows.h"

#include "index/embedded/damaged.h"

namespace quarry::index {

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
