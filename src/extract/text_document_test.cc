#include "extract/text_document.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

using namespace quarry::extract;

namespace {

std::string field(const FrontMatter& matter, std::string_view name) {
    const auto found = std::ranges::find(matter.fields, name, &quarry::NamedValue::first);
    return found == matter.fields.end() ? "(none)" : found->second;
}

}  // namespace

TEST_CASE("YAML front matter is read and cut off") {
    const FrontMatter matter = read_front_matter(
        "---\r\n"
        "title: \"Say \\\"hi\\\": a guide\"\n"
        "Description: plain words # not this\n"
        "date: 2024-03-05\n"
        "tags: [one, 'two, three', \"four\"]\n"
        "authors:\n"
        "  - Ann\n"
        "  - Bob\n"
        "author:\n"
        "  name: Carol\n"
        "summary: >\n"
        "  folded over\n"
        "  two lines\n"
        "empty:\n"
        "---\n"
        "# Body\n");

    CHECK(field(matter, "title") == "Say \"hi\": a guide");
    CHECK(field(matter, "description") == "plain words");
    CHECK(field(matter, "date") == "2024-03-05");
    CHECK(field(matter, "tags") == "one, two, three, four");
    CHECK(field(matter, "authors") == "Ann, Bob");
    CHECK(field(matter, "author.name") == "Carol");
    CHECK(field(matter, "summary") == "folded over two lines");
    CHECK(field(matter, "empty") == "(none)");
    CHECK(matter.body == "# Body\n");
}

TEST_CASE("TOML front matter is read and cut off") {
    const FrontMatter matter =
        read_front_matter("+++\ntitle = 'T'\ndraft = false\n[author]\nname = \"Ann\"\n+++\nBody");

    CHECK(field(matter, "title") == "T");
    CHECK(field(matter, "draft") == "false");
    CHECK(field(matter, "author.name") == "Ann");
    CHECK(matter.body == "Body");
}

TEST_CASE("text without a closed block at its start is left whole") {
    const std::string texts[] = {
        "# Title\n---\na: b\n---\n",
        "---\ntitle: never closed\n",
        "---",
        "",
        "----\na: b\n----\n",
        "---\n" + std::string(100'000, 'a') + "\n---\nBody",
    };
    for (const std::string& text : texts) {
        const FrontMatter matter = read_front_matter(text);
        CHECK(matter.fields.empty());
        CHECK(matter.body == text);
    }
}

TEST_CASE("an empty block is cut off") {
    CHECK(read_front_matter("---\n---\nBody").body == "Body");
    CHECK(read_front_matter("---\na: b\n...\nBody").body == "Body");
}

using namespace quarry::extract;

TEST_CASE("JSON is indented and nothing else about it changes") {
    struct Row {
        const char* input;
        const char* expected;
    };
    const Row rows[] = {
        {R"({"b":1.0,"a":[1,"x, {y}\"",null]})",
         "{\n  \"b\": 1.0,\n  \"a\": [\n    1,\n    \"x, {y}\\\"\",\n    null\n  ]\n}"},
        {"{}", "{}"},
        {"[ ]", "[]"},
        {R"({"a":{}, "b":[[]]})", "{\n  \"a\": {},\n  \"b\": [\n    []\n  ]\n}"},
        {"12345678901234567890", "12345678901234567890"},
        {R"("é\u00e9")", R"("é\u00e9")"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.input);
        CHECK(pretty_json(row.input) == row.expected);
    }
}

TEST_CASE("what is not JSON, too deep or too large stays as it is") {
    const std::string deep = std::string(200, '[') + std::string(200, ']');
    const std::string large = "[" + std::string(300'000, ' ') + "]";
    for (const std::string& text : {std::string("{a:1}"), std::string("{} {}"), std::string(), deep, large}) {
        CHECK(pretty_json(text) == text);
    }
}

TEST_CASE("a fence is longer than any run of backticks in the text") {
    CHECK(fenced("x", "json") == "```json\nx\n```\n");
    CHECK(fenced("a\n```\nb\n", "") == "````\na\n```\nb\n````\n");
}
