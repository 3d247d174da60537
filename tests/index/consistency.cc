#include "index/consistency.h"

#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "db/sqlite.h"
#include "index/embedded/page_rows.h"
#include "index/embedded/segments.h"

namespace quarry::test {

namespace {

struct Rule {
    std::string_view sentence;
    std::string_view violations;  // the first column names a row
    Tidiness from = Tidiness::any;
};

constexpr std::array rules = {
    Rule{"the file is sound",
         "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'"},
    Rule{"chunks get their ids from the counter", R"sql(
        SELECT page FROM page
        WHERE length(chunks) > 0
          AND first_chunk >= coalesce((SELECT value FROM meta WHERE name = 'next_chunk'), 1))sql"},
    Rule{"a page that waits for a segment is there", R"sql(
        SELECT id FROM pending WHERE NOT EXISTS(SELECT 1 FROM page
            WHERE page.collection = pending.collection AND page.page = pending.page
              AND page.first_chunk = pending.id))sql"},
    Rule{"a collection in use has one space in use at most", R"sql(
        SELECT collection FROM space WHERE state = 1 GROUP BY collection HAVING count(*) > 1)sql"},
    Rule{"the space of a collection is in use", R"sql(
        SELECT id FROM collection WHERE space <> 0 AND NOT is_dropped
          AND NOT EXISTS(SELECT 1 FROM space WHERE space.id = collection.space AND state = 1))sql"},
    Rule{"leaves are of a segment", "SELECT segment FROM leaf WHERE segment NOT IN (SELECT id FROM segment)"},
    Rule{"vectors are of a space", "SELECT space FROM vector WHERE space NOT IN (SELECT id FROM space)"},
    Rule{"no segment is left over", "SELECT id FROM segment WHERE state <> 1", Tidiness::settled},
    Rule{"no space is left over", "SELECT id FROM space WHERE state = 2", Tidiness::settled},
    Rule{"no collection is left over", "SELECT id FROM collection WHERE is_dropped", Tidiness::settled},
    Rule{"nothing waits for a segment", "SELECT id FROM pending", Tidiness::settled},
};

void check_rules(db::Connection& connection, Tidiness tidiness, std::vector<std::string>& found) {
    for (const Rule& rule : rules) {
        if (rule.from == Tidiness::settled && tidiness == Tidiness::any) continue;
        auto statement = connection.prepare(rule.violations);
        const auto row = statement ? statement->step() : std::unexpected(statement.error());
        if (!row) {
            found.push_back(fmt::format("{}: {}", rule.sentence, row.error().message));
        } else if (*row) {
            found.push_back(fmt::format("not true of {}: {}", statement->text(0), rule.sentence));
        }
    }
}

// What SQL cannot see: chunks, which are packed into their pages' rows.
void check_chunks(db::Connection& connection, std::vector<std::string>& found) {
    std::set<std::int64_t> chunks, passages;
    std::set<std::pair<std::int64_t, index::Slot>> slots;
    auto pages = connection.prepare("SELECT collection, page, first_chunk, chunks FROM page").value();
    while (pages.step().value()) {
        const auto places = index::unpack_places(pages.text(3));
        if (!places) {
            found.push_back(places.error().message);
            continue;
        }
        for (std::size_t at = 0; at < places->size(); ++at) {
            const std::int64_t id = pages.integer(2) + static_cast<std::int64_t>(at);
            if (!chunks.insert(id).second) found.push_back(fmt::format("chunk {} is there twice", id));
            if (!slots.emplace(pages.integer(0), (*places)[at].slot).second) {
                found.push_back(fmt::format("slot {} is of two chunks", (*places)[at].slot));
            }
            if (at % 16 == 0) passages.insert(id);
        }
    }
    auto texts = connection.prepare("SELECT id FROM passages").value();
    while (texts.step().value()) {
        if (passages.erase(texts.integer(0)) == 0) {
            found.push_back(fmt::format("texts {} are of no page", texts.integer(0)));
        }
    }
    for (const std::int64_t missing : passages) found.push_back(fmt::format("texts {} are missing", missing));
    auto vectors =
        connection.prepare("SELECT chunk FROM vector WHERE space IN (SELECT id FROM space WHERE state < 2)")
            .value();
    while (vectors.step().value()) {
        if (!chunks.contains(vectors.integer(0))) {
            found.push_back(fmt::format("the vector of {} is of no chunk", vectors.integer(0)));
        }
    }
}

// Every live chunk is in one segment, or waits for one.
void check_segments(db::Connection& connection, std::vector<std::string>& found) {
    std::set<std::pair<std::int64_t, index::Slot>> in_segments;
    auto segments = connection.prepare("SELECT id, collection FROM segment WHERE state = 1").value();
    while (segments.step().value()) {
        const auto slots = index::segment_slots(connection, segments.integer(0)).value();
        for (const index::Slot slot : slots) {
            if (!in_segments.emplace(segments.integer(1), slot).second) {
                found.push_back(fmt::format("slot {} is in two segments", slot));
            }
        }
    }
    auto pages = connection
                     .prepare(
                         "SELECT collection, chunks, EXISTS(SELECT 1 FROM pending WHERE id = first_chunk "
                         "AND length(chunks) > 0) FROM page "
                         "WHERE collection IN (SELECT id FROM collection WHERE NOT is_dropped)")
                     .value();
    while (pages.step().value()) {
        const auto places = index::unpack_places(pages.text(1)).value();
        for (const index::ChunkPlace& place : places) {
            if (in_segments.contains({pages.integer(0), place.slot}) == (pages.integer(2) != 0)) {
                found.push_back(fmt::format("slot {} is in no segment, or also waits for one", place.slot));
            }
        }
    }
}

}  // namespace

std::vector<std::string> index_inconsistencies(const std::string& path, Tidiness tidiness) {
    std::vector<std::string> found;
    auto connection = db::Connection::open(path, db::Access::read_only);
    if (!connection) return {connection.error().message};
    check_rules(*connection, tidiness, found);
    if (!found.empty()) return found;
    check_chunks(*connection, found);
    check_segments(*connection, found);
    return found;
}

}  // namespace quarry::test
