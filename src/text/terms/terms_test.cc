#include "text/terms/terms.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace quarry::text;

namespace {

// All terms in order, parts in parentheses.
std::string terms_of(std::string_view text) {
    TermReader reader;
    std::string listed;
    for (const Term& term : reader.read(text)) {
        if (!listed.empty()) listed += ' ';
        listed += term.is_part ? '(' + std::string(term.text) + ')' : std::string(term.text);
    }
    return listed;
}

struct Row {
    std::string_view text;
    std::string_view terms;
};

void check(std::initializer_list<Row> rows) {
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(terms_of(row.text) == row.terms);
    }
}

std::map<std::string, int, std::less<>> counts_of(const TermBag& bag) {
    std::map<std::string, int, std::less<>> counts;
    for (const TermCount& each : bag.counts) counts[std::string(each.term)] += static_cast<int>(each.count);
    return counts;
}

}  // namespace

TEST_CASE("words are folded and stemmed by the rules of their script") {
    check({
        {"", ""},
        {"Connected connections", "connect connect"},
        {"The WIND tunnel, tested.", "the wind tunnel test"},
        {"Die Größe der Straßen", "die gross der strassen"},
        {"café CAFÉ cafe\u0301", "cafe cafe cafe"},
        {"Łódź Ærø smørrebrød", "lodz aero smorrebrod"},
        {"naïve façade", "naiv facad"},
        {"собаки собака СОБАКОЙ", "собак собак собак"},
        {"ёлка елка", "елк елк"},
        {"край краи\u0306", "кра кра"},
        {"мо\u0301локо", "молок"},
        {"п'ять п’ять", "пят пят"},
        {"Οι ΔΡΟΜΟΙ δρόμος", "οι δρομ δρομ"},
        {"İstanbul ISTANBUL ıstanbul", "istanbul istanbul istanbul"},
        {"كِتَاب كتاب", "كتاب كتاب"},
        {"שָׁלוֹם שלום", "שלום שלום"},
        {"लड़कियाँ लड़की", "लड़क लड़क"},
        {"ＡＢＣ １２３", "abc 123"},
        {"٣٤ ४५", "34 45"},
        {"ﬁnd", "find"},
        {"soft\u00ADhyphen zero\u200Dwidth", "softhyphen zerowidth"},
        {"two\u200Bwords", "two word"},
        {"H₂O footnote²", "h2o footnot"},
    });
}

TEST_CASE("whole sentences of many languages are read word by word") {
    check({
        {"Wie installiere ich das Paket?", "wie installier ich da paket"},
        {"Où est l'élève déjà allé ?", "ou est l elev deja all"},
        {"¿Cómo configuro la contraseña?", "como configuro la contrasena"},
        {"Come si può aggiornare?", "come si puo aggiornar"},
        {"Não há informações", "nao ha informaco"},
        {"Hoe werkt dit?", "hoe werkt dit"},
        {"Как установить программу на компьютер?", "как установ программ на компьютер"},
        {"Πώς εγκαθιστώ το πρόγραμμα;", "πωσ εγκαθιστ το προγραμμ"},
        {"Dosyayı nasıl açarım?", "dosyayi nasil acarim"},
        {"Jak zainstalować łatkę?", "jak zainstalowac latk"},
        {"如何安装？", "如何 (如) 何安 (何) 安装 (安) (装)"},
        {"インストール方法", "イン ンス スト トー ール ル方 方法 (方) (法)"},
        {"설치 방법", "설치 (설) (치) 방법 (방) (법)"},
        {"איך מתקינים?", "איך מתקינים"},
    });
}

TEST_CASE("what stands in one paragraph changes nothing in another") {
    const std::string_view texts[] = {
        "A `span and [link](x_y) text.", "**Bold** C++17, foo_bar()", "东京 U.S.A. don't", "| a | b |",
        "2024-01-15 v1.2.3 and 1,000",   "<b>x</b> &amp; y ` z",      "Ёлка naïve"};
    for (const std::string_view first : texts) {
        for (const std::string_view second : texts) {
            const std::string both = std::string(first) + "\n\n" + std::string(second);
            CAPTURE(both);
            CHECK(terms_of(both) == terms_of(first) + ' ' + terms_of(second));
        }
    }
}

