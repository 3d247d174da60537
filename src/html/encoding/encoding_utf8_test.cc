#include "html/encoding/decoders.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry::html;
using namespace std::string_literals;

TEST_CASE("each maximal ill-formed part of UTF-8 becomes one U+FFFD") {
    const struct {
        std::string_view bytes, text;
        std::size_t sequences, invalid;
    } cases[] = {
        {"", "", 0, 0},
        {"ascii only, longer than thirty-two bytes to cross a step",
         "ascii only, longer than thirty-two bytes to cross a step", 0, 0},
        {"é日😀", "é日😀", 3, 0},
        {"\x80", "\uFFFD", 0, 1},                                // a stray continuation
        {"\xC0\xAF", "\uFFFD\uFFFD", 0, 2},                      // overlong
        {"\xE0\x80\xAF", "\uFFFD\uFFFD\uFFFD", 0, 3},            // overlong
        {"\xF0\x9F\x98", "\uFFFD", 0, 1},                        // cut off at the end
        {"\xF0\x9F\x98 x", "\uFFFD x", 0, 1},                    // cut off inside
        {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD", 0, 3},            // a surrogate
        {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD", 0, 4},  // above U+10FFFF
        {"\xF5\xFF", "\uFFFD\uFFFD", 0, 2},                      // never bytes of UTF-8
        {"\xE6\x97<", "\uFFFD<", 0, 1},                          // markup behind is kept
        {"a\xC3\xC3\xA9z", "a\uFFFDéz", 1, 1},
    };
    for (const auto& [bytes, text, sequences, invalid] : cases) {
        CAPTURE(bytes);
        CHECK(repair_utf8(bytes) == text);
        CHECK(count_utf8(bytes).sequences == sequences);
        CHECK(count_utf8(bytes).invalid == invalid);
    }
}

TEST_CASE("a foreign byte is found at every place of a long ASCII text") {
    for (std::size_t place = 0; place < 100; ++place) {
        std::string bytes(100, 'x');
        bytes[place] = '\xFF';
        CAPTURE(place);
        CHECK(count_utf8(bytes).invalid == 1);
        CHECK(repair_utf8(bytes).find("\uFFFD") == place);
    }
}

TEST_CASE("UTF-16 is read in both orders, and what is unpaired is replaced") {
    bool had_errors = false;
    CHECK(utf16_to_utf8("a\0\xE5\x65\x3D\xD8\x00\xDE"s, ByteOrder::little, had_errors) == "a日😀");
    CHECK(utf16_to_utf8("\0a\x65\xE5\xD8\x3D\xDE\x00"s, ByteOrder::big, had_errors) == "a日😀");
    CHECK_FALSE(had_errors);

    CHECK(utf16_to_utf8("\x3D\xD8x\0"s, ByteOrder::little, had_errors) == "\uFFFDx");
    CHECK(had_errors);
    CHECK(utf16_to_utf8("\x00\xDE"s, ByteOrder::little, had_errors) == "\uFFFD");
    CHECK(utf16_to_utf8("x\0y"s, ByteOrder::little, had_errors) == "x\uFFFD");
}
