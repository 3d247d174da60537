#include "cli/commands/search.h"

#include <doctest/doctest.h>

#include "model/json/output.h"

using namespace quarry;
using namespace quarry::cli;
using namespace std::chrono_literals;

namespace {

const Timestamp now{std::chrono::milliseconds(1'772'711'130'000)};  // 2026-03-05T11:45:30Z

}  // namespace

TEST_CASE("times of a search table") {
    struct Row {
        const char* text;
        DayEnd end;
        const char* expected;
    };
    const Row rows[] = {
        {"2026-03-05", DayEnd::first, "2026-03-05T00:00:00.000Z"},
        {"2026-03-05", DayEnd::last, "2026-03-05T23:59:59.999Z"},
        {"2026-02", DayEnd::first, "2026-02-01T00:00:00.000Z"},
        {"2026-02", DayEnd::last, "2026-02-28T23:59:59.999Z"},
        {"2026-12", DayEnd::last, "2026-12-31T23:59:59.999Z"},
        {"2025", DayEnd::first, "2025-01-01T00:00:00.000Z"},
        {"2025", DayEnd::last, "2025-12-31T23:59:59.999Z"},
        {"2026-03-05T10:20:30Z", DayEnd::last, "2026-03-05T10:20:30.000Z"},
        {"2026-03-05T10:20:30+01:00", DayEnd::first, "2026-03-05T09:20:30.000Z"},
        {"2026-03-05T10:20:30-05:30", DayEnd::first, "2026-03-05T15:50:30.000Z"},
        {"5 March 2026", DayEnd::first, "2026-03-05T00:00:00.000Z"},
        {"7d", DayEnd::first, "2026-02-26T11:45:30.000Z"},
        {"2w", DayEnd::first, "2026-02-19T11:45:30.000Z"},
        {"36h", DayEnd::last, "2026-03-03T23:45:30.000Z"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto time = parse_time(row.text, row.end, now);
        REQUIRE(time);
        CHECK(iso_time(*time) == row.expected);
    }
}

TEST_CASE("what is no time is refused with an example of one") {
    for (const char* text : {"", "soon", "03/04/2026", "2026-13-01", "d", "-7d", "7x"}) {
        CAPTURE(text);
        const auto time = parse_time(text, DayEnd::first, now);
        REQUIRE_FALSE(time);
        CHECK(time.error().message.find("2026-03-05") != std::string::npos);
    }
}

TEST_CASE("flags become a request") {
    SearchFlags flags{.words = {"rate", "limit"}, .collection = "docs", .mode = "keyword"};
    flags.site = "https://Docs.example.com/guide";
    flags.language = "DE";
    flags.since = "7d";
    flags.limit = 3;

    const auto request = search_request(flags, now);

    REQUIRE(request);
    CHECK(request->query == "rate limit");
    CHECK(request->collection == "docs");
    CHECK(request->mode == search::Mode::keyword);
    CHECK(request->limit == 3);
    CHECK(request->filter.host == "docs.example.com");
    CHECK(request->filter.path_prefix == "/guide");
    CHECK(request->filter.language == "de");
    CHECK(request->filter.since == now - 7 * 24h);
    CHECK_FALSE(request->filter.until);
    CHECK(request->syntax == search::Syntax::typed);
}

TEST_CASE("a path that is named beside a site is the one that counts") {
    const auto request =
        search_request({.words = {"x"}, .site = "https://a.example/guide", .path = "/reference"}, now);

    REQUIRE(request);
    CHECK(request->filter.path_prefix == "/reference");
}

TEST_CASE("a wrong mode or time is named") {
    CHECK(search_request({.words = {"x"}, .mode = "loud"}, now).error().message.find("loud") !=
          std::string::npos);
    CHECK(search_request({.words = {"x"}, .until = "soon"}, now).error().message.find("soon") !=
          std::string::npos);
}

TEST_CASE("a batch asks for a hundred pages, without passages, and knows no operators") {
    const auto request = search_request({.batch = "queries.jsonl"}, now);
    const auto fewer = search_request({.limit = 5, .batch = "queries.jsonl"}, now);

    CHECK(request->limit == 100);
    CHECK(request->passages == 0);
    CHECK(request->syntax == search::Syntax::plain);
    CHECK(fewer->limit == 5);
}

TEST_CASE("a batch is read line by line, and ids may be numbers") {
    const auto queries =
        parse_batch("{\"_id\": \"a\", \"text\": \"one\"}\r\n\n{\"_id\": 7, \"text\": \"two\", \"x\": 1}");

    REQUIRE(queries);
    REQUIRE(queries->size() == 2);
    CHECK(queries->at(0).id == "a");
    CHECK(queries->at(1).id == "7");
    CHECK(queries->at(1).text == "two");
    CHECK(parse_batch("")->empty());
}

TEST_CASE("a line of a batch that is no query is named") {
    for (const char* line : {"x", "[]", "{}", R"({"_id": 1})", R"({"_id": 1, "text": 2})"}) {
        CAPTURE(line);
        const auto queries = parse_batch(std::string("{\"_id\": 1, \"text\": \"one\"}\n") + line);
        REQUIRE_FALSE(queries);
        CHECK(queries.error().message.find("line 2") != std::string::npos);
    }
}

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
