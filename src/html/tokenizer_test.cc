// What the tokenizer makes of pages, in a table of our own. The html5lib suite is in tokenizer_suite_test.cc.
#include "html/tokenizer.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "html/token_log.h"

using namespace quarry::html;
using namespace std::string_literals;

namespace {

using Lines = std::vector<std::string>;

struct Row {
    std::string input;
    Lines tokens;
    const char* why;
};

}  // namespace

TEST_CASE("tags and attributes are read as the standard says") {
    const std::vector<Row> rows = {
        {"<p>", {"StartTag p"}, "a plain tag"},
        {"<DIV Class=A>", {"StartTag div class=\"A\""}, "names are lower-cased, values are not"},
        {"<a b='c' d=\"e\" f=g h>",
         {"StartTag a b=\"c\" d=\"e\" f=\"g\" h=\"\""},
         "four ways to write an attribute"},
        {"<a b=1 b=2>", {"StartTag a b=\"1\""}, "the first of repeated attributes counts"},
        {"<a b=1><a b=2>", {"StartTag a b=\"1\"", "StartTag a b=\"2\""}, "but only within its own tag"},
        {"<br/>", {"StartTag br /"}, "self-closing"},
        {"<a / b>", {"StartTag a b=\"\""}, "a stray slash"},
        {"<a =b>", {"StartTag a =b=\"\""}, "an equals sign may begin a name"},
        {"<a b=>", {"StartTag a b=\"\""}, "a missing value"},
        {"<a b=c/d>", {"StartTag a b=\"c/d\""}, "a slash in an unquoted value"},
        {"<a\nb\t=\f'c'>", {"StartTag a b=\"c\""}, "any white space"},
        {"<my-tag x:y=1>", {"StartTag my-tag x:y=\"1\""}, "names nobody listed"},
        {"</p class=x>", {"EndTag p"}, "attributes of end tags mean nothing"},
        {"</>x", {"Character x"}, "an empty end tag is nothing"},
        {"</ p>", {"Comment \" p\""}, "a broken end tag is a comment"},
        {"x<a b", {"Character x"}, "a tag that the page's end cuts off is dropped"},
        {"<a\0b>"s,
         {"StartTag a\xEF\xBF\xBD"
          "b"},
         "NUL in a name"},
        {"<a b='\0'>"s, {"StartTag a b=\"\xEF\xBF\xBD\""}, "NUL in a value"},
    };
    for (const Row& row : rows) CHECK_MESSAGE(TokenLog(row.input).run() == row.tokens, row.why);
}

TEST_CASE("text and character references are read as the standard says") {
    const std::vector<Row> rows = {
        {"1 < 2 & 3", {"Character 1 < 2 & 3"}, "signs that begin nothing"},
        {"&amp;&lt;&#65;&#x42;", {"Character &<AB"}, "named, decimal and hexadecimal"},
        {"&ampx &notit; &notin;", {"Character &x \u00ACit; \u2209"}, "the longest name counts"},
        {"&nosuch; &;&#;&#x;", {"Character &nosuch; &;&#;&#x;"}, "what is no reference is text"},
        {"&#0;&#xD800;&#x110000;&#99999999999;",
         {"Character \uFFFD\uFFFD\uFFFD\uFFFD"},
         "no such characters"},
        {"&#x80;&#150;", {"Character \u20AC\u2013"}, "windows-1252 by number"},
        {"&NotEqualTilde;", {"Character \u2242\u0338"}, "two characters"},
        {"<a b='?x&copy=1&copy;&lt'>", {"StartTag a b=\"?x&copy=1\u00A9<\""}, "attributes spare queries"},
        {"&amp", {"Character &"}, "at the end of the page"},
        {"a\0b"s, {"Character a\0b"s}, "NUL is left to the tree builder"},
        {"a</", {"Character a</"}, "an end tag that never began"},
    };
    for (const Row& row : rows) CHECK_MESSAGE(TokenLog(row.input).run() == row.tokens, row.why);
}

TEST_CASE("comments, doctypes and instructions are read as the standard says") {
    const std::vector<Row> rows = {
        {"<!--a-->", {"Comment \"a\""}, "a comment"},
        {"<!-->x", {"Comment \"\"", "Character x"}, "closed at once"},
        {"<!--->x", {"Comment \"\"", "Character x"}, "closed at once, with a dash"},
        {"<!--a--!>x", {"Comment \"a\"", "Character x"}, "closed with an exclamation mark"},
        {"<!--a-- >--->", {"Comment \"a-- >-\""}, "dashes inside"},
        {"<!--a--", {"Comment \"a\""}, "cut off"},
        {"<!a>", {"Comment \"a\""}, "bogus"},
        {"<![CDATA[x]]>", {"Comment \"[CDATA[x]]\""}, "no such thing in HTML"},
        {"<!DOCTYPE HTML>", {"DOCTYPE \"html\" null null"}, "the doctype"},
        {"<!doctype html public 'a' \"b\">", {"DOCTYPE \"html\" \"a\" \"b\""}, "with identifiers"},
        {"<!doctype html system 'b'>", {"DOCTYPE \"html\" null \"b\""}, "with one of them"},
        {"<!doctype html bogus>", {"DOCTYPE \"html\" null null quirks"}, "with junk"},
        {"<!doctype>", {"DOCTYPE null null null quirks"}, "without a name"},
        {"<?a b?>", {"Instruction \"a b\""}, "an instruction"},
        {"<?a  b>c", {"Instruction \"a b\"", "Character c"}, "closed without a question mark"},
        {"<?xml a?>", {"Comment \"?xml a?\""}, "an XML declaration is a comment"},
        {"<?a", {}, "cut off"},
    };
    for (const Row& row : rows) CHECK_MESSAGE(TokenLog(row.input).run() == row.tokens, row.why);
}

TEST_CASE("raw text ends only at its own end tag") {
    const auto run = [](std::string input, TokenizerState state, std::string_view tag) {
        return TokenLog(std::move(input)).run(state, tag);
    };
    using enum TokenizerState;

    CHECK(run("a<b></b>&lt;</TITLE >x", rcdata, "title") ==
          Lines{"Character a<b></b><", "EndTag title", "Character x"});
    CHECK(run("a&lt;</styles></style>", rawtext, "style") ==
          Lines{"Character a&lt;</styles>", "EndTag style"});
    CHECK(run("</script>", plaintext, "") == Lines{"Character </script>"});
    CHECK(run("a\0</title>"s, rcdata, "title") == Lines{"Character a\uFFFD", "EndTag title"});
}

TEST_CASE("a script in a comment in a script hides its end tag") {
    const auto run = [](std::string input) {
        return TokenLog(std::move(input)).run(TokenizerState::script_data, "script");
    };

    CHECK(run("<!--</script>") == Lines{"Character <!--", "EndTag script"});
    CHECK(run("<!--<script></script>--></script>") ==
          Lines{"Character <!--<script></script>-->", "EndTag script"});
    CHECK(run("<!--<script>--></script>") == Lines{"Character <!--<script>-->", "EndTag script"});
    CHECK(run("<!--<script></script></script>") == Lines{"Character <!--<script></script>", "EndTag script"});
    CHECK(run("<!--><script></script>") == Lines{"Character <!--><script>", "EndTag script"});
}

TEST_CASE("CDATA sections are text where they are allowed") {
    TokenLog log("<![CDATA[a<b>]]]]>c");

    CHECK(log.run(TokenizerState::data, {}, CdataSections::on) == Lines{"Character a<b>]]c"});
}
