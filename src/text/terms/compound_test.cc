#include "text/terms/compound.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace quarry::text;

namespace {

struct Read {
    std::string letters;
    std::string rest;  // of the text, behind the compound
};

Read read(std::string_view text, bool has_escapes = true) {
    LetterFolder folder;
    Compound compound;
    read_compound({.text = text, .has_escapes = has_escapes}, 0, folder, compound);
    return {compound.letters, std::string(text.substr(compound.end))};
}

}  // namespace

TEST_CASE("a compound reaches as far as its signs join words") {
    struct Row {
        std::string_view text, letters, rest;
    };
    for (const Row& row : {
             Row{"std::vector<int>", "std::vector", "<int>"},
             Row{"foo: bar", "foo", ": bar"},
             Row{"foo::", "foo", "::"},
             Row{"end. Next", "end", ". Next"},
             Row{"a/b/", "a/b", "/"},
             Row{"x-", "x", "-"},
             Row{"x--y", "x", "--y"},
             Row{"C++.", "c++", "."},
             Row{"a+b", "a", "+b"},
             Row{"i+++j", "i", "+++j"},
             Row{"c#, f#", "c#", ", f#"},
             Row{"issue#4", "issue", "#4"},
             Row{"AT&T", "at&t", ""},
             Row{"a&b", "a", "&b"},
             Row{"1,000,5", "1000", ",5"},
             Row{"1,0000", "1", ",0000"},
             Row{"--flag=1", "--flag", "=1"},
             Row{"---", "", ""},
             Row{"...x", "", "x"},
             Row{".gitignore", ".gitignore", ""},
             Row{"___", "", ""},
             Row{"__x__ y", "__x__", " y"},
             Row{"_x_.", "x", "."},
             Row{"foo\\_bar\\*", "foo_bar", "\\*"},
             Row{"don't", "dont", ""},
             Row{"dog's tail", "dog", " tail"},
             Row{"l'arbre", "l", "'arbre"},
             Row{"straße", "strasse", ""},
             Row{"abc漢字", "abc", "漢字"},
         }) {
        CAPTURE(row.text);
        CHECK(read(row.text).letters == row.letters);
        CHECK(read(row.text).rest == row.rest);
    }
}

TEST_CASE("in code a backslash is no escape") {
    CHECK(read("foo\\_bar", false).letters == "foo");
    CHECK(read("foo\\_bar", true).letters == "foo_bar");
}

TEST_CASE("each letter knows where it came from, also if it became two or was written with two") {
    LetterFolder folder;
    Compound compound;
    const std::string_view text = "aß\\_b";

    read_compound({.text = text}, 0, folder, compound);

    REQUIRE(compound.letters == "ass_b");
    std::vector<std::string> sources;
    for (const LetterOrigin& origin : compound.origins)
        sources.emplace_back(text.substr(origin.begin, origin.end - origin.begin));
    CHECK(sources == std::vector<std::string>{"a", "ß", "ß", "\\_", "b"});
}

TEST_CASE("a compound of any length is read in stretches of a kilobyte") {
    std::string text;
    while (text.size() < 10'000) text += "ab_";
    LetterFolder folder;
    Compound compound;
    std::uint32_t at = 0;
    int stretches = 0;

    for (; at < text.size(); at = compound.end, ++stretches)
        read_compound({.text = text}, at, folder, compound);

    CHECK(stretches >= 9);
    CHECK(stretches <= 11);
}
