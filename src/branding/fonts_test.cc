#include "branding/fonts.h"

#include <doctest/doctest.h>

using namespace quarry::branding;
using Names = std::vector<std::string>;

TEST_CASE("a list of fonts is read as CSS has it") {
    struct Row {
        const char* list;
        Names names;
    };
    const Row rows[] = {
        {"Inter, sans-serif", {"Inter", "sans-serif"}},
        {R"("Open Sans", 'Helvetica Neue',Arial)", {"Open Sans", "Helvetica Neue", "Arial"}},
        {R"("A, B", C)", {"A, B", "C"}},
        {R"("a \"quoted\" one")", {R"(a "quoted" one)"}},
        {"__Inter_d65c78, __Inter_Fallback_d65c78", {"Inter"}},
        {"__Open_Sans_0a1b2c", {"Open Sans"}},
        {"__Odd_name", {"__Odd_name"}},
        {R"(Geist, "Geist Fallback", serif)", {"Geist", "serif"}},
        {"Arial, Arial", {"Arial"}},
        {",, ,", {}},
        {"\"never closed, Arial", {"never closed, Arial"}},
        {"", {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.list);
        CHECK(font_stack(row.list) == row.names);
    }
}

TEST_CASE("a list of fonts ends somewhere") {
    std::string list;
    for (int i = 0; i < 1'000; ++i) list += "F" + std::to_string(i) + ",";

    CHECK(font_stack(list).size() == 12);
}

TEST_CASE("what the reader's machine has is no font of the page, unless there is none") {
    CHECK(first_font("system-ui, Inter, sans-serif") == "Inter");
    CHECK(first_font("system-ui, sans-serif") == "system-ui");
    CHECK(first_font("").empty());
}
