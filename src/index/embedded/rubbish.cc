#include "index/embedded/rubbish.h"

#include <array>
#include <string_view>

#include "index/embedded/page_rows.h"

namespace quarry::index {

namespace {

// Rows of one kind, removed in the order of their keys.
struct Heap {
    std::string_view owner;  // an owner whose rows are to go
    std::string_view bound;  // ?1: the owner; the first key to stay in this step
    std::string_view some;   // ?1, ?2: removes what is below
    std::string_view all;    // ?1: removes the rest
};

constexpr std::array heaps = {
    Heap{.owner = "SELECT id FROM segment WHERE state = 2 AND EXISTS(SELECT 1 FROM leaf WHERE segment = id)",
         .bound = "SELECT first FROM leaf WHERE segment = ?1 ORDER BY first LIMIT 1 OFFSET 250",
         .some = "DELETE FROM leaf WHERE segment = ?1 AND first < ?2",
         .all = "DELETE FROM leaf WHERE segment = ?1"},
    Heap{.owner = "SELECT id FROM space WHERE state = 2 AND EXISTS(SELECT 1 FROM vector WHERE space = id)",
         .bound = "SELECT chunk FROM vector WHERE space = ?1 ORDER BY chunk LIMIT 1 OFFSET 5000",
         .some = "DELETE FROM vector WHERE space = ?1 AND chunk < ?2",
         .all = "DELETE FROM vector WHERE space = ?1"},
    Heap{
        .owner = "SELECT id FROM space WHERE state = 2 AND EXISTS(SELECT 1 FROM sign_block WHERE space = id)",
        .bound = "SELECT block FROM sign_block WHERE space = ?1 ORDER BY block LIMIT 1 OFFSET 250",
        .some = "DELETE FROM sign_block WHERE space = ?1 AND block < ?2",
        .all = "DELETE FROM sign_block WHERE space = ?1"},
};

// Pages of a collection that was removed, with their texts.
constexpr std::string_view some_pages = R"sql(
    SELECT page, first_chunk, chunks FROM page
    WHERE collection = (SELECT id FROM collection WHERE is_dropped LIMIT 1) LIMIT 200)sql";

// True if the owner had rows.
Result<bool> remove_from(db::Connection& connection, const Heap& heap) {
    const std::optional<std::int64_t> owner = TRY(connection.integer(heap.owner));
    if (!owner) return false;
    db::Statement bound = TRY(connection.prepare(heap.bound));
    bound.bind(*owner);
    if (!TRY(bound.step())) {
        db::Statement all = TRY(connection.prepare(heap.all));
        TRY(all.bind(*owner).run());
        return true;
    }
    const std::string key(bound.text(0));
    const std::int64_t number = bound.integer(0);
    bound.reset();
    db::Statement some = TRY(connection.prepare(heap.some));
    const bool is_text = heap.bound.starts_with("SELECT first");
    if (is_text) {
        TRY(some.bind(*owner, db::Blob{key}).run());
    } else {
        TRY(some.bind(*owner, number).run());
    }
    return true;
}

// True if there were pages.
Result<bool> remove_pages(db::Connection& connection) {
    const std::optional<std::int64_t> collection =
        TRY(connection.integer("SELECT id FROM collection WHERE is_dropped LIMIT 1"));
    if (!collection) return false;
    struct Row {
        std::int64_t page = 0, first = 0, end = 0;
    };
    std::vector<Row> rows;
    db::Statement pages = TRY(connection.prepare(some_pages));
    while (TRY(pages.step())) {
        const auto chunks = static_cast<std::int64_t>(TRY(unpack_places(pages.text(2))).size());
        rows.push_back({pages.integer(0), pages.integer(1), pages.integer(1) + chunks});
    }
    pages.reset();
    db::Statement passages = TRY(connection.prepare("DELETE FROM passages WHERE id >= ?1 AND id < ?2"));
    db::Statement remove = TRY(connection.prepare("DELETE FROM page WHERE collection = ?1 AND page = ?2"));
    for (const Row& row : rows) {
        TRY(passages.bind(row.first, row.end).run());
        TRY(remove.bind(*collection, row.page).run());
    }
    if (rows.empty()) {
        db::Statement last = TRY(connection.prepare("DELETE FROM collection WHERE id = ?1"));
        TRY(last.bind(*collection).run());
    }
    return true;
}

}  // namespace

Result<void> abandon_unfinished(db::Connection& connection) {
    db::Transaction transaction = TRY(db::Transaction::begin(connection));
    TRY(connection.execute(R"sql(
        UPDATE segment SET state = 2 WHERE state = 0;
        UPDATE space SET state = 2, bytes = NULL WHERE state = 0;
    )sql"));
    return transaction.commit();
}

Result<bool> remove_some_rubbish(db::Connection& connection) {
    db::Transaction transaction = TRY(db::Transaction::begin(connection));
    bool is_any = TRY(remove_pages(connection));
    for (const Heap& heap : heaps) is_any = is_any || TRY(remove_from(connection, heap));
    if (!is_any) {
        TRY(connection.execute("DELETE FROM segment WHERE state = 2; DELETE FROM space WHERE state = 2;"));
    }
    TRY(transaction.commit());
    return is_any;
}

}  // namespace quarry::index
