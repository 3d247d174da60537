#include "text/markdown/blocks.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry::text;

namespace {

std::string_view name(BlockKind kind) {
    switch (kind) {
        case BlockKind::heading: return "heading";
        case BlockKind::paragraph: return "paragraph";
        case BlockKind::list_item: return "item";
        case BlockKind::quote: return "quote";
        case BlockKind::table: return "table";
        case BlockKind::fenced_code: return "fenced";
        case BlockKind::indented_code: return "indented";
        case BlockKind::html: return "html";
    }
    return "";
}

// "heading1:# A;paragraph:text", with line ends as /
std::string blocks_of(std::string_view text) {
    MarkdownBlocks blocks(text);
    std::string listed;
    while (const auto block = blocks.next()) {
        if (!listed.empty()) listed += ';';
        listed += name(block->kind);
        if (block->level > 0) listed += std::to_string(block->level);
        listed += block->is_in_item ? "+:" : ":";
        for (const char c : text.substr(block->begin, block->end - block->begin))
            listed += c == '\n' ? '/' : c;
    }
    return listed;
}

}  // namespace

TEST_CASE("markdown is read as the blocks that a reader sees") {
    struct Row {
        std::string_view text, blocks;
    };
    for (const Row& row : {
             Row{"", ""},
             Row{"\n \n", ""},
             Row{"a\nb\n\nc", "paragraph:a/b;paragraph:c"},
             Row{"# A\ntext", "heading1:# A;paragraph:text"},
             Row{"text\n### A ###\n", "paragraph:text;heading3:### A ###"},
             Row{"#no heading", "paragraph:#no heading"},
             Row{"####### seven", "paragraph:####### seven"},
             Row{"A\n===\n\nB\n---", "heading1:A/===;heading2:B/---"},
             Row{"A\nB\n---", "paragraph:A/B/---"},
             Row{"- a\n- b\n  more\n  - c", "item:- a;item:- b/  more;item:  - c"},
             Row{"1. a\n2) b", "item:1. a;item:2) b"},
             Row{"- a\n\n  more\n\nout", "item:- a;paragraph+:  more;paragraph:out"},
             Row{"- a\n\n      code", "item:- a;paragraph+:      code"},
             Row{"in\n1. a", "paragraph:in;item:1. a"},
             Row{"in\n1984. A year", "paragraph:in/1984. A year"},
             Row{"> a\n> b\n\n> c", "quote:> a/> b;quote:> c"},
             Row{"```x\na\n\n# b\n```\nc", "fenced:```x/a//# b/```;paragraph:c"},
             Row{"~~~\n```\n~~~~", "fenced:~~~/```/~~~~"},
             Row{"```\n```x\n```", "fenced:```/```x/```"},
             Row{"```\nnot closed", "fenced:```/not closed"},
             Row{"> ```\n> a\n> ```\n> b", "fenced:> ```/> a/> ```;quote:> b"},
             Row{"    a\n\n    b\nc", "indented:    a//    b;paragraph:c"},
             Row{"text\n    more", "paragraph:text/    more"},
             Row{"| a |\n|---|\n| b |\n\nc", "table:| a |/|---|/| b |;paragraph:c"},
             Row{"a | b\n--|--\nc | d\ne", "table:a | b/--|--/c | d;paragraph:e"},
             Row{"a | b\nc", "paragraph:a | b/c"},
             Row{"<div>\na\n</div>\n\nb", "html:<div>/a/</div>;paragraph:b"},
             Row{"a\r\n\r\nb\r\n", "paragraph:a\r;paragraph:b\r"},
         }) {
        CAPTURE(row.text);
        CHECK(blocks_of(row.text) == row.blocks);
    }
}

TEST_CASE("fenced code and tables say where their inside is") {
    constexpr std::string_view code = "- ```cpp x\n  a\n  ```", table = "| a |\n|---|\n| b |\n";

    const Block block = MarkdownBlocks(code).next().value(), rows = MarkdownBlocks(table).next().value();

    CHECK(code.substr(block.info_begin, block.body_begin - block.info_begin) == "cpp x\n");
    CHECK(code.substr(block.body_begin, block.body_end - block.body_begin) == "  a\n");
    CHECK(table.substr(rows.body_begin, rows.body_end - rows.body_begin) == "| b |");
}
