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
