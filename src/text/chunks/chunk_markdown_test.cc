#include "text/chunks/chunk_markdown.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "text/markdown/marks.h"

using namespace quarry;
using namespace quarry::text;

namespace {

constexpr ChunkLimits small{.target = 40, .maximum = 60, .overlap = 0};

std::string repeated(std::string_view unit, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += unit;
    return text;
}

// Ten words that can be told apart: "alpha1 alpha2 ..."
std::string words(std::string_view stem, int count) {
    std::string text;
    for (int i = 1; i <= count; ++i) text += std::string(stem) + std::to_string(i) + (i < count ? " " : ".");
    return text;
}

std::vector<std::string> texts_of(const std::vector<Chunk>& chunks) {
    std::vector<std::string> texts;
    for (const Chunk& chunk : chunks) texts.push_back(chunk.text);
    return texts;
}

bool has_balanced_fences(std::string_view text) {
    Fence open{};
    for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
        if (open.mark == 0)
            open = fence_at(text, at);
        else if (closes_fence(text, at, open))
            open = {};
    }
    return open.mark == 0;
}

using Headings = std::vector<std::string>;

}  // namespace

TEST_CASE("an empty document has no chunks") {
    CHECK(chunk_markdown("", "Title", {}).empty());
    CHECK(chunk_markdown(" \n\n\t\n", "Title", {}).empty());
}

TEST_CASE("a short document is one chunk, as it was written, below its title") {
    constexpr std::string_view page = "# Install\n\nRun this:\n\n```sh\nmake\n```\n\n- one\n- two\n";

    const auto chunks = chunk_markdown(page, "Guide", {});

    REQUIRE(chunks.size() == 1);
    CHECK(chunks[0].text == page.substr(0, page.size() - 1));
    CHECK(chunks[0].headings == Headings{"Guide", "Install"});
    CHECK(chunks[0].begin == 0);
    CHECK(chunks[0].end == page.size() - 1);
}

TEST_CASE("the title is not repeated by a first heading that says the same") {
    CHECK(chunk_markdown("# Guide\n\ntext", "Guide", {}).at(0).headings == Headings{"Guide"});
    CHECK(chunk_markdown("# Guide\n\ntext", "", {}).at(0).headings == Headings{"Guide"});
    CHECK(chunk_markdown("text", "", {}).at(0).headings.empty());
}

TEST_CASE("a section of decent size is a chunk of its own, with the headings above it") {
    const std::string page = "# A\n\n" + words("intro", 12) + "\n\n## B\n\n" + words("bee", 12) +
                             "\n\n### C\n\n" + words("sea", 12) + "\n\n## D\n\n" + words("dee", 12);

    const auto chunks = chunk_markdown(page, "T", small);

    REQUIRE(chunks.size() == 4);
    CHECK(chunks[0].headings == Headings{"T", "A"});
    CHECK(chunks[1].headings == Headings{"T", "A", "B"});
    CHECK(chunks[2].headings == Headings{"T", "A", "B", "C"});
    CHECK(chunks[3].headings == Headings{"T", "A", "D"});
    CHECK(chunks[1].text == "## B\n\n" + words("bee", 12));
}

TEST_CASE("small sections are joined below the heading they share") {
    constexpr std::string_view page = "# A\n\n## One\n\nfirst\n\n## Two\n\nsecond\n\n## Three\n\nthird";

    const auto chunks = chunk_markdown(page, "", small);

    REQUIRE(chunks.size() == 1);
    CHECK(chunks[0].headings == Headings{"A"});
    CHECK(chunks[0].text == page);
}

TEST_CASE("a small section is not joined with what stands higher than itself") {
    const std::string page =
        "# A\n\n" + words("intro", 14) + "\n\n## Small\n\nlittle\n\n# B\n\n" + words("bee", 14);

    const auto chunks = chunk_markdown(page, "", small);

    REQUIRE(chunks.size() == 3);
    CHECK(chunks[1].text == "## Small\n\nlittle");
    CHECK(chunks[1].headings == Headings{"A", "Small"});
}

