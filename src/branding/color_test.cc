#include "branding/color.h"

#include <doctest/doctest.h>

using namespace quarry::branding;

TEST_CASE("colours are read as browsers write them") {
    struct Row {
        const char* text;
        std::optional<Color> color;
    };
    const Row rows[] = {
        {"rgb(1, 2, 3)", Color{1, 2, 3}},
        {"rgba(1, 2, 3, 0.5)", Color{1, 2, 3, 0.5}},
        {"rgb(1 2 3 / 50%)", Color{1, 2, 3, 0.5}},
        {"rgb(100%, 0%, 20%)", Color{255, 0, 51}},
        {"RGB(1.6,2.4,3)", Color{2, 2, 3}},
        {"#123", Color{0x11, 0x22, 0x33}},
        {"#0af8", Color{0x00, 0xaa, 0xff, 0x88 / 255.0}},
        {"#1a2B3c", Color{0x1a, 0x2b, 0x3c}},
        {" #11223300 ", Color{0x11, 0x22, 0x33, 0}},
        {"rgb(-5, 999, 3)", Color{0, 255, 3}},
        {"rgba(1, 2, 3, 7)", Color{1, 2, 3, 1}},
        {"", std::nullopt},
        {"#12", std::nullopt},
        {"#12345g", std::nullopt},
        {"red", std::nullopt},
        {"rgb(1, 2)", std::nullopt},
        {"rgb(1, 2, 3, 4, 5)", std::nullopt},
        {"rgb(nan, 2, 3)", std::nullopt},
        {"rgb(1, 2, 3", std::nullopt},
        {"oklch(0.7 0.1 200)", std::nullopt},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(parse_color(row.text) == row.color);
    }
}

TEST_CASE("a colour is written with six capital digits") {
    CHECK(to_hex({0x0a, 0xbc, 0xff}) == "#0ABCFF");
}

TEST_CASE("what shines through is mixed with what is behind") {
    CHECK(over({0, 0, 0, 0.5}, white) == Color{128, 128, 128});
    CHECK(over({10, 20, 30, 1}, white) == Color{10, 20, 30});
    CHECK(over({10, 20, 30, 0}, white) == white);
}

TEST_CASE("black and white are as far apart as can be, and text decides what is dark") {
    CHECK(contrast(black, white) == doctest::Approx(21));
    CHECK(contrast(white, white) == doctest::Approx(1));
    CHECK(is_dark({15, 23, 42}));
    CHECK(is_dark({0, 0, 255}));
    CHECK_FALSE(is_dark({255, 255, 0}));
    CHECK_FALSE(is_dark(white));
}

TEST_CASE("greys, near-blacks and tints are not vivid") {
    CHECK(is_vivid({37, 99, 235}));
    CHECK(is_vivid({30, 58, 138}));
    CHECK_FALSE(is_vivid({128, 128, 128}));
    CHECK_FALSE(is_vivid({15, 23, 42}));
    CHECK_FALSE(is_vivid({240, 248, 255}));
}
