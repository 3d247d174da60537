#include "extract/content/text_scan.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "extract/content/byte_masks.h"

using namespace quarry::extract;

namespace {

struct Scan {
    TextCounts counts{};
    std::vector<std::uint32_t> words{};
};

Scan scan(std::string_view text, InLink in_link = InLink::no) {
    constexpr WeightedWord weighted[] = {{"subscribe", -50}, {"however", 40}};
    static const WordWeights weights(weighted);
    Scan result;
    result.words.resize(text.size() / 2 + 1);
    std::uint32_t* next_word = result.words.data();
    scan_text(text, in_link, {weights, result.counts, next_word});
    result.words.resize(static_cast<std::size_t>(next_word - result.words.data()));
    return result;
}

std::vector<std::uint32_t> hashes(std::string_view text) {
    std::vector<std::uint32_t> words;
    each_word(text, [&](WordHash word) { words.push_back(word.value()); });
    return words;
}

// Texts longer than a window, of every kind of byte, with words of all lengths.
std::string random_text(std::mt19937& random) {
    constexpr std::string_view pieces[] = {"a",       "the",
                                           "Word",    "SHOUTED",
                                           "1999",    "2024x",
                                           "however", ". ",
                                           "!",       " ",
                                           "\n",      ", ",
                                           "; ",      "$",
                                           "| ",      "/",
                                           "\u00E9",  "\u201C",
                                           "\u00A9",  "\u4E2D",
                                           "\u3002",  "aVeryLongWordThatGoesOnAndOnAndOn"};
    std::string text;
    for (std::size_t left = random() % 120; left > 0; --left) text += pieces[random() % std::size(pieces)];
    return text;
}

}  // namespace

TEST_CASE("a text is counted in words, sentences and marks") {
    const TextCounts counts =
        scan("In 1998 NASA sent 3 probes, However: it cost $20 | Subscribe now! Is it a.b? Yes.").counts;

    CHECK(counts.words == 17);
    CHECK(counts.digits == 7);
    CHECK(counts.letters == 50);
    CHECK(counts.shouted == 1);
    CHECK(counts.capitalised == 6);
    CHECK(counts.short_words == 8);
    CHECK(counts.years == 1);
    CHECK(counts.sentence_ends == 3);
    CHECK(counts.commas == 1);
    CHECK(counts.separators == 1);
    CHECK(counts.prices == 1);
    CHECK(counts.vocabulary == -10);
    CHECK(counts.ends_sentence);
    CHECK(counts.link_words == 0);
}

TEST_CASE("words in links are counted apart") {
    CHECK(scan("read more here", InLink::yes).counts.link_words == 3);
}

TEST_CASE("what ends a text decides whether it ends a sentence") {
    constexpr struct {
        std::string_view text;
        bool ends;
    } cases[] = {{"A.", true}, {"A. \n", true},     {"A:", true},    {"A;", true}, {"A?", true},
                 {"A", false}, {"A,", false},       {"A. B", false}, {"", false},  {"A.)", false},
                 {"é.", true}, {"A.\u201D", false}, {"\u3002", true}};
    for (const auto& [text, ends] : cases) {
        CAPTURE(text);
        CHECK(scan(text).counts.ends_sentence == ends);
    }
}

TEST_CASE("letters beyond ASCII are parts of words, symbols are not") {
    CHECK(scan("über Öl").counts.words == 2);
    CHECK(scan("\u201Cquoted\u201D words").counts.words == 2);
    CHECK(scan("\u00A9 2024").counts.has_copyright);
    CHECK(scan("\u4E2D\u6587\u5B57\u5E55").counts.words == 2);
    CHECK(scan("5 \u20AC").counts.prices == 1);
}

TEST_CASE("the hashes of the words are those of each_word, wherever windows end") {
    std::mt19937 random(11);
    for (int round = 0; round < 2'000; ++round) {
        const std::string text = random_text(random);
        CAPTURE(text);
        REQUIRE(scan(text).words == hashes(text));
    }
}

// A text scanned in pieces that end at spaces needs no windows that cut words.
TEST_CASE("counts do not depend on where windows end") {
    std::mt19937 random(5);
    for (int round = 0; round < 2'000; ++round) {
        const std::string text = random_text(random) + " ";
        CAPTURE(text);
        const TextCounts whole = scan(text).counts;

        TextCounts sum;
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t end = text.find(' ', start) + 1;
            const TextCounts piece = scan(std::string_view(text).substr(start, end - start)).counts;
            sum.digits += piece.digits;
            sum.letters += piece.letters;
            sum.shouted += piece.shouted;
            sum.capitalised += piece.capitalised;
            sum.short_words += piece.short_words;
            sum.sentence_ends += piece.sentence_ends;
            sum.commas += piece.commas;
            sum.years += piece.years;
            start = end;
        }

        REQUIRE(whole.digits == sum.digits);
        REQUIRE(whole.letters == sum.letters);
        REQUIRE(whole.shouted == sum.shouted);
        REQUIRE(whole.capitalised == sum.capitalised);
        REQUIRE(whole.short_words == sum.short_words);
        REQUIRE(whole.sentence_ends == sum.sentence_ends);
        REQUIRE(whole.commas == sum.commas);
        REQUIRE(whole.years == sum.years);
    }
}

TEST_CASE("a word's hash is blind to case and the same with bytes before it") {
    for (const std::string_view word :
         {"a", "Word", "eightlet", "ninelette", "seventeen_letters", "\u00E9t\u00E9"}) {
        const std::string padded = "XXXXXXX" + std::string(word);
        CAPTURE(word);
        CHECK(WordHash::of_ending(padded.data() + 7, word.size()).value() == WordHash(word).value());
        CHECK(WordHash(padded).value() != WordHash(word).value());
    }
    CHECK(WordHash("Subscribe").value() == WordHash("sUBSCRIBE").value());
}

TEST_CASE("weights are found for all words of a map and for no others") {
    std::vector<std::string> spellings;
    for (int i = 0; i < 3'000; ++i) spellings.push_back("word" + std::to_string(i));
    std::vector<WeightedWord> words;
    for (std::size_t i = 0; i < spellings.size(); ++i) {
        words.push_back({spellings[i], static_cast<std::int8_t>(i % 200 - 100)});
    }

    const WordWeights weights(words);

    for (const auto& [word, weight] : words) REQUIRE(weights[WordHash(word)] == weight);
    for (const std::string_view other : {"", "word", "word3000", "other"})
        CHECK(weights[WordHash(other)] == 0);
    CHECK(WordWeights({})[WordHash("word")] == 0);
}

TEST_CASE("every byte has its kinds, however many there are") {
    for (int byte = 0; byte < 256; ++byte) {
        const std::size_t size = 1 + static_cast<std::size_t>(byte) * 37 % ByteMasks::width;
        const std::string text(size, static_cast<char>(byte));
        const ByteMasks masks = masks_of(text.data(), size);
        const std::uint64_t bits = ~std::uint64_t{0} >> (64 - size);
        const auto all = [&](bool is) { return is ? bits : 0; };
        const bool is_capital = byte >= 'A' && byte <= 'Z', is_digit = byte >= '0' && byte <= '9';
        CAPTURE(byte);
        REQUIRE(masks.capital == all(is_capital));
        REQUIRE(masks.digit == all(is_digit));
        REQUIRE(masks.word == all(is_capital || is_digit || (byte >= 'a' && byte <= 'z')));
        REQUIRE((masks.space & bits) == all(byte <= ' '));
        REQUIRE(masks.beyond_ascii == all(byte >= 0x80));
    }
}
