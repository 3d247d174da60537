#include "text/xml.h"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace quarry::text;
using quarry::ErrorCode;

namespace {

// Writes what it sees as one line: <name attribute=value> text </name>.
class Transcript : public XmlHandler {
public:
    void start(const XmlName& name, std::span<const XmlAttribute> attributes) override {
        written += fmt::format("<{}", joined(name));
        for (const XmlAttribute& a : attributes) written += fmt::format(" {}={}", joined(a.name), a.value);
        written += '>';
    }
    void end(const XmlName& name) override { written += fmt::format("</{}>", joined(name)); }
    void text(std::string_view text) override { written += text; }
    bool wants_more() const override { return written.size() < enough; }

    std::string written;
    std::size_t enough = 100'000'000;

private:
    static std::string joined(const XmlName& name) {
        return name.prefix.empty() ? std::string(name.local) : fmt::format("{}|{}", name.prefix, name.local);
    }
};

std::string transcript(std::string_view document) {
    Transcript transcript;
    CHECK(read_xml(document, transcript));
    return transcript.written;
}

}  // namespace

TEST_CASE("elements, attributes and text arrive in order") {
    CHECK(
        transcript("<?xml version='1.0'?><a x='1' m:y='&lt;2'><m:b/>t&amp;<![CDATA[<u>&]]><!-- c --></a>") ==
        "<a x=1 m|y=<2><m|b></m|b>t&<u>&</a>");
}

