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

using namespace quarry::html;

TEST_CASE("each legacy encoding decodes a word of its language") {
    const struct {
        Encoding encoding;
        std::string_view bytes, text;
    } cases[] = {
        {Encoding::windows_1252, "\x80 caf\xE9 \x93q\x94 \x81", "€ café “q” \u0081"},
        {Encoding::iso_8859_2, "\xBB\xF3\xB3w", "ťółw"},
        {Encoding::iso_8859_15, "5 \xA4", "5 €"},
        {Encoding::iso_8859_16, "\xBA\xFE\xA4\x80", "șț€\u0080"},
        {Encoding::iso_8859_7, "\xE1\xE2\xE3", "αβγ"},
        {Encoding::iso_8859_8, "\xF9\xEC\xE5\xED", "שלום"},
        {Encoding::iso_8859_8_i, "\xF9\xEC\xE5\xED", "שלום"},
        {Encoding::ibm866, "\x8F\xE0\xA8", "При"},
        {Encoding::koi8_r, "\xF0\xD2\xC9", "При"},
        {Encoding::koi8_u, "\xA6\xAE\xBE", "іўЎ"},
        {Encoding::macintosh, "\x8E\xDB\xF0", "é€\uF8FF"},
        {Encoding::x_mac_cyrillic, "\x80\xFF", "А€"},
        {Encoding::windows_874, "\xC0\xD2\xC9\xD2 \xDB", "ภาษา \uFFFD"},
        {Encoding::windows_1250, "\x9E\xEC\x81", "žě\u0081"},
        {Encoding::windows_1251, "\xCF\xF0\xE8 \x98", "При \u0098"},
        {Encoding::windows_1253, "\xC1\xAA", "Α\uFFFD"},
        {Encoding::windows_1254, "\xFE\xF0\xFD", "şğı"},
        {Encoding::windows_1255, "\xF9\xCA", "ש\u05BA"},
        {Encoding::windows_1256, "\xD3\xE1\xC7\xE3", "سلام"},
        {Encoding::windows_1257, "\xF0\xE2\xA1", "šā\uFFFD"},
        {Encoding::windows_1258, "Vi\xEA\xF2t", "Viê\u0323t"},
        {Encoding::gbk, "\xC4\xE3\xBA\xC3\x80", "你好€"},
        {Encoding::gb18030, "\x81\x30\x81\x30\x95\x32\x82\x36", "\u0080𠀀"},
        {Encoding::big5, "\xA7\x41\xA6\x6E\x87\x45", "你好𧉧"},
        {Encoding::euc_jp, "\xC6\xFC\xCB\xDC\x8E\xB1\xAD\xA1", "日本ｱ①"},
        {Encoding::shift_jis, "\x93\xFA\x96\x7B\xB1\x87\x40\x5C\x7E\x81\x60", "日本ｱ①\\~～"},
        {Encoding::iso_2022_jp, "\x1B$BF|K\\\x1B(B ok", "日本 ok"},
        {Encoding::euc_kr, "\xBE\xC8\xB3\xE7\x8C\x63", "안녕똠"},
        {Encoding::x_user_defined, "a\x80\xFF", "a\uF780\uF7FF"},
        {Encoding::replacement, "abc", "\uFFFD"},
        {Encoding::replacement, "", ""},
    };
    for (const auto& [encoding, bytes, text] : cases) {
        CAPTURE(encoding_name(encoding));
        CHECK(decode_legacy(bytes, encoding).text == text);
    }
}

TEST_CASE("a broken character does not swallow the markup behind it") {
    const struct {
        Encoding encoding;
        std::string_view bytes, text;
    } cases[] = {
        {Encoding::shift_jis, "\x81<b>", "\uFFFD<b>"}, {Encoding::gbk, "\x81<b>", "\uFFFD<b>"},
        {Encoding::big5, "\x81<b>", "\uFFFD<b>"},      {Encoding::euc_kr, "\xA1<b>", "\uFFFD<b>"},
        {Encoding::euc_jp, "\xA1<b>", "\uFFFD<b>"},    {Encoding::shift_jis, "\x85\x40<b>", "\uFFFD@<b>"},
        {Encoding::gbk, "ok\xC4", "ok\uFFFD"},
    };
    for (const auto& [encoding, bytes, text] : cases) {
        CAPTURE(encoding_name(encoding));
        const LegacyText decoded = decode_legacy(bytes, encoding);
        CHECK(decoded.text == text);
        CHECK(decoded.errors == 1);
    }
}

TEST_CASE("long texts are decoded across the converter's buffer") {
    std::string bytes, expected;
    for (int i = 0; i < 30'000; ++i) {
        bytes += "\x93\xFA";
        expected += "日";
    }

    CHECK(decode_legacy(bytes, Encoding::shift_jis).text == expected);
}
