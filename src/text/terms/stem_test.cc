#include "text/terms/stem.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry::text;

TEST_CASE("words are stemmed by the rules of the one script they are written in") {
    struct Row {
        std::string_view word, stem;
    };
    Stemmer stemmer;
    for (const Row& row : {
             Row{"connections", "connect"},
             Row{"is", "is"},
             Row{"машинами", "машин"},
             Row{"δρομοι", "δρομ"},
             Row{"utf8s", "utf8s"},        // has a digit
             Row{"foo_bars", "foo_bars"},  // has a sign
             Row{"mixedсловами", "mixedсловами"},
             Row{"", ""},
         }) {
        CAPTURE(row.word);
        CHECK(stemmer.stem(row.word) == row.stem);
        CHECK(stemmer.stem(row.word) == row.stem);  // now remembered
    }
}

TEST_CASE("a remembered stem is never another word's") {
    Stemmer cached;
    for (int i = 0; i < 50'000; ++i) {
        // More words than the cache holds: every letter here is a consonant, so no ending is ever cut off.
        std::string word = "b";
        for (int rest = i; rest > 0; rest /= 5) word += "bcdfg"[rest % 5];
        const std::string stem(cached.stem(word));
        REQUIRE(stem == word);
    }
}

TEST_CASE("a word of any length has a stem, and a moved stemmer goes on") {
    Stemmer first;
    const std::string word = std::string(200, 'b') + "ations";
    CHECK(first.stem(word) == std::string(200, 'b') + "ation");

    Stemmer second(std::move(first));
    CHECK(second.stem("running") == "run");
}