TEST_CASE("a heading without text goes with what follows, or ends the chunk before") {
    const std::string page = "# A\n\n## B\n\n" + words("bee", 60) + "\n\n## End";

    const auto chunks = chunk_markdown(page, "", small);

    CHECK(chunks.front().text.starts_with("# A\n\n## B\n\nbee1"));
    CHECK(chunks.front().headings == Headings{"A", "B"});
    CHECK(chunks.back().text.ends_with("\n\n## End"));
}

TEST_CASE("a short introduction goes with the first section below it, not with the section before") {
    const std::string page =
        "# A\n\n" + words("intro", 14) + "\n\n## B\n\nSome of it:\n\n### C\n\n" + words("sea", 12);

    const auto chunks = chunk_markdown(page, "", small);

    REQUIRE(chunks.size() == 2);
    CHECK(chunks[1].text.starts_with("## B\n\nSome of it:\n\n### C"));
    CHECK(chunks[1].headings == Headings{"A", "B"});
}

TEST_CASE("a line across the page ends no chunk and begins none") {
    const std::string page =
        "---\n\n" + words("one", 14) + "\n\n***\n\n# B\n\n" + words("two", 14) + "\n\n---";

    CHECK(texts_of(chunk_markdown(page, "", small)) ==
          std::vector<std::string>{words("one", 14), "# B\n\n" + words("two", 14)});
    CHECK(texts_of(chunk_markdown("a\n\n---\n\nb", "", small)) == std::vector<std::string>{"a\n\n---\n\nb"});
}

TEST_CASE("headings are given as a reader sees them") {
    struct Row {
        std::string_view line, heading;
    };
    for (const Row& row : {
             Row{"## Plain ##", "Plain"},
             Row{"# `std::vector` and **more**", "std::vector and more"},
             Row{"# [Link](https://example.com) text", "Link text"},
             Row{"## Usage[¶](#usage)", "Usage"},
             Row{"## Usage [#](#usage)", "Usage"},
             Row{"# C#", "C#"},
             Row{"# snake\\_case", "snake_case"},
             Row{"Underlined\n==========", "Underlined"},
             Row{"Also\n---", "Also"},
             Row{"# `a*b` [x]", "a*b x"},
         }) {
        CAPTURE(row.line);
        CHECK(chunk_markdown(std::string(row.line) + "\n\ntext", "", {}).at(0).headings ==
              Headings{std::string(row.heading)});
    }
}

TEST_CASE("what looks like a heading inside code is none") {
    const auto chunks = chunk_markdown("# A\n\n```sh\n# comment\n```\n\n    # code\n\ntext", "", {});

    REQUIRE(chunks.size() == 1);
    CHECK(chunks[0].headings == Headings{"A"});
}

TEST_CASE("a paragraph is cut only if it exceeds the maximum, and then where a sentence ends") {
    const std::string first = words("one", 16), second = words("two", 16), third = words("three", 16);

    const auto chunks = chunk_markdown(first + ' ' + second + '\n' + third, "", small);

    CHECK(texts_of(chunks) == std::vector<std::string>{first, second, third});
}

TEST_CASE("a sentence of Chinese ends without a space behind it") {
    const std::string sentence = repeated("语", 30) + "。";

    const auto chunks = chunk_markdown(repeated(sentence, 4), "", small);

    REQUIRE(chunks.size() == 4);
    for (const Chunk& chunk : chunks) CHECK(chunk.text == sentence);
}

TEST_CASE("abbreviations, names and numbers end no sentence") {
    const std::string text = "See Dr. Smith et al. in Fig. 3.1 of node.js, e.g. by J. Doe, " +
                             words("word", 12) + " Then " + words("more", 14);

    const auto chunks = chunk_markdown(text, "", small);

    REQUIRE(chunks.size() == 2);
    CHECK(chunks[1].text.starts_with("Then"));
}

