#include "html/encoding/encoding.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "html/encoding/labels.h"

using namespace quarry::html;
using namespace std::string_literals;

namespace {

struct Case {
    std::string bytes;
    std::string_view header;
    std::string_view encoding;
    EncodingSource source;
    std::string text;
};

void check(const Case& expected, LabelTrust trust) {
    CAPTURE(expected.bytes);
    CAPTURE(expected.header);
    const Decoded decoded = decode(expected.bytes, expected.header, trust);
    CHECK(decoded.encoding == expected.encoding);
    CHECK(decoded.source == expected.source);
    CHECK(decoded.text == expected.text);
}

// "#data" up to "#encoding", again and again.
struct SuiteCase {
    std::string data;
    std::string encoding;
};

std::vector<SuiteCase> read_suite(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string all(std::istreambuf_iterator<char>(file), {});
    std::vector<SuiteCase> cases;
    for (std::size_t start = all.find("#data\n"); start != std::string::npos;) {
        start += 6;
        const std::size_t middle = all.find("\n#encoding\n", start);
        const std::size_t name = middle + 11;
        cases.push_back({all.substr(start, middle - start), all.substr(name, all.find('\n', name) - name)});
        start = all.find("#data\n", name);
    }
    return cases;
}

const std::string russian_1251 =
    "\xCF\xF0\xE8\xE2\xE5\xF2, \xEA\xE0\xEA \xE4\xE5\xEB\xE0? \xDD\xF2\xEE \xEE\xE1\xFB\xF7\xED\xFB\xE9 "
    "\xF2\xE5\xEA\xF1\xF2 \xED\xE0 \xF0\xF3\xF1\xF1\xEA\xEE\xEC \xFF\xE7\xFB\xEA\xE5.";
const std::string russian = "Привет, как дела? Это обычный текст на русском языке.";

}  // namespace

TEST_CASE("the html5lib encoding suite: every declaration is found as a browser finds it") {
    for (const std::string name : {"tests1.dat", "tests2.dat", "test-yahoo-jp.dat"}) {
        const auto cases = read_suite(QUARRY_SUITES "/suites/html5lib-tests/encoding/" + name);
        if (cases.empty()) {
            MESSAGE("skipped: no ", name);
            continue;
        }
        for (const auto& [data, encoding] : cases) {
            CAPTURE(data.substr(0, 300));
            const auto expected = find_encoding(encoding);
            REQUIRE(expected);
            CHECK(decode(data, "", LabelTrust::absolute).encoding == encoding_name(*expected));
        }
    }
}

TEST_CASE("an encoding is chosen by mark, header, meta, validity, detection, in this order") {
    const Case cases[] = {
        {"\xEF\xBB\xBF<p>é", "windows-1252", "UTF-8", EncodingSource::byte_order_mark, "<p>é"},
        {"\xFF\xFEh\0\xE9\0"s, "utf-8", "UTF-16LE", EncodingSource::byte_order_mark, "hé"},
        {"\xFE\xFF\0h\0\xE9"s, "", "UTF-16BE", EncodingSource::byte_order_mark, "hé"},
        {"caf\xE9 <meta charset=koi8-r>", "ISO-8859-1", "windows-1252", EncodingSource::header,
         "café <meta charset=koi8-r>"},
        {"<meta charset=koi8-r>\xC1", "", "KOI8-R", EncodingSource::meta, "<meta charset=koi8-r>а"},
        {"<meta charset=koi8-r>\xC1", "no-such-label", "KOI8-R", EncodingSource::meta,
         "<meta charset=koi8-r>а"},
        {"<?xml version='1.0' encoding='windows-1251'?>\xE0", "", "windows-1251", EncodingSource::meta,
         "<?xml version='1.0' encoding='windows-1251'?>а"},
        {"<meta name=x charset=utf-16>é", "", "UTF-8", EncodingSource::meta, "<meta name=x charset=utf-16>é"},
        {"<p>naïve", "", "UTF-8", EncodingSource::valid_utf8, "<p>naïve"},
        {"plain", "", "UTF-8", EncodingSource::valid_utf8, "plain"},
        {"", "", "UTF-8", EncodingSource::valid_utf8, ""},
        {russian_1251, "", "windows-1251", EncodingSource::detected, russian},
        {"<\0p\0>\0h\0e\0l\0l\0o\0"s, "", "UTF-16LE", EncodingSource::detected, "<p>hello"},
        {"\x1B$B$3$s$K$A$O\x1B(B", "", "ISO-2022-JP", EncodingSource::detected, "こんにちは"},
        {"caf\xE9", "", "windows-1252", EncodingSource::fallback, "café"},
    };
    for (const Case& expected : cases) check(expected, LabelTrust::checked);
}

