// What is in memory: slots, pages, signs, the best of many, and texts on their way to the disk.
#include <random>

#include <doctest/doctest.h>

#include "index/embedded/collection.h"
#include "index/embedded/matching.h"
#include "index/embedded/page_rows.h"
#include "index/embedded/signs.h"
#include "index/embedded/similar_words.h"
#include "index/embedded/vectors.h"

namespace quarry::index {

TEST_CASE("slots that are free are given out before new ones, and taken back if nothing came of it") {
    SlotSupply supply({2, 5}, 9);

    CHECK(supply.take() == 2);
    CHECK(supply.take() == 5);
    CHECK(supply.take() == 9);
    supply.take_back();
    CHECK(supply.take() == 2);
    supply.settle();
    supply.give_back({4, 1});
    CHECK(supply.take() == 1);
    CHECK(supply.take() == 4);
    CHECK(supply.take() == 5);
    CHECK(supply.take() == 9);
}

TEST_CASE("a page keeps its number until it goes") {
    PageTable pages;
    const PageNumber first = pages.put({.page = PageId{10}});
    const PageNumber second = pages.put({.page = PageId{20}});

    CHECK(pages.put({.page = PageId{10}, .path = "/new"}) == first);
    CHECK(pages.at(first).path == "/new");
    pages.remove(PageId{20});
    CHECK(pages.pages() == 1);
    CHECK(pages.put({.page = PageId{30}}) == second);
    pages.remove(PageId{99});
    CHECK(pages.pages() == 2);
}

TEST_CASE("live chunks and their lengths are counted") {
    SlotTable slots;
    slots.put(3, {.page = 0, .index = 0}, 10);
    slots.put(7, {.page = 1, .index = 2}, 30);

    CHECK(slots.size() == 8);
    CHECK(slots.live() == 2);
    CHECK(slots.average_length() == 20);
    slots.put(7, {.page = 1, .index = 3}, 50);
    CHECK(slots.live() == 2);
    CHECK(slots.average_length() == 30);
    slots.remove(3);
    slots.remove(3);
    slots.remove(1'000);
    CHECK(slots.live() == 1);
    CHECK(!slots.is_live(3));
    CHECK(!slots.is_live(1'000));
    CHECK(slots.live_bits().has(7));
}

TEST_CASE("the best are the best, and of equal ones those that came first") {
    Best best(3);
    for (Slot slot = 0; slot < 10; ++slot) best.offer({slot, static_cast<float>(slot % 4)});

    const auto found = best.finish();

    REQUIRE(found.size() == 3);
    CHECK(found[0].slot == 3);
    CHECK(found[1].slot == 7);
    CHECK(found[2].slot == 2);
}

TEST_CASE("a block of signs remembers who was seen and who has a vector") {
    const std::vector<float> vector{1, -1, 0.5F, -3};
    SignBlock block(4);
    block.put(258, signs_of(vector));
    block.put(259, {});

    const auto read = SignBlock::parse(block.bytes(), 4);

    REQUIRE(read);
    CHECK(read->is_seen(2));
    CHECK(read->has(2));
    CHECK(read->signs(2) == SignWords{0b0101});
    CHECK(read->is_seen(3));
    CHECK(!read->has(3));
    CHECK(!read->is_seen(4));
    block.clear(258);
    CHECK(!block.is_seen(258));
    CHECK(!SignBlock::parse(block.bytes(), 65));
    SignBlock early(0);
    early.put(9, {});
    CHECK(SignBlock::parse(early.bytes(), 4)->is_seen(9));
}

TEST_CASE("very long vectors are told apart too") {
    constexpr int dimensions = 3'072;
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    Signs signs(dimensions);
    std::vector<std::vector<float>> vectors(50, std::vector<float>(dimensions));
    for (Slot slot = 0; slot < 50; ++slot) {
        for (float& value : vectors[slot]) value = normal(random);
        signs.put(slot, signs_of(vectors[slot]));
    }

    CHECK(signs.count() == 50);
    CHECK(signs.nearest(vectors[17], 1, nullptr).at(0).slot == 17);
    signs.remove(17);
    CHECK(signs.nearest(vectors[17], 50, nullptr).size() == 49);
}

TEST_CASE("cosines of packed vectors are right to the second digit") {
    const std::vector<float> one = unit_vector(std::vector<float>{3, 4, 0}).value();
    const std::vector<float> other = unit_vector(std::vector<float>{0, 2, 0}).value();

    CHECK(cosine(pack_vector(one), quantise(other)).value() == doctest::Approx(0.8).epsilon(0.01));
    CHECK(cosine(pack_vector(one), quantise(one)).value() == doctest::Approx(1).epsilon(0.01));
    CHECK(cosine("xy", quantise(one)).error().code == ErrorCode::corrupt);
    CHECK(unit_vector(std::vector<float>{0, 0}).value().empty());
    CHECK(unit_vector(std::vector<float>{NAN}).error().code == ErrorCode::invalid_argument);
    CHECK(unit_vector(std::vector<float>{INFINITY, 1}).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("texts come back as they were packed, and damage is noticed") {
    const Chunk first{.text = "some text some text", .headings = {"A", "", "C"}, .begin = 1, .end = 20};
    const Chunk second{.text = std::string("\0\xff", 2)};
    const std::vector<const Chunk*> chunks{&first, &second};
    std::string packed = pack_passages(chunks).value();

    const auto unpacked = unpack_passages(packed).value();

    REQUIRE(unpacked.size() == 2);
    CHECK(unpacked[0].text == first.text);
    CHECK(unpacked[0].headings == first.headings);
    CHECK(unpacked[0].end == 20);
    CHECK(unpacked[1].text == second.text);
    for (std::size_t at = 0; at < packed.size(); ++at) {
        CHECK(unpack_passages(std::string_view(packed).substr(0, at)).error().code == ErrorCode::corrupt);
    }
    packed[packed.size() / 2] ^= 0x10;
    CHECK(!unpack_passages(packed));
}

TEST_CASE("places and terms come back as they were packed, and damage is noticed") {
    const auto places =
        unpack_places(pack_places({{.slot = 7, .length = 100}, {.slot = 3, .length = 0}})).value();
    REQUIRE(places.size() == 2);
    CHECK(places[1].slot == 3);
    CHECK(places[0].length == 100);
    CHECK(!unpack_places("\x07"));
    CHECK(!unpack_places("\xff\xff\xff\xff\x7f\x01"));

    std::vector<IndexedChunk> chunks(2);
    chunks[1].terms.counts = {{"alpha", 3}, {"beta", 1}};
    const std::string packed = pack_terms(chunks);
    const auto terms = unpack_terms(packed).value();
    REQUIRE(terms.size() == 2);
    CHECK(terms[0].empty());
    CHECK(terms[1].at(0).term == "alpha");
    CHECK(terms[1].at(0).count == 3);
    CHECK(!unpack_terms(packed.substr(0, packed.size() - 1)));
}

TEST_CASE("slips of the fingers are counted") {
    struct Row {
        const char* a;
        const char* b;
        int slips;
    };
    for (const Row& row : {Row{"house", "house", 0},
                           {"house", "hose", 1},
                           {"house", "houses", 1},
                           {"house", "hoose", 1},
                           {"house", "huose", 1},
                           {"house", "mouses", 2},
                           {"house", "elephant", 3},
                           {"grün", "gran", 1},
                           {"дом", "том", 1},
                           {"", "ab", 2}}) {
        CAPTURE(row.a);
        CAPTURE(row.b);
        CHECK(slips_between(row.a, row.b, 2) == row.slips);
        CHECK(slips_between(row.b, row.a, 2) == row.slips);
    }
}

}  // namespace quarry::index