TEST_CASE("running text is continued with the last sentence of the chunk before") {
    std::string text;
    for (int i = 1; i <= 12; ++i) text += "Sentence number " + std::to_string(i) + " says a little.\n\n";

    const auto chunks = chunk_markdown(text, "", {.target = 40, .maximum = 60, .overlap = 12});

    REQUIRE(chunks.size() > 2);
    for (std::size_t i = 1; i < chunks.size(); ++i) {
        const std::string& before = chunks[i - 1].text;
        const std::string first_sentence = chunks[i].text.substr(0, chunks[i].text.find('\n'));
        CHECK(before.ends_with(first_sentence));
        CHECK(chunks[i].begin < chunks[i - 1].end);
        CHECK(estimate_tokens(chunks[i].text) <= 60);
    }
}

TEST_CASE("nothing is repeated across sections, code or tables") {
    const std::string code = "```\n" + repeated("call();\n", 8) + "```";
    const std::string page =
        "# A\n\nText.\n\n" + code + "\n\n" + code + "\n\n" + code + "\n\n# B\n\n" + words("bee", 12);

    const auto chunks = chunk_markdown(page, "", {.target = 40, .maximum = 60, .overlap = 12});

    std::size_t bytes = 0;
    for (const Chunk& chunk : chunks) bytes += chunk.text.size();
    CHECK(bytes <= page.size());
}

TEST_CASE("a code block is never cut if it fits, and is fenced again if it must be") {
    const std::string fitting = "```cpp\n" + repeated("int a;\n", 10) + "```";
    const std::string page = words("text", 8) + "\n\n" + fitting + "\n\n" + words("more", 8);
    for (const Chunk& chunk : chunk_markdown(page, "", small))
        CHECK((chunk.text.find("```") == std::string::npos || chunk.text.find(fitting) != std::string::npos));

    const auto parts =
        chunk_markdown("````cpp title\n" + repeated("int a; // ``` \n", 40) + "````", "", small);
    REQUIRE(parts.size() > 2);
    for (const Chunk& part : parts) {
        CHECK(part.text.starts_with("````cpp title\nint a;"));
        CHECK(part.text.ends_with("\n````"));
        CHECK(estimate_tokens(part.text) <= small.maximum);
    }
}

TEST_CASE("long code is rather cut at an empty line") {
    const std::string function = "void f() {\n    call(a);\n}\n";
    const auto parts = chunk_markdown("```\n" + repeated(function + "\n", 12) + "```", "",
                                      {.target = 60, .maximum = 80, .overlap = 0});

    REQUIRE(parts.size() > 2);
    for (const Chunk& part : parts) CHECK(part.text.ends_with("}\n```"));
}

TEST_CASE("a block that is never closed is closed in its chunk") {
    CHECK(chunk_markdown("~~~\ncode", "", {}).at(0).text == "~~~\ncode\n~~~");
    CHECK(chunk_markdown("> ```\n> code", "", {}).at(0).text == "> ```\n> code\n> ```");
    CHECK(chunk_markdown("- ```\n  code", "", {}).at(0).text == "- ```\n  code\n  ```");
}

TEST_CASE("a fence of another kind or of fewer marks is code") {
    constexpr std::string_view page = "~~~~\n```\n~~~\n# no heading\n~~~~\n\n# Heading\n\ntext";

    const auto chunks = chunk_markdown(page, "", {});

    REQUIRE(chunks.size() == 1);
    CHECK(chunks[0].text == page);
}

TEST_CASE("the parts of a long table repeat its header") {
    const std::string header = "| name | value |\n|------|-------|\n";
    const auto parts = chunk_markdown(header + repeated("| some | thing |\n", 30), "", small);

    REQUIRE(parts.size() > 2);
    for (const Chunk& part : parts) {
        CHECK(part.text.starts_with(header + "| some"));
        CHECK(part.text.ends_with("thing |"));
        CHECK(estimate_tokens(part.text) <= small.maximum);
    }
}