TEST_CASE("a declaration after the first 1024 bytes is still found, within bounds") {
    const std::string script = "<script>" + std::string(4000, ' ') + "</script>";
    const std::string meta = "<meta charset=windows-1251>";

    check({script + meta + "\xE0", "", "windows-1251", EncodingSource::late_meta, script + meta + "а"},
          LabelTrust::checked);
    CHECK(decode(std::string(70'000, ' ') + meta + "\xE0").source == EncodingSource::fallback);
}

TEST_CASE("a wrong label does not destroy the text") {
    const Case cases[] = {
        // A server that adds iso-8859-1 to everything.
        {"<p>naïve café", "iso-8859-1", "UTF-8", EncodingSource::valid_utf8, "<p>naïve café"},
        {"<meta charset=gbk>你好世界", "", "UTF-8", EncodingSource::valid_utf8, "<meta charset=gbk>你好世界"},
        // A site that switched its header to UTF-8 but not its files: by detection, by meta, by default.
        {russian_1251, "utf-8", "windows-1251", EncodingSource::detected, russian},
        {"<meta charset=koi8-r>\xC1\xC2", "utf-8", "KOI8-R", EncodingSource::meta, "<meta charset=koi8-r>аб"},
        {"caf\xE9", "utf-8", "windows-1252", EncodingSource::fallback, "café"},
        {"<p>plain", "utf-16", "UTF-8", EncodingSource::valid_utf8, "<p>plain"},
        // A page in UTF-8 into which something else was pasted stays UTF-8.
        {"naïve café \xE9", "utf-8", "UTF-8", EncodingSource::header, "naïve café \uFFFD"},
        {"naïve café \xE9", "", "UTF-8", EncodingSource::valid_utf8, "naïve café \uFFFD"},
        // Two bytes of GBK that happen to be UTF-8 too stay GBK.
        {"\xC1\xAA\xCD\xA8", "gbk", "GBK", EncodingSource::header, "联通"},
    };
    for (const Case& expected : cases) check(expected, LabelTrust::checked);
}

TEST_CASE("with absolute trust in labels the standard's answer stands, whatever the bytes say") {
    check({"<p>é", "iso-8859-1", "windows-1252", EncodingSource::header, "<p>Ã©"}, LabelTrust::absolute);
    check({"caf\xE9", "utf-8", "UTF-8", EncodingSource::header, "caf\uFFFD"}, LabelTrust::absolute);
    check({"plain", "", "windows-1252", EncodingSource::fallback, "plain"}, LabelTrust::absolute);
}

TEST_CASE("errors are reported only where something was lost") {
    CHECK_FALSE(decode("naïve").had_errors);
    CHECK_FALSE(decode("caf\xE9", "latin1").had_errors);
    CHECK(decode("naïve café \xE9", "utf-8").had_errors);
    CHECK(decode("\xFF\xFEh"s).had_errors);
    CHECK(decode("anything", "iso-2022-kr").text == "\uFFFD");
}

TEST_CASE("text that is already UTF-8 is moved, not copied") {
    std::string bytes = std::string(1000, 'x') + "é";
    const char* const place = bytes.data();

    const Decoded decoded = decode(std::move(bytes), "utf-8");

    CHECK(decoded.text.data() == place);
}
