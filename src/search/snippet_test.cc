#include "search/snippet.h"

#include <string>

#include <doctest/doctest.h>

#include "search/query.h"

using namespace quarry;
using namespace quarry::search;

namespace {

Snippet snippet(std::string_view markdown, std::string_view query, int columns = 240) {
    text::TermReader reader;
    const auto parsed = parse_query(query, Syntax::typed, reader);
    REQUIRE(parsed);
    return make_snippet(markdown, parsed->keywords, reader, columns);
}

// With what is marked in brackets.
std::string shown(const Snippet& snippet) {
    std::string text = snippet.text;
    for (auto mark = snippet.marks.rbegin(); mark != snippet.marks.rend(); ++mark) {
        text.insert(mark->end, "]");
        text.insert(mark->begin, "[");
    }
    return text;
}

const std::string filler = "Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod. ";

std::string repeated(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

TEST_CASE("a short chunk is shown whole, with the query's words marked in all their forms") {
    CHECK(shown(snippet("Set **limits**. A limit is limited.", "limiting")) ==
          "Set [limits]. A [limit] is [limited].");
    CHECK(shown(snippet("Nothing of it.", "absent")) == "Nothing of it.");
    CHECK(shown(snippet("", "absent")) == "");
}

TEST_CASE("an identifier is marked whole, and its parts where they stand alone") {
    CHECK(shown(snippet("Use `std::vector` or a vector.", "std::vector")) ==
          "Use [std::vector] or a [vector].");
}

TEST_CASE("stop words are not marked") {
    CHECK(shown(snippet("How to set the limit.", "how to set the limit")) == "How to [set] the [limit].");
}

TEST_CASE("the window lies where most of the query's words meet") {
    const std::string text = "A limit. " + repeated(filler, 10) + "The rate limit of the API is fixed. " +
                             repeated(filler, 10) + "Another rate.";

    const Snippet found = snippet(text, "api rate limit");

    CHECK(shown(found).find("The [rate] [limit] of the [API] is fixed.") != std::string::npos);
    CHECK(found.text.starts_with("…"));
    CHECK(found.text.ends_with("…"));
    CHECK(characters(found.text) <= 242);
    CHECK(characters(found.text) >= 180);
}

TEST_CASE("a chunk without the query's words shows its beginning") {
    const Snippet found = snippet(repeated(filler, 20), "absent");

    CHECK(found.text.starts_with("Lorem ipsum"));
    CHECK(found.text.ends_with("…"));
    CHECK(found.marks.empty());
}

TEST_CASE("words at the end of a chunk are shown with what precedes them") {
    const Snippet found = snippet(repeated(filler, 20) + "Finally the limit", "limit");

    CHECK(shown(found).ends_with("Finally the [limit]"));
    CHECK(characters(found.text) >= 180);
}

TEST_CASE("a window begins with its sentence if that is near") {
    const std::string text = repeated(filler, 10) + "There is a small limit here. " + repeated(filler, 10);

    CHECK(shown(snippet(text, "limit")).starts_with("…There is a small [limit] here."));
}

TEST_CASE("no word is cut") {
    const std::string words = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda omega ";
    const std::string text = repeated(words, 20) + "limit " + repeated(words, 20);
    for (int columns = 40; columns < 100; ++columns) {
        std::string shown_text = snippet(text, "limit", columns).text;
        CAPTURE(shown_text);
        REQUIRE(shown_text.starts_with("…"));
        REQUIRE(shown_text.ends_with("…"));
        const std::string inner = " " + shown_text.substr(3, shown_text.size() - 6) + " ";
        CHECK((" " + text).find(inner) != std::string::npos);
        CHECK(inner.find(" limit ") != std::string::npos);
    }
}

TEST_CASE("a compound is not cut where only half of it is marked") {
    const std::string words = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda omega ";
    const std::string text = repeated(words, 3) + "pre-limit first, limit-after " + repeated(words, 3);
    for (int columns = 5; columns < 60; ++columns) {
        const std::string shown_text = snippet(text, "limit", columns).text;
        CAPTURE(shown_text);
        const std::string inner = " " + shown_text.substr(3, shown_text.size() - 6) + " ";
        CHECK((" " + text).find(inner) != std::string::npos);
    }
}

TEST_CASE("scripts without gaps are cut between characters, and letters of two bytes count as one") {
    const Snippet chinese = snippet(repeated("我们在这里写一些关于天气的文字。", 60) + "搜索引擎" +
                                        repeated("我们在这里写一些关于天气的文字。", 60),
                                    "搜索引擎");
    CHECK(shown(chinese).find("[搜索引擎]") != std::string::npos);
    CHECK(characters(chinese.text) <= 242);
    CHECK(characters(chinese.text) >= 200);

    const Snippet russian = snippet(repeated("Это просто текст о погоде. ", 30) + "Поиск страниц.", "поиска");
    CHECK(shown(russian).find("[Поиск]") != std::string::npos);
    CHECK(characters(russian.text) >= 180);
}

TEST_CASE("a chunk that is one endless word is cut anyway") {
    const Snippet found = snippet(std::string(5'000, 'x'), "absent");

    CHECK(characters(found.text) <= 242);
}

TEST_CASE("bytes that are not UTF-8 do no harm") {
    std::string bytes;
    for (int i = 0; i < 2'000; ++i) bytes += static_cast<char>(0x80 + i % 128);

    CHECK(snippet(bytes + " limit " + bytes, "limit").text.size() > 5);
}

using quarry::search::plain_passage;

TEST_CASE("markdown as one line of words table") {
    struct Row {
        const char *markdown, *expected, *why;
    };
    const Row rows[] = {
        {"", "", "nothing"},
        {"\n\n", "", "only lines"},
        {"One\ntwo.\n\nThree  four.", "One two. Three four.", "lines and paragraphs are joined"},
        {"## Install\n\nRun it.", "Install Run it.", "a heading"},
        {"#hashtag #5", "#hashtag #5", "no heading"},
        {"- one\n- two\n* three\n+ four", "one two three four", "list items"},
        {"1. one\n2. two", "1. one 2. two", "numbers of a list say something"},
        {"> quoted\n> > twice", "quoted twice", "quotes"},
        {"| name | size |\n|---|---:|\n| a | 1 |", "name | size a | 1", "a table keeps its inner bars"},
        {"above\n\n---\n\nbelow", "above below", "a rule"},
        {"**bold** and *slanted* and __bold__ and ~~gone~~", "bold and slanted and bold and gone",
         "emphasis"},
        {"foo_bar, __init__.py, 2*3, a * b, ~/x", "foo_bar, init.py, 2*3, a * b, ~/x", "no emphasis"},
        {"see [the guide](https://a.example/x) now", "see the guide now", "a link"},
        {"![a cat](cat.png) sat", "a cat sat", "a picture"},
        {"[1] and arr[0] and f(x)", "[1] and arr[0] and f(x)", "brackets of no link"},
        {"<https://a.example/x> but vector<int>", "https://a.example/x but vector<int>", "angle brackets"},
        {"use `a*b*c` here", "use a*b*c here", "code in a line keeps its characters"},
        {"``a ` b`` c", "a ` b c", "code with a backtick in it"},
        {"an ` alone", "an alone", "a backtick without its end"},
        {"\\*not\\* \\_this\\_ C:\\dir", "*not* _this_ C:\\dir", "escapes"},
        {"x\n```cpp\nint *p = &a[0];  // __x__\n```\ny", "x int *p = &a[0]; // __x__ y", "fenced code"},
        {"~~~\n```\n~~~", "```", "a fence inside another"},
        {"```\nno end", "no end", "a fence without its end"},
        {"[![a cat](cat.png)](https://a.example/) sat", "a cat sat", "a picture in a link"},
        {"wow! [x", "wow! [x", "an open bracket"},
        {"a](b", "a](b", "an end without a beginning"},
        {"Größe – 東京", "Größe – 東京", "not ASCII"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        CHECK(plain_passage(row.markdown) == row.expected);
    }
}

TEST_CASE("a passage of nothing but openings is read in linear time") {
    for (const char* opening : {"[", "](", "<https://", "`", "``a", "*", "\\", "![", "_a", "> ", "|"}) {
        CAPTURE(opening);
        std::string many;
        while (many.size() < 400'000) many += opening;

        CHECK(plain_passage(many).size() <= many.size());
    }
}