TEST_CASE("a list is cut between its items, and its introduction stays with it") {
    std::string page = words("before", 10) + "\n\nThese are the options:\n\n";
    for (int i = 0; i < 12; ++i) page += "- option" + std::to_string(i) + " does something\n";

    const auto chunks = chunk_markdown(page, "", small);

    REQUIRE(chunks.size() > 2);
    for (const Chunk& chunk : chunks) {
        CHECK_FALSE(chunk.text.ends_with(':'));
        CHECK((chunk.text.starts_with("- option") || chunk.text.starts_with("before") ||
               chunk.text.starts_with("These")));
    }
}

TEST_CASE("a list item keeps the paragraphs and code that belong to it") {
    std::string page;
    for (int i = 0; i < 8; ++i)
        page += "- option" + std::to_string(i) + "\n\n  It does something.\n\n  ```\n  run\n  ```\n\n";

    const auto chunks = chunk_markdown(page, "", small);

    REQUIRE(chunks.size() > 2);
    for (const Chunk& chunk : chunks) {
        CHECK(chunk.text.starts_with("- option"));
        CHECK(chunk.text.ends_with("```"));
    }
}

TEST_CASE("a line in bold letters is a heading to the reader, and not left at the end") {
    std::string page;
    for (int i = 0; i < 8; ++i) page += "**Part " + std::to_string(i) + "**\n\n" + words("word", 8) + "\n\n";

    for (const Chunk& chunk : chunk_markdown(page, "", small)) CHECK_FALSE(chunk.text.ends_with("**"));
}

