#include "cli/commands/search_text.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::cli;
using search::Hit;
using search::Passage;

namespace {

Hit install_hit() {
    Hit hit;
    hit.label = {.id = "x", .url = "https://docs.example.com/guide/install", .title = "Installing"};
    hit.passages.push_back({.headings = {"Installing", "Guide", "Linux"},
                            .text = "First line.\n\n```\ncp quarry /usr/bin\n```",
                            .snippet = {.text = "…to install it, copy it", .marks = {{6, 13}}}});
    return hit;
}

}  // namespace

TEST_CASE("a hit is shown with its rank, title, address, headings and snippet") {
    CHECK(hits_text({.hits = {install_hit()}}, {}, Terminal{}) ==
          " 1  Installing\n"
          "    https://docs.example.com/guide/install\n"
          "    Guide › Linux\n"
          "    …to install it, copy it\n");
}

TEST_CASE("ranks go on from page to page, with an empty line between hits") {
    Hit bare;
    bare.label = {.id = "doc-7", .url = ""};

    CHECK(hits_text({.hits = {bare, bare}}, {.offset = 9}, Terminal{}) == "10  doc-7\n\n11  doc-7\n");
}

TEST_CASE("on a terminal what the query met is bold") {
    const std::string text = hits_text({.hits = {install_hit()}}, {}, Terminal{.data_colour = true});

    CHECK(text.find("…to \033[1minstall\033[0m it,") != std::string::npos);
    CHECK(text.find("\033[90mGuide › Linux\033[0m") != std::string::npos);
}

TEST_CASE("a snippet is wrapped between words to the terminal's width") {
    Hit hit = install_hit();
    hit.passages[0].snippet = {};
    for (int i = 0; i < 30; ++i) hit.passages[0].snippet.text += "größer ";

    const std::string text = hits_text({.hits = {hit}}, {}, Terminal{.columns = 50});

    // 45 columns beside the indentation: six words of six letters and five spaces, and then there is no room.
    CHECK(text.find("\n    größer größer größer größer größer größer\n    größer") != std::string::npos);
}

TEST_CASE("a mark over several words is bold in each, also across lines") {
    Hit hit = install_hit();
    hit.passages[0].snippet = {.text = "aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbb", .marks = {{18, 23}}};

    const std::string text = hits_text({.hits = {hit}}, {}, Terminal{.data_colour = true, .columns = 40});

    CHECK(text.find("\033[1maa\033[0m\n    \033[1mbb\033[0mbbb") != std::string::npos);
}

TEST_CASE("with neighbours a passage is shown whole, line by line") {
    CHECK(hits_text({.hits = {install_hit()}}, {.context = 1}, Terminal{}) ==
          " 1  Installing\n"
          "    https://docs.example.com/guide/install\n"
          "    Guide › Linux\n"
          "    First line.\n\n    ```\n    cp quarry /usr/bin\n    ```\n");
}

TEST_CASE("a page's words cannot move the cursor") {
    Hit hit = install_hit();
    hit.label.title = "a\033[2Jb";
    hit.passages[0].headings = {"h\r"};
    hit.passages[0].snippet = {.text = "x\by"};

    const std::string text = hits_text({.hits = {hit}}, {}, Terminal{});

    CHECK(text.find_first_of("\033\r\b") == std::string::npos);
}
