// Postings in every form they take: packed, in parts, in leaves, merged.
#include "index/embedded/postings.h"

#include <map>
#include <random>

#include <doctest/doctest.h>

#include "index/embedded/merging.h"
#include "index/embedded/part.h"
#include "index/embedded/segments.h"

namespace quarry::index {

namespace {

std::vector<Posting> unpack(std::string_view bytes) {
    std::vector<Posting> postings;
    REQUIRE(each_posting(bytes, UINT32_MAX, [&](Slot slot, std::uint32_t count) {
        postings.push_back({.slot = slot, .count = count});
    }));
    return postings;
}

std::shared_ptr<const Part> part_of(
    const std::vector<std::pair<Slot, std::vector<text::TermCount>>>& chunks) {
    PartBuilder builder;
    for (const auto& [slot, terms] : chunks) builder.add(slot, terms);
    return builder.finish();
}

Bits all_below(Slot end) {
    Bits bits(end);
    for (Slot slot = 0; slot < end; ++slot) bits.set(slot);
    return bits;
}

}  // namespace

TEST_CASE("postings come back as they were packed") {
    const std::vector<std::vector<Posting>> rows = {
        {},
        {{0, 1}},
        {{0, 1}, {1, 1}, {2, 1}},
        {{0, 7}, {63, 1}, {64, 1}, {128, 300}, {1'000'000, 1}, {(1u << 30) - 1, UINT32_MAX}},
    };
    for (const auto& postings : rows) {
        std::string bytes;
        pack_postings(postings, bytes);

        CHECK(unpack(bytes) == postings);
        CHECK(posting_count(bytes) == postings.size());
    }
}

TEST_CASE("neighbours that occur once take a byte each") {
    std::vector<Posting> postings;
    for (Slot slot = 0; slot < 100; ++slot) postings.push_back({slot, 1});
    std::string bytes;
    pack_postings(postings, bytes);

    CHECK(bytes.size() == 101);
}

TEST_CASE("a damaged list is noticed, wherever it is cut or changed") {
    std::string bytes;
    pack_postings({{5, 1}, {300, 4}, {70'000, 1}}, bytes);
    const auto is_sound = [](std::string_view list, std::size_t slots) {
        return each_posting(list, slots, [](Slot, std::uint32_t) {});
    };

    REQUIRE(is_sound(bytes, 70'001));
    CHECK(!is_sound(bytes, 70'000));
    for (std::size_t size = 0; size < bytes.size(); ++size) CHECK(!is_sound(bytes.substr(0, size), 70'001));
    CHECK(!is_sound(bytes + "x", 70'001));
    CHECK(!is_sound(std::string(12, '\xff'), 70'001));
}

TEST_CASE("sets of slots come back as they were packed, and damage is noticed") {
    for (const std::vector<Slot>& slots : {std::vector<Slot>{}, {0}, {0, 1, 2}, {7, 100, 1u << 29}}) {
        const std::string bytes = pack_slots(slots);
        std::vector<Slot> unpacked;

        REQUIRE(unpack_slots(bytes, unpacked));
        CHECK(unpacked == slots);
        CHECK(posting_count(bytes) == slots.size());
        CHECK(!unpack_slots(bytes + "x", unpacked));
        CHECK(!unpack_slots(std::string_view(bytes).substr(0, bytes.size() - 1), unpacked));
    }
}

TEST_CASE("a part has its terms in order of their bytes") {
    const auto part = part_of({{3, {{"zebra", 1}, {"apple", 2}}}, {5, {{"apple", 1}, {"äpfel", 1}}}});

    REQUIRE(part->terms() == 3);
    CHECK(part->term(0) == "apple");
    CHECK(part->term(1) == "zebra");
    CHECK(part->term(2) == "äpfel");
    CHECK(unpack(part->find("apple")) == std::vector<Posting>{{3, 2}, {5, 1}});
    CHECK(part->find("appl").empty());
    CHECK(part->find("zebras").empty());
    CHECK(part->slots() == std::vector<Slot>{3, 5});
}

TEST_CASE("terms that share their first letters are told apart") {
    std::vector<text::TermCount> terms;
    std::vector<std::string> words;
    for (int at = 0; at < 3'000; ++at) words.push_back("international" + std::to_string(at));
    for (const std::string& word : words) terms.push_back({word, 1});
    terms.push_back({"international", 1});
    const auto part = part_of({{0, terms}});

    CHECK(part->terms() == 3'001);
    for (std::size_t at = 1; at < part->terms(); ++at) CHECK(part->term(at - 1) < part->term(at));
    for (const std::string& word : words) CHECK(!part->find(word).empty());
}

TEST_CASE("a term that a bag names twice is counted together") {
    const auto part = part_of({{1, {{"a", 1}, {"b", 1}, {"a", 2}}}});

    CHECK(unpack(part->find("a")) == std::vector<Posting>{{1, 3}});
}

TEST_CASE("merging keeps what is kept, in order of the slots") {
    const auto first = part_of({{2, {{"a", 1}, {"b", 1}}}, {9, {{"a", 3}}}});
    const auto second = part_of({{1, {{"a", 2}}}, {5, {{"c", 1}}}});
    Bits keep = all_below(10);
    keep.clear(5);

    const auto merged = merge_parts({first, second}, keep).value();

    CHECK(merged->terms() == 2);
    CHECK(unpack(merged->find("a")) == std::vector<Posting>{{1, 2}, {2, 1}, {9, 3}});
    CHECK(unpack(merged->find("b")) == std::vector<Posting>{{2, 1}});
    CHECK(merged->find("c").empty());
    CHECK(merged->slots() == std::vector<Slot>{1, 2, 9});
}

TEST_CASE("merging random parts is the same as making one") {
    std::mt19937 random(5);
    std::vector<std::string> words;
    for (int at = 0; at < 200; ++at) words.push_back("w" + std::to_string(at * at % 997));
    std::map<Slot, std::vector<text::TermCount>> all;
    std::vector<std::shared_ptr<const Part>> parts;
    for (Slot from = 0; from < 12; ++from) {
        PartBuilder builder;
        for (Slot slot = from; slot < 600; slot += 12) {
            std::map<std::string_view, std::uint32_t> counts;
            for (int at = 0; at < 20; ++at) ++counts[words[random() % words.size()]];
            for (const auto& [word, count] : counts) all[slot].push_back({word, count});
            builder.add(slot, all[slot]);
        }
        parts.push_back(builder.finish());
    }

    const auto merged = merge_parts(parts, all_below(600)).value();

    const auto expected = part_of({all.begin(), all.end()});
    REQUIRE(merged->terms() == expected->terms());
    for (std::size_t at = 0; at < merged->terms(); ++at) {
        CHECK(merged->term(at) == expected->term(at));
        CHECK(merged->postings(at) == expected->postings(at));
    }
}

TEST_CASE("a segment gives its terms from wherever one left off") {
    db::Connection connection = db::Connection::open(":memory:", db::Access::create).value();
    REQUIRE(
        connection.execute("CREATE TABLE leaf(segment INTEGER, first BLOB, bytes BLOB, "
                           "PRIMARY KEY(segment, first)) WITHOUT ROWID"));
    db::Statement insert = connection.prepare("INSERT INTO leaf VALUES(?1, ?2, ?3)").value();
    LeafWriter writer(insert, 4);
    std::vector<std::string> terms;
    for (int at = 1'000; at < 4'000; ++at) terms.push_back("term" + std::to_string(at));
    for (const std::string& term : terms) {
        REQUIRE(writer.add(term, term == "term2000" ? std::string(50'000, 'p') : "postings of " + term));
    }
    REQUIRE(writer.finish());
    CHECK(connection.integer("SELECT count(*) FROM leaf").value() > 10);

    struct Row {
        std::string after;
        std::size_t first;
    };
    for (const Row& row : {Row{"", 0},
                           {"term", 0},
                           {"term1000", 1},
                           {"term1999", 1'000},
                           {"term2000", 1'001},
                           {"term25", 1'500},
                           {"term3999", 3'000},
                           {"u", 3'000}}) {
        CAPTURE(row.after);
        const auto cursor = open_segment(connection, 4, row.after).value();
        std::size_t at = row.first;
        while (cursor->next().value()) {
            REQUIRE(at < terms.size());
            CHECK(cursor->term() == terms[at]);
            ++at;
        }
        CHECK(at == terms.size());
    }
}

TEST_CASE("a term is found in its leaf, and a damaged leaf is noticed") {
    std::string leaf;
    for (const char* term : {"b", "bb", "c"}) {
        put_text(leaf, term);
        put_text(leaf, std::string("of ") + term);
    }

    CHECK(find_in_leaf(leaf, "bb").value() == "of bb");
    CHECK(find_in_leaf(leaf, "a").value() == "");
    CHECK(find_in_leaf(leaf, "d").value() == "");
    CHECK(find_in_leaf(leaf.substr(0, leaf.size() - 1), "c").error().code == ErrorCode::corrupt);
}

}  // namespace quarry::index