TEST_CASE("a word that exceeds the maximum is cut between characters") {
    const std::string word = repeated("я", 20'000);

    const auto chunks = chunk_markdown(word, "", small);

    std::string joined;
    for (const Chunk& chunk : chunks) {
        CHECK(chunk.text.size() % 2 == 0);
        CHECK(estimate_tokens(chunk.text) <= small.maximum);
        joined += chunk.text;
    }
    CHECK(joined == word);
}

TEST_CASE("a large section is cut into parts of about the same size") {
    std::string page;
    for (int i = 0; i < 6; ++i) page += words("w", 10) + "\n\n";

    const auto chunks = chunk_markdown(page, "", small);

    int least = 1000, most = 0;
    for (const Chunk& chunk : chunks) {
        least = std::min(least, estimate_tokens(chunk.text));
        most = std::max(most, estimate_tokens(chunk.text));
    }
    CHECK(least * 2 >= most);
}

TEST_CASE("blank space between blocks is not kept beyond a blank line") {
    CHECK(chunk_markdown("a\n" + std::string(1000, '\n') + "b", "", {}).at(0).text == "a\n\nb");
}

TEST_CASE("halving gives smaller chunks below the same headings, until nothing is left to cut") {
    const std::string page = "# A\n\n" + words("one", 12) + "\n\n## B\n\n" + words("two", 12);
    const Chunk chunk{.text = page,
                      .headings = {"T", "A"},
                      .begin = 100,
                      .end = static_cast<std::uint32_t>(100 + page.size())};

    const auto halves = halve(chunk);

    REQUIRE(halves.size() == 2);
    CHECK(halves[0].headings == Headings{"T", "A"});
    CHECK(halves[1].headings == Headings{"T", "A", "B"});
    CHECK(halves[1].begin == 100 + page.find("## B"));
    CHECK(halves[1].end == chunk.end);
    for (const Chunk& half : halves) CHECK(half.text.size() < page.size());
    CHECK(halve({.text = "word"}).empty());
    CHECK(halve({.text = ""}).empty());
}

TEST_CASE("halving one long line or one code block always makes progress") {
    for (const std::string& text :
         {repeated("word ", 300), repeated("x", 3000), "```js\n" + repeated("a = b;\n", 100) + "```",
          "| a |\n|---|\n" + repeated("| row |\n", 100)}) {
        CAPTURE(text.substr(0, 20));
        std::vector<Chunk> pending{{.text = text}};
        int rounds = 0;
        while (!pending.empty() && ++rounds < 1000) {
            const Chunk chunk = std::move(pending.back());
            pending.pop_back();
            for (Chunk& half : halve(chunk)) {
                REQUIRE(half.text.size() < chunk.text.size());
                pending.push_back(std::move(half));
            }
        }
        CHECK(rounds > 5);
        CHECK(rounds < 1000);
    }
}

TEST_CASE("the estimate counts words, signs and letters of other scripts") {
    CHECK(estimate_tokens("") == 0);
    CHECK(estimate_tokens("word") == 2);
    CHECK(estimate_tokens("The quick brown fox jumps over the lazy dog.") == 13);
    CHECK(estimate_tokens("std::vector<int> v;") >= 9);
    CHECK(estimate_tokens("东京都庁") >= 4);
    CHECK(estimate_tokens("Привет, мир") >= 6);
}

TEST_CASE("whatever is chunked, every word is in some chunk, none is too large, and fences are balanced") {
    std::mt19937 random(7);
    const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    for (int round = 0; round < 300; ++round) {
        int word = 0;
        const auto next_words = [&](int most) {
            std::string text;
            for (int i = pick(most) + 1; i > 0; --i)
                text += "w" + std::to_string(word++) + "x" + (pick(9) == 0 ? ". " : " ");
            return text;
        };
        std::string page;
        for (int block = pick(30) + 1; block > 0; --block) {
            switch (pick(12)) {
                case 0:
                    page +=
                        std::string(static_cast<std::size_t>(pick(6) + 1), '#') + ' ' + next_words(5) + '\n';
                    break;
                case 1: page += "```cpp\n" + next_words(100) + "\n" + next_words(9) + "\n```\n"; break;
                case 2:
                    page += "~~~~ " + next_words(3) + "\n```\n" + next_words(9) + "\n\n\n" + next_words(200) +
                            "\n~~~~\n";
                    break;
                case 3:
                    page += "| " + next_words(4) + "|\n|---|\n| " + next_words(90) + "|\n| " + next_words(9) +
                            "|\n";
                    break;
                case 4: page += "- " + next_words(30) + "\n  - " + next_words(80) + '\n'; break;
                case 5: page += "> " + next_words(50) + "\n> ```\n> " + next_words(50) + '\n'; break;
                case 6: page += "\n    " + next_words(30) + "\n    " + next_words(30) + '\n'; break;
                case 7: page += "<div>\n" + next_words(90) + "</div>\n"; break;
                case 8: page += next_words(4) + "\n---\n"; break;
                case 9: page += "text ```" + next_words(40) + "``` and ~~~ " + next_words(40) + '\n'; break;
                default: page += next_words(150) + '\n'; break;
            }
            if (pick(4) != 0) page += '\n';
        }
        const ChunkLimits limits{.target = 30 + pick(60), .maximum = 90 + pick(40), .overlap = pick(20)};
        CAPTURE(page);

        const auto chunks = chunk_markdown(page, "", limits);

        std::string all;
        for (const Chunk& chunk : chunks) {
            CAPTURE(chunk.text);
            REQUIRE(estimate_tokens(chunk.text) <= limits.maximum);
            REQUIRE(has_balanced_fences(chunk.text));
            REQUIRE(chunk.begin < chunk.end);
            REQUIRE(chunk.end <= page.size());
            all += chunk.text + '\n';
        }
        for (int i = 0; i < word; ++i) REQUIRE(all.find("w" + std::to_string(i) + "x") != std::string::npos);
    }
}