TEST_CASE("scripts without spaces are read in overlapping pairs, characters that are words also alone") {
    check({
        {"东京都", "东京 (东) 京都 (京) (都)"},
        {"京", "京"},
        {"ひらがな", "ひら らが がな"},
        {"カ\u3099ス ガス", "ガス ガス"},
        {"ｶﾅ", "カナ"},
        {"サーバー", "サー ーバ バー"},
        {"물을 마시다", "물을 (물) (을) 마시 (마) 시다 (시) (다)"},
        {"\u1112\u1161\u11AB글", "한글 (한) (글)"},
        {"ภาษาไทย", "ภา าษ ษา าไ ไท ทย"},
        {"น้ำ", "น้\u0E4Dา"},
        {"用Python写", "用 python 写"},
        {"3月", "3 月"},
        {"你好，世界。", "你好 (你) (好) 世界 (世) (界)"},
    });
}

TEST_CASE("an identifier is one term as it was typed, and its parts are terms too") {
    check({
        {"std::vector", "std::vector (std) (vector)"},
        {"std::string_view", "std::string_view (std) (string_view) (string) (view)"},
        {"foo_bar()", "foo_bar (foo) (bar)"},
        {"`foo_bar`", "foo_bar (foo) (bar)"},
        {"foo\\_bar", "foo_bar (foo) (bar)"},
        {"FooBar", "foobar (foo) (bar)"},
        {"XMLHttpRequest", "xmlhttprequest (xml) (http) (request)"},
        {"HTML5Parser", "html5parser (html5) (parser)"},
        {"foo.bar", "foo.bar (foo) (bar)"},
        {"--long-flag", "--long-flag (long-flag) (long) (flag)"},
        {"tar -xzf", "tar -xzf (xzf)"},
        {"C++ and C++17", "c++ and c++17 (c++)"},
        {"C\\+\\+", "c++"},
        {"c# F#", "c# f#"},
        {".NET", ".net (net)"},
        {"node.js", "node.js (node) (js)"},
        {"libfoo.so.6", "libfoo.so.6 (libfoo) (so) (6)"},
        {"/etc/passwd", "etc/passwd (etc) (passwd)"},
        {"/etc/nginx/nginx.conf", "etc/nginx/nginx.conf (etc) (nginx) (nginx.conf) (nginx) (conf)"},
        {"E0308", "e0308"},
        {"__init__", "__init__ (init)"},
        {"_emphasis_ and _private", "emphasi and privat"},
        {"x86_64", "x86_64 (x86) (64)"},
        {"AT&T", "at&t (at) (t)"},
        {"U.S.A.", "u.s.a (usa)"},
        {"well-known", "(wellknown) well known"},
        {"well\u2010known", "(wellknown) well known"},
        {"state-of-the-art", "state of the art"},
        {"utf-8", "utf-8 (utf) (8)"},
        {"gcc-12.2", "gcc-12.2 (gcc) (12.2) (12)"},
        {"APIs URLs", "api url"},
        {"iPhone", "iphon (phone)"},
    });
}

TEST_CASE("numbers, versions and dates are kept, and found by what they begin with") {
    check({
        {"42 007", "42 007"},
        {"3.11", "3.11 (3)"},
        {"3.11.4", "3.11.4 (3.11) (3)"},
        {"v1.2.3", "v1.2.3 (1.2.3) (1.2) (1)"},
        {"2024-01-15", "2024-01-15 (2024-01) (2024)"},
        {"1990-2000", "1990-2000 (1990) (2000)"},
        {"p < 0.05", "p 0.05"},
        {"1,000,000 and 1,5", "1000000 and 1 5"},
        {"10% of 12:30", "10 of 12 30"},
        {"-5 to +5", "5 to 5"},
    });
}

TEST_CASE("apostrophes join, end or part words as the language has it") {
    check({
        {"don't can’t", "dont cant"},
        {"John's we'll they've I'm", "john we thei i"},
        {"l'arbre dell’arte", "l arbr dell art"},
        {"'quoted' words'", "quot word"},
    });
}

TEST_CASE("markdown's marks and link targets are no words, link texts are") {
    check({
        {"# Title\n\n* one\n1. two", "titl on two"},
        {"[text](https://example.com/path) end", "text end"},
        {"[text](<a b> \"a title\") end", "text end"},
        {"![alt](image.png) end", "alt end"},
        {"[a](b(c)d) e", "a e"},
        {"[ref]: https://example.com \"title\"\nend", "end"},
        {"[^1]: a footnote", "1 a footnot"},
        {"**bold** and ~~gone~~", "bold and gone"},
        {"| a | b |\n|---|:-:|\n| c | d |", "a b c d"},
        {"one<br>two <b>three</b> <a href=\"x\">four</a>", "on two three four"},
        {"<!-- hidden --> seen", "seen"},
        {"a &amp; b &#39; c", "a b c"},
        {"```python title=x\nx = [a](b)\n```\nend", "x a b end"},
        {"~~~~\n```\n<b>\n~~~~\n[t](u)", "b t"},
        {"`vector<b>` and `[a](b)`", "vector b and a b"},
    });
}