TEST_CASE("what most broken documents get wrong is forgiven") {
    struct Row {
        const char* input;
        const char* expected;
        const char* reason;
    };
    const Row rows[] = {
        {"\n \n<?xml version='1.0'?><a/>", "<a></a>", "blank lines before the declaration"},
        {"\xEF\xBB\xBF<a/>", "<a></a>", "a byte order mark"},
        {"Warning: php!<a/>", "<a></a>", "text before the document"},
        {"<br />\n<b>Warning</b>: php!<?xml version='1.0'?><a/>", "<a></a>", "a warning with markup"},
        {"<a>x?b=1&c=2&d</a>", "<a>x?b=1&c=2&d</a>", "bare ampersands"},
        {"<a h='?b&c=d'/>", "<a h=?b&c=d></a>", "bare ampersands in attributes"},
        {"<a><![CDATA[b & c &x;]]>&</a>", "<a>b & c &x;&</a>", "CDATA is left alone"},
        {"<a>b&nbsp;c&eacute;</a>", "<a>b\u00A0cé</a>", "HTML's entities"},
        {"<a>b&unheard;c</a>", "<a>b&unheard;c</a>", "unknown entities"},
        {"<a h='b&nbsp;c'/>", "<a h=bc></a>", "entities in attributes are lost, the document is not"},
        {"<a>b\x01\x1f</a>", "<a>b  </a>", "control characters"},
        {"<a>b\xffz</a>", "<a>b\uFFFDz</a>", "invalid UTF-8"},
        {"<:><b:/></:>", "<:><b:></b:></:>", "a colon without a prefix or a name"},
        {"<a><no:decl/></a>", "<a><no|decl></no|decl></a>", "undeclared prefixes"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(transcript(row.input) == row.expected);
    }
}

TEST_CASE("encodings are converted, and one that is unknown is reported") {
    CHECK(transcript("<?xml version='1.0' encoding='windows-1251'?><a>\xcf\xf0</a>") == "<a>Пр</a>");
    CHECK(transcript("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9\x93</a>") == "<a>é“</a>");
    CHECK(transcript("<?xml version='1.0' encoding='utf-16'?><a>é</a>") == "<a>é</a>");
    CHECK(transcript(std::string_view("\xFF\xFE<\0a\0/\0>\0", 10)) == "<a></a>");
    CHECK(transcript(std::string_view("\0<\0a\0/\0>", 8)) == "<a></a>");

    Transcript nothing;
    const auto unknown = read_xml("<?xml version='1.0' encoding='x-klingon'?><a/>", nothing);
    CHECK(unknown.error().code == ErrorCode::unsupported);
    CHECK(unknown.error().message == "the XML is in an encoding that is not known: \"X-KLINGON\"");
    const auto path = read_xml("<?xml version='1.0' encoding='../../etc/passwd'?><a/>", nothing);
    CHECK(path.error().code == ErrorCode::unsupported);
}

TEST_CASE("what came before an error is delivered, and the error says where it is") {
    Transcript before;

    const auto result = read_xml("<a><b>1</b>\n<b>2</c></a>", before);

    CHECK(before.written == "<a><b>1</b>\n<b>2");
    CHECK(result.error().code == ErrorCode::corrupt);
    CHECK(result.error().message == "the XML is broken at line 2, column 7: mismatched tag");
}

TEST_CASE("an empty or truncated document is an error") {
    for (const char* document : {"", "   ", "no markup", "<a>", "<a", "<?xml", "<!--", "<![CDATA[", "<a>&"}) {
        CAPTURE(document);
        Transcript nothing;
        CHECK(read_xml(document, nothing).error().code == ErrorCode::corrupt);
    }
}

TEST_CASE("a document's own entities are used, but not to blow it up") {
    CHECK(transcript("<!DOCTYPE a [<!ENTITY who 'me'>]><a x='&who;'>&who;</a>") == "<a x=me>me</a>");

    std::string bomb = "<!DOCTYPE a [<!ENTITY e0 'ha'>";
    for (int i = 1; i < 30; ++i) bomb += fmt::format("<!ENTITY e{0} '&e{1};&e{1};'>", i, i - 1);
    Transcript transcript;
    const auto result = read_xml(bomb + "]><a>&e29;</a>", transcript);
    CHECK(result.error().code == ErrorCode::corrupt);
    CHECK(transcript.written.size() < 4'000'000);
}

TEST_CASE("external entities are never loaded") {
    CHECK(transcript("<!DOCTYPE a SYSTEM 'file:///etc/passwd' [<!ENTITY f SYSTEM 'file:///etc/passwd'>"
                     "<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a>x&f;</a>") == "<a>x</a>");
}

TEST_CASE("depth, size and text are bounded") {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<a>";
    Transcript transcript;
    CHECK(read_xml(deep, transcript, {.max_depth = 3}).error().code == ErrorCode::too_large);
    CHECK(transcript.written == "<a><a><a>");

    Transcript cut;
    CHECK(read_xml("<a>1</a><!-- long -->", cut, {.max_bytes = 6}).error().code == ErrorCode::too_large);
    CHECK(cut.written == "<a>1");

    Transcript long_text;
    CHECK(read_xml("<a>12345<b/>1</a>", long_text, {.max_text_bytes = 3}));
    CHECK(long_text.written == "<a>123<b></b>1</a>");
}

TEST_CASE("a document of nothing but names is refused before it fills the memory") {
    std::string names = "<a>", attributes = "<a";
    for (int i = 0; i < 2'000'000; ++i) {
        names += fmt::format("<n{}/>", i);
        attributes += fmt::format(" n{}=''", i);
    }
    for (const std::string& document : {names + "</a>", attributes + "/>"}) {
        Transcript transcript;
        const auto result = read_xml(document, transcript);
        REQUIRE_FALSE(result);
        CHECK(result.error().message == "the XML has more names than there is memory for");
    }
}

TEST_CASE("a document may be large as long as it is ordinary") {
    Transcript transcript;

    CHECK(read_xml("<a>" + std::string(40'000'000, ' ') + "</a>", transcript, {.max_text_bytes = 1}));

    CHECK(transcript.written == "<a> </a>");
}

TEST_CASE("a document that needs endless repair hardly grows") {
    Transcript transcript;

    CHECK(
        read_xml("<a>" + std::string(3'000'000, '&') + std::string(3'000'000, '\xff') + "</a>", transcript));

    CHECK(transcript.written.size() < 7'000'000);
    CHECK(transcript.written.starts_with("<a>&&&&"));
}

TEST_CASE("converted text keeps characters that need two UTF-16 units, wherever they fall") {
    std::string utf16 = {'\xFF', '\xFE', '<', 0, 'a', 0, '>', 0};
    std::string expected = "<a>";
    for (int i = 0; i < 10'000; ++i) {
        utf16 += "\x3D\xD8\xA9\xDC";
        expected += "💩";
    }
    utf16 += {'<', 0, '/', 0, 'a', 0, '>', 0};

    CHECK(transcript(utf16) == expected + "</a>");
}

TEST_CASE("a handler that has enough ends the reading") {
    Transcript transcript;
    transcript.enough = 5;

    CHECK(read_xml("<a><b/><c/><d></a>", transcript));

    CHECK(transcript.written == "<a><b></b>");
}
