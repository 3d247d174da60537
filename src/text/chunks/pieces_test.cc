#include "text/chunks/pieces.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "text/chunks/cutting.h"

using namespace quarry::text;

namespace {

constexpr PieceLimits limits{.target = 30 * cost_per_token, .maximum = 40 * cost_per_token};

// Every piece as it would stand in a chunk by itself.
std::vector<std::string> pieces_of(std::string_view markdown) {
    std::vector<std::string> pieces;
    MarkdownBlocks blocks(markdown);
    const PieceSink deliver = [&](const Piece& piece) {
        std::string text = piece.wrapping ? piece.wrapping->opening : "";
        append_piece(text, markdown, piece);
        if (piece.wrapping) text += piece.wrapping->closing;
        CHECK(token_cost(text) <= piece.cost);
        CHECK(piece.cost <= limits.maximum);
        pieces.push_back(std::move(text));
    };
    while (const auto block = blocks.next()) cut_block(markdown, *block, limits, deliver);
    return pieces;
}

std::string many_of(std::string_view unit, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += unit;
    return text;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a block that fits is one piece") {
    CHECK(pieces_of("# A\n\ntext. more.\n\n```\na\n```") == Texts{"# A", "text. more.", "```\na\n```"});
}

TEST_CASE("parts of code keep the indentation and the quote marks they stand behind") {
    const auto quoted = pieces_of("> ```sh\n" + many_of("> echo one two three\n", 20) + "> ```\n");
    const auto in_item = pieces_of("- ```sh\n" + many_of("  echo one two three\n", 20) + "  ```\n");

    REQUIRE(quoted.size() > 2);
    for (const std::string& piece : quoted) {
        CHECK(piece.starts_with("> ```sh\n> echo"));
        CHECK(piece.ends_with("\n> ```"));
    }
    REQUIRE(in_item.size() > 2);
    for (const std::string& piece : in_item) CHECK(piece.ends_with("three\n  ```"));
}

TEST_CASE("a line of code that must be cut gets a fence that it cannot close") {
    const auto pieces = pieces_of("```\n" + many_of("x ``` ", 60) + "\n```");

    REQUIRE(pieces.size() > 2);
    for (const std::string& piece : pieces) {
        CHECK(piece.starts_with("````\n"));
        CHECK(piece.ends_with("\n````"));
    }
}

TEST_CASE("an info string too long to repeat becomes text, and opens nothing") {
    const auto pieces = pieces_of("```" + many_of("info ", 100) + "\ncode\n```");

    for (const std::string& piece : pieces) {
        CAPTURE(piece);
        CHECK(fence_at(piece, 0).mark == 0);
    }
    CHECK(pieces.front().starts_with("\\```info"));
}

TEST_CASE("text that a cut turns into a fence is text again behind a backslash") {
    // The backticks that make the line a span of code are in another part of it.
    const auto pieces = pieces_of("One. ```" + many_of("span ", 40) + "```");

    CHECK(pieces.at(1).starts_with("\\```span"));
}

TEST_CASE("a table whose header is too large to repeat is cut like text") {
    const auto pieces = pieces_of("| " + many_of("column | ", 30) + "\n|---|\n| a |\n");

    std::string all;
    for (const std::string& piece : pieces) all += piece + '\n';
    CHECK(all.find("|---|") != std::string::npos);
    CHECK(all.find("| a |") != std::string::npos);
    CHECK(all.find("|---|") == all.rfind("|---|"));
}

TEST_CASE("pieces say how they like to stand") {
    struct Row {
        std::string_view markdown;
        bool leads, is_running, is_rule;
    };
    for (const Row& row : {
             Row{"# Heading", true, false, false},
             Row{"as follows:", true, true, false},
             Row{"**Bold**", true, true, false},
             Row{"**Bold** and plain", false, true, false},
             Row{"plain", false, true, false},
             Row{"---", false, false, true},
             Row{"- item:", false, false, false},
             Row{"> quote", false, false, false},
         }) {
        CAPTURE(row.markdown);
        MarkdownBlocks blocks(row.markdown);
        cut_block(row.markdown, *blocks.next(), limits, [&](const Piece& piece) {
            CHECK(piece.leads == row.leads);
            CHECK(piece.is_running == row.is_running);
            CHECK(piece.is_rule == row.is_rule);
        });
    }
}

TEST_CASE("the cost of a text is at most that of its parts, and no byte is free") {
    const std::string text = "Some words, 12 numbers; знаки и 漢字 🚀\n\tand\x80more";
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const std::string_view first = std::string_view(text).substr(0, at),
                               second = std::string_view(text).substr(at);
        CHECK(token_cost(text) <= token_cost(first) + token_cost(second));
        CHECK(token_cost(first) >= first.size());
    }
}