TEST_CASE("plain text full of signs is not taken for markup") {
    check({
        {"a <b and c> d", "a b and c d"},
        {"if x<y then z>w", "if x y then z w"},
        {"std::vector<int> v", "std::vector (std) (vector) int v"},
        {"see [1](Smith et al)", "see 1 smith et al"},
        {"[Note]: see below", "note see below"},
        {"5 * 3 ~ 15 | x", "5 3 15 x"},
        {"a ` b <i c", "a b i c"},
        {"<!-- not closed", "not close"},
        {"R&D; AT&T;", "r&d (r) (d) at&t (at) (t)"},
        {"...and so on -- or not", "and so on or not"},
        {"caf\xC3 broken \xFF\xFE bytes", "caf broken byte"},
    });
}

TEST_CASE("a query finds an identifier by whole and by part, since both are read the same way") {
    const auto shares_term = [](std::string_view query, std::string_view text) {
        const std::string terms = ' ' + terms_of(text) + ' ';
        const std::string first = terms_of(query).substr(0, terms_of(query).find(' '));
        return terms.find(' ' + first + ' ') != std::string::npos ||
               terms.find('(' + first + ')') != std::string::npos;
    };

    CHECK(shares_term("std::vector", "use `std::vector<int>`"));
    CHECK(shares_term("vector", "use `std::vector<int>`"));
    CHECK(shares_term("foo_bar", "calls foo_bar(1)"));
    CHECK(shares_term("foo_bar()", "foo\\_bar is"));
    CHECK(shares_term("C++", "in C++20"));
    CHECK(shares_term("3.11", "Python 3.11.4"));
    CHECK(shares_term("USA", "the U.S.A."));
    CHECK(shares_term("물", "물을"));
    CHECK_FALSE(shares_term("vec", "std::vector"));
}

TEST_CASE("a term says where in the text it came from") {
    constexpr std::string_view text = "See foo\\_bar in 东京.";
    TermReader reader;
    std::vector<std::string> sources;

    for (const Term& term : reader.read(text))
        sources.emplace_back(text.substr(term.begin, term.end - term.begin));

    CHECK(sources == std::vector<std::string>{"See", "foo\\_bar", "foo", "bar", "in", "东京", "东", "京"});
}

TEST_CASE("a term is at most 64 bytes, whatever it came from") {
    TermReader reader;
    const std::string word(5000, 'x');
    const std::string cyrillic = [] {
        std::string letters;
        for (int i = 0; i < 500; ++i) letters += "ж";
        return letters;
    }();

    for (const std::string& text : {word, cyrillic, word + "_" + word})
        for (const Term& term : reader.read(text)) CHECK(term.text.size() <= 64);
    CHECK(reader.read(cyrillic).front().text.size() % 2 == 0);
}

TEST_CASE("counting adds up texts, and parts do not lengthen them") {
    TermReader reader;
    const std::string_view texts[] = {"Vectors", "a vector and std::vector, a vector"};

    const TermBag bag = reader.count(texts);
    reader.read("something else");  // The bag has its own letters.

    CHECK(bag.length == 7);
    CHECK(counts_of(bag) == std::map<std::string, int, std::less<>>{
                                {"vector", 4}, {"a", 2}, {"and", 1}, {"std::vector", 1}, {"std", 1}});
}

TEST_CASE("counting many terms loses none") {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += std::to_string(i % 7'000) + ' ';
    TermReader reader;
    const std::string_view texts[] = {text};

    const TermBag bag = reader.count(texts);

    CHECK(bag.length == 20'000);
    CHECK(bag.counts.size() == 7'000);
    CHECK(counts_of(bag)["6999"] == 2);
}

TEST_CASE("stop words are known in the form that terms have") {
    TermReader reader;
    for (const std::string_view text :
         {"the", "The", "this", "was", "because", "does", "don't", "very", "und", "nicht", "où", "está",
          "perché", "não", "niet", "этого", "чтобы"}) {
        CAPTURE(text);
        CHECK(is_stop_word(reader.read(text).front().text));
    }
    for (const std::string_view text : {"vector", "use", "using", "wind", "die", "war", "son", "computer",
                                        "собака", "3.11", "东京", "C++", "not_null"}) {
        CAPTURE(text);
        CHECK_FALSE(is_stop_word(reader.read(text).front().text));
    }
}
