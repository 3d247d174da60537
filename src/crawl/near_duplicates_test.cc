#include "crawl/near_duplicates.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::crawl;

namespace {

// `count` words that are the same for the same seed and have nothing in common with those of another.
std::vector<std::string> words(int count, unsigned seed) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) {
        seed = seed * 1'664'525 + 1'013'904'223;
        std::string word;
        for (unsigned letters = seed >> 8; letters != 0; letters /= 26)
            word += static_cast<char>('a' + letters % 26);
        all.push_back(word);
    }
    return all;
}

std::string text_of(const std::vector<std::string>& all, const std::string& between = " ") {
    std::string text;
    for (const std::string& word : all) text += word + between;
    return text;
}

UrlKey page(std::uint64_t number) {
    return {number, number};
}

}  // namespace

TEST_CASE("equal words give an equal hash, whatever stands between them") {
    const std::string text = text_of(words(200, 1));
    CHECK(simhash(text) != 0);
    CHECK(simhash(text) == simhash(text_of(words(200, 1), "\n\n- ")));
    CHECK(simhash(text) == simhash(text_of(words(200, 1), " — ")));
    CHECK(simhash("  " + text) == simhash(text));
}

TEST_CASE("letter case makes no difference") {
    std::string upper = text_of(words(200, 1));
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c -= 32;
    CHECK(simhash(upper) == simhash(text_of(words(200, 1))));
}

TEST_CASE("where a link leads makes no difference, what it says does") {
    const std::string text = text_of(words(100, 1));
    const std::string one = text + "see [the guide](https://a.example/v1/guide.html) for more";
    const std::string other = text + "see [the guide](https://b.example/v2/other.html) for more";
    CHECK(simhash(one) == simhash(other));
    CHECK(simhash(one) != simhash(text + "see [the manual](https://a.example/v1/guide.html) for more"));
}

TEST_CASE("a small change in a long text moves few bits, another text moves many") {
    std::vector<std::string> changed = words(1'000, 1);
    changed[500] = "changed";
    const std::uint64_t original = simhash(text_of(words(1'000, 1)));

    CHECK(simhash_distance(original, simhash(text_of(changed))) <= 3);
    CHECK(simhash_distance(original, simhash(text_of(words(1'000, 2)))) > 12);
}

TEST_CASE("cells that repeat do not make two tables alike") {
    std::string zeros;
    for (int i = 0; i < 500; ++i) zeros += "| 0 ";
    const std::string one = text_of(words(100, 1)) + zeros, other = text_of(words(100, 2)) + zeros;
    CHECK(simhash_distance(simhash(one), simhash(other)) > 12);
}

TEST_CASE("a short text has no hash") {
    CHECK(simhash("") == 0);
    CHECK(simhash("page not found") == 0);
    CHECK(simhash(text_of(words(29, 1))) == 0);
    CHECK(simhash(text_of(words(30, 1))) != 0);
    CHECK(simhash(std::string(10'000, '-')) == 0);
}

TEST_CASE("scripts without spaces are read character by character") {
    std::string chinese;
    for (int i = 0; i < 60; ++i) chinese += std::string("\xE4\xB8") + static_cast<char>(0x80 + i);
    std::string changed = chinese;
    changed.replace(90, 3, "\xE6\x97\xA5");
    const std::string other_text = [] {
        std::string text;
        for (int i = 0; i < 60; ++i) text += std::string("\xE5\x9B") + static_cast<char>(0x80 + i);
        return text;
    }();

    CHECK(simhash(chinese) != 0);
    CHECK(simhash_distance(simhash(chinese), simhash(changed)) < 20);
    CHECK(simhash_distance(simhash(chinese), simhash(changed)) <
          simhash_distance(simhash(chinese), simhash(other_text)));
    CHECK(simhash(chinese.substr(0, 60)) == 0);
}

TEST_CASE("text cut in the middle of a character is read to its end") {
    const std::string text = text_of(words(40, 1));
    for (const char* tail : {"\xE4", "\xE4\xB8", "\xE2", "\xE2\x80", "\xF0\x9F", "]", "](", "](x"}) {
        CAPTURE(std::string(tail));
        CHECK(simhash(text + tail) != 0);
    }
}

TEST_CASE("a very long text is known by its beginning and its end") {
    std::string text = text_of(words(200'000, 1));
    REQUIRE(text.size() > 1'000'000);
    std::string changed = text;
    changed.replace(text.size() / 2, 5, "xxxxx");
    CHECK(simhash(text) == simhash(changed));
    CHECK(simhash(text) != simhash(text_of(words(200'000, 2))));
}

TEST_CASE("a page that nearly repeats another is told which") {
    NearDuplicates index;
    CHECK_FALSE(index.add(0xF0F0'F0F0'F0F0'F0F0, "title", page(1)));
    CHECK(index.add(0xF0F0'F0F0'F0F0'F0F0, "title", page(2)) == page(1));
    CHECK(index.add(0xF0F0'F0F0'F0F0'F0F0 ^ 0x8000'0001'0000'1000, "title", page(3)) == page(1));
    CHECK_FALSE(index.add(0xF0F0'F0F0'F0F0'F0F0 ^ 0x8000'0001'0001'1000, "title", page(4)));
    CHECK(index.size() >= 2);
}

TEST_CASE("pages with different titles have to be nearer to be the same") {
    NearDuplicates index;
    index.add(0xF0F0'F0F0'F0F0'F0F0, "min", page(1));
    CHECK(index.add(0xF0F0'F0F0'F0F0'F0F0 ^ 0x1000, "max", page(2)) == page(1));
    CHECK_FALSE(index.add(0xF0F0'F0F0'F0F0'F0F0 ^ 0x1'1000, "max", page(3)));
    CHECK(index.add(0xF0F0'F0F0'F0F0'F0F0 ^ 0x1'1000, "min", page(4)).has_value());
}

TEST_CASE("every hash within three bits is found, wherever they are") {
    constexpr std::uint64_t original = 0x0123'4567'89AB'CDEF;
    NearDuplicates index;
    index.add(original, "title", page(1));
    std::uint64_t number = 2;
    for (int a = 0; a < 64; a += 3)
        for (int b = 0; b < 64; b += 5)
            for (int c = 0; c < 64; c += 7) {
                const std::uint64_t near = original ^ 1ull << a ^ 1ull << b ^ 1ull << c;
                CHECK(index.add(near, "title", page(number++)) == page(1));
            }
}

TEST_CASE("a page is not near itself, and a text without a hash is near nothing") {
    NearDuplicates index;
    CHECK_FALSE(index.add(42, "title", page(1)));
    CHECK_FALSE(index.add(42, "title", page(1)));
    CHECK_FALSE(index.add(0, "title", page(2)));
    CHECK_FALSE(index.add(0, "title", page(3)));
}

TEST_CASE("beyond its capacity the oldest pages are forgotten") {
    // Multiples of an odd number: no two of these hashes are near each other.
    const auto hash = [](std::uint64_t i) { return i * 0x9E37'79B9'7F4A'7C15; };
    NearDuplicates index(100);
    for (std::uint64_t i = 1; i <= 1'000; ++i) CHECK_FALSE(index.add(hash(i), "title", page(i)));

    CHECK(index.size() == 100);
    CHECK(index.add(hash(950), "title", page(2'000)) == page(950));
    CHECK(index.add(hash(1'000), "title", page(2'001)) == page(1'000));
    CHECK_FALSE(index.add(hash(800), "title", page(2'002)));
}
