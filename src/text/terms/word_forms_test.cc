#include "text/terms/word_forms.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry::text;

TEST_CASE("a letter is folded to what it counts as, and its kind says what it does to a word") {
    struct Row {
        char32_t letter;
        LetterKind kind;
        std::string_view folded;
    };
    LetterFolder folder;
    for (const Row& row : {
             Row{U'É', LetterKind::letter, "e"},      Row{U'ß', LetterKind::letter, "ss"},
             Row{U'ẞ', LetterKind::letter, "ss"},     Row{U'Ø', LetterKind::letter, "o"},
             Row{U'Ё', LetterKind::letter, "е"},      Row{U'Й', LetterKind::letter, "й"},
             Row{U'ς', LetterKind::letter, "σ"},      Row{U'Ⅷ', LetterKind::letter, "viii"},
             Row{U'أ', LetterKind::letter, "ا"},      Row{U'漢', LetterKind::character, "漢"},
             Row{U'한', LetterKind::character, "한"}, Row{U'が', LetterKind::phonetic, "が"},
             Row{U'ｶ', LetterKind::phonetic, "カ"},   Row{U'٣', LetterKind::digit, "3"},
             Row{U'₂', LetterKind::digit, "2"},       Row{U'²', LetterKind::none, ""},
             Row{0x0301, LetterKind::silent, ""},     Row{0x05B0, LetterKind::silent, ""},
             Row{0x093F, LetterKind::mark, "ि"},      Row{0x00AD, LetterKind::silent, ""},
             Row{U'’', LetterKind::apostrophe, "'"},  Row{0x2011, LetterKind::hyphen, "-"},
             Row{U'—', LetterKind::none, ""},         Row{U'🚀', LetterKind::none, ""},
             Row{0xFDFA, LetterKind::none, ""},  // unfolds to a phrase
         }) {
        CAPTURE(static_cast<std::uint32_t>(row.letter));
        CHECK(folder.fold(row.letter).kind == row.kind);
        CHECK(folder.fold(row.letter).text() == row.folded);
    }
}

TEST_CASE("letters in pieces are read as one, and broken bytes as none") {
    LetterFolder folder;
    const std::string text = "и\u0306!\xD0";

    CHECK(folder.read(text, 0).folded.text() == "й");
    CHECK(folder.read(text, 0).end == 4);
    CHECK(folder.read(text, 5).folded.kind == LetterKind::none);
    CHECK(folder.read(text, 5).end == 6);
}

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
