#include "text/plainly_english.h"

#include <string>

#include <doctest/doctest.h>

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
