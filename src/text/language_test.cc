#include "text/language.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry::text;

TEST_CASE("the language of a paragraph is found") {
    const struct {
        std::string_view code, text;
    } cases[] = {
        {"en",
         "The quick brown fox jumps over the lazy dog, and everybody who was there saw it happen twice."},
        {"de", "Der schnelle braune Fuchs springt über den faulen Hund, und alle haben es gesehen."},
        {"fr", "Le vif renard brun saute par-dessus le chien paresseux, et tout le monde l’a vu hier soir."},
        {"es", "El rápido zorro marrón salta sobre el perro perezoso, y todos lo vieron ayer por la tarde."},
        {"pl", "Szybki brązowy lis przeskakuje nad leniwym psem, a wszyscy widzieli to wczoraj wieczorem."},
        {"ru", "Быстрая коричневая лиса прыгает через ленивую собаку, и все это видели вчера вечером."},
        {"ja", "素早い茶色の狐がのろまな犬を飛び越えました。みんながそれを昨日の夜に見ました。"},
        {"zh-Hans", "敏捷的棕色狐狸跳过了懒狗，昨天晚上大家都看见了这件事情。这是一个简单的测试。"},
        {"zh-Hant", "敏捷的棕色狐狸跳過了懶狗，昨天晚上大家都看見了這件事情。這是一個簡單的測試。"},
        {"ko", "빠른 갈색 여우가 게으른 개를 뛰어넘었고 모두가 어제 저녁에 그것을 보았습니다."},
        {"he", "השועל החום המהיר קופץ מעל הכלב העצלן, וכולם ראו את זה אתמול בערב."},
        {"ar", "الثعلب البني السريع يقفز فوق الكلب الكسول، وقد رأى الجميع ذلك مساء أمس."},
    };
    for (const auto& [code, text] : cases) {
        CAPTURE(text);
        CHECK(detect_language(text) == code);
    }
}

TEST_CASE("what cannot be told is not guessed") {
    for (const std::string_view text : {"", "ok", "12345 67890 +-*/ 12345", "\xFF\xFE\xFD"}) {
        CAPTURE(text);
        CHECK(detect_language(text) == "");
    }
}

TEST_CASE("controls, broken bytes and length do not disturb detection") {
    const std::string sentence = "Everybody who was there saw it happen twice, and they told their friends. ";
    std::string long_text;
    for (int i = 0; i < 3000; ++i) long_text += sentence + "é";

    CHECK(detect_language(sentence + '\0' + '\1' + sentence) == "en");
    CHECK(detect_language(sentence + sentence + "\xFF\xC3") == "en");
    CHECK(detect_language(long_text) == "en");
}

TEST_CASE("a long text is judged by more than its first sentences") {
    const std::string english = "Everybody who was there saw it happen twice, and they told their friends. ";
    const std::string german = "Alle haben es gesehen, und danach haben sie es ihren Freunden erzählt. ";
    std::string english_then_german, german_then_english;
    for (int i = 0; i < 20; ++i) english_then_german += english;
    for (int i = 0; i < 200; ++i) english_then_german += german;
    for (int i = 0; i < 20; ++i) german_then_english += german;
    for (int i = 0; i < 200; ++i) german_then_english += english;

    CHECK(detect_language(english_then_german) == "de");
    CHECK(detect_language(german_then_english) == "en");
}

TEST_CASE("language tags are spelt as BCP 47 spells them") {
    const struct {
        std::string_view tag, normalised;
    } cases[] = {
        {"en", "en"},
        {"EN_us", "en-US"},
        {" en-US ", "en-US"},
        {"zh_hant_tw", "zh-Hant-TW"},
        {"es-419", "es-419"},
        {"de-CH-1996", "de-CH-1996"},
        {"fil", "fil"},
        {"en-x-US", "en-x-us"},
        {"sr-latn", "sr-Latn"},
        {"", ""},
        {"english", ""},
        {"e", ""},
        {"en-", ""},
        {"en--us", ""},
        {"de DE", ""},
        {"{{lang}}", ""},
        {"12", ""},
    };
    for (const auto& [tag, normalised] : cases) {
        CAPTURE(tag);
        CHECK(normalise_language_tag(tag) == normalised);
    }
}

using quarry::text::is_plainly_english;

TEST_CASE("English prose is plainly English") {
    const std::string_view texts[] = {
        "The quick brown fox jumps over the lazy dog, and everybody who was there saw that it would happen "
        "twice, if they had been looking for it.",
        "CREATE INDEX constructs an index on the specified column(s) of the specified relation, which can be "
        "a table or a materialized view. Indexes are primarily used to enhance database performance.",
        "THE FOLLOWING OPTIONS ARE USED WHEN THE SERVER IS STARTED, AND THEY CAN ONLY BE SET BY SUPERUSERS "
        "OR "
        "BY THE OWNER OF THE TABLE.",
    };
    for (const std::string_view text : texts) {
        CAPTURE(text);
        CHECK(is_plainly_english(text));
    }
}

TEST_CASE("the addresses of links are no words") {
    std::string text;
    for (int i = 0; i < 10; ++i) {
        text += "see [the manual](https://docs.example.org/a/long/path/of/many/words/in/it.html) for that. ";
    }

    CHECK(is_plainly_english(text));
    CHECK_FALSE(is_plainly_english("[the](of and to that for it with be this are or by not which from "));
}

TEST_CASE("what is not plainly English is left to others") {
    const std::string_view texts[] = {
        "",
        "the the the",  // too little to say
        "Der schnelle braune Fuchs springt über den faulen Hund, und alle haben es gesehen, auch wenn es "
        "keiner glauben wollte, der nicht dabei war.",
        "De snelle bruine vos springt over de luie hond, en iedereen die er was had het gezien, of het was "
        "een droom in de nacht, is wat men zei.",
        "int main(int argc, char** argv) { std::vector<std::string> folders(argv + 1, argv + argc); return "
        "folders.empty() ? usage() : run(folders, std::cout, std::cerr); } // the end of the file",
        "素早い茶色の狐がのろまな犬を飛び越えました。みんながそれを昨日の夜に見ました。",
        "「Kindle for PC」を起動する。「Kindle for Mac」を起動する。「Kindle for iOS」を起動する。「Kindle "
        "for Fire」を起動する。「Kindle for Web」を起動する。「Kindle for Linux」を起動する。「Kindle for "
        "TV」"
        "を起動する。",
    };
    for (const std::string_view text : texts) {
        CAPTURE(text);
        CHECK_FALSE(is_plainly_english(text));
    }
}
