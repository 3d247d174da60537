#include "html/encoding/encoding_legacy.h"

#include <string>

#include <doctest/doctest.h>

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
