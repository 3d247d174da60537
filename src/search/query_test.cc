#include "search/query.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::search;
using Strings = std::vector<std::string>;

namespace {

Query parsed(std::string_view typed, Syntax syntax = Syntax::typed) {
    text::TermReader reader;
    auto query = parse_query(typed, syntax, reader);
    REQUIRE(query);
    return *std::move(query);
}

Strings words(const Query& query) {
    Strings terms;
    for (const auto& word : query.keywords.words) terms.push_back(word.term);
    return terms;
}

float weight(const Query& query, std::string_view term) {
    const auto& all = query.keywords.words;
    const auto word = std::ranges::find(all, term, &index::KeywordQuery::Word::term);
    return word == all.end() ? 0 : word->weight;
}

TEST_CASE("a phrase with a hyphen asks for its words one after the other, not for them written as one") {
    text::TermReader reader;

    const Query with = parse_query("\"a non-linear system\"", Syntax::typed, reader).value();
    const Query without = parse_query("\"a non linear system\"", Syntax::typed, reader).value();

    CHECK(with.phrases == without.phrases);
    CHECK(with.keywords.required == without.keywords.required);
}

}  // namespace

TEST_CASE("words become terms, as those of a text do") {
    const Query query = parsed("Installing  packages");

    CHECK(words(query) == Strings{"instal", "packag"});
    CHECK(query.text == "Installing packages");
    CHECK_FALSE(query.needs_text());
}

TEST_CASE("stop words are left out unless nothing else is left") {
    CHECK(words(parsed("how to install the package")) == Strings{"instal", "packag"});
    CHECK(words(parsed("to be or not to be")).size() >= 3);
}

TEST_CASE("a repeated word weighs more") {
    const Query query = parsed("limits of the limit, limited rate");

    CHECK(weight(query, "limit") == 3);
    CHECK(weight(query, "rate") == 1);
}

TEST_CASE("an identifier asks for itself, and more weakly for its parts") {
    const Query query = parsed("std::vector");

    CHECK(weight(query, "std::vector") == 1);
    CHECK(weight(query, "vector") > 0);
    CHECK(weight(query, "vector") < 1);
    CHECK(weight(query, "std") > 0);
}

TEST_CASE("a phrase is scored by its words, required by the index, and verified by its text") {
    const Query query = parsed("\"the rate limits\" api");

    CHECK(words(query) == Strings{"rate", "limit", "api"});
    CHECK(query.keywords.required == Strings{"rate", "limit"});
    REQUIRE(query.phrases.size() == 1);
    CHECK(query.phrases[0] == TermSequence{"the", "rate", "limit"});
    CHECK(query.text == "the rate limits api");
}

TEST_CASE("a phrase of one word needs no text: the index knows if it is there") {
    const Query query = parsed("\"limit\" api");

    CHECK(query.keywords.required == Strings{"limit"});
    CHECK_FALSE(query.needs_text());
}

TEST_CASE("a phrase is compared by the parts of its identifiers") {
    const Query query = parsed("\"std::vector of\"");

    CHECK(query.phrases.at(0) == TermSequence{"std", "vector", "of"});
    CHECK(std::ranges::count(query.keywords.required, "std::vector") == 1);
}

TEST_CASE("what is excluded is neither scored nor embedded") {
    const Query query = parsed("jaguar -cars -\"sports club\" -foo_bar");

    CHECK(words(query) == Strings{"jaguar"});
    CHECK(query.text == "jaguar");
    CHECK(query.keywords.excluded == Strings{"car", "foo_bar"});
    REQUIRE(query.excluded.size() == 1);
    CHECK(query.excluded[0] == TermSequence{"sport", "club"});
}

TEST_CASE("a query that only excludes asks for what it names") {
    const Query query = parsed("-Wall");

    CHECK(weight(query, "wall") > 0);
    CHECK(query.keywords.excluded.empty());
}

TEST_CASE("operators narrow and are not searched for") {
    const Query query = parsed("install site:Docs.Example.com path:/guide lang:DE");

    CHECK(words(query) == Strings{"instal"});
    CHECK(query.text == "install");
    CHECK(query.filter.host == "docs.example.com");
    CHECK(query.filter.path_prefix == "/guide");
    CHECK(query.filter.language == "de");
}

TEST_CASE("a plain text has no operators") {
    const Query query = parsed("the \"virtual mass\" -dash site:a.example", Syntax::plain);

    CHECK(query.keywords.required.empty());
    CHECK(query.keywords.excluded.empty());
    CHECK(query.phrases.empty());
    CHECK(query.filter.host == "");
    CHECK(weight(query, "virtual") == 1);
    CHECK(weight(query, "dash") > 0);
}

TEST_CASE("a query without a word is refused") {
    text::TermReader reader;
    for (const char* typed : {"", "   ", "?!", "\"", "\"\"", "-", "site:a.example"}) {
        CAPTURE(typed);
        const auto query = parse_query(typed, Syntax::typed, reader);
        REQUIRE_FALSE(query);
        CHECK(query.error().code == ErrorCode::invalid_argument);
    }
}

TEST_CASE("a query is read up to a limit") {
    std::string long_query;
    for (int i = 0; i < 100'000; ++i) long_query += "w" + std::to_string(i) + " é";

    const Query query = parsed(long_query);

    CHECK(query.keywords.words.size() == 256);
    CHECK(query.text.size() <= 8 * 1024);
}

TEST_CASE("a site may be given as it is copied from a browser") {
    struct Row {
        const char *site, *host, *path;
    };
    const Row rows[] = {
        {"example.com", "example.com", ""},
        {"Example.COM", "example.com", ""},
        {"https://example.com", "example.com", ""},
        {"https://example.com/", "example.com", ""},
        {"https://example.com/guide/x", "example.com", "/guide/x"},
        {"example.com/guide", "example.com", "/guide"},
        {"*.example.com", "example.com", ""},
        {"localhost:8080", "localhost", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.site);
        index::Filter filter;
        narrow_to_site(filter, row.site);
        CHECK(filter.host == row.host);
        CHECK(filter.path_prefix == row.path);
    }
}

using namespace quarry::search;
using Kind = QueryPiece::Kind;

namespace {

// As it would be typed in its plainest form: one piece per pair of brackets.
std::string written(const QueryPiece& piece) {
    const std::string text = (piece.excluded ? "-" : "") + std::string(piece.text);
    switch (piece.kind) {
        case Kind::word: return "[" + text + "]";
        case Kind::phrase: return "[\"" + text + "\"]";
        case Kind::site: return "[site " + text + "]";
        case Kind::path: return "[path " + text + "]";
        case Kind::language: return "[lang " + text + "]";
    }
    return "";
}

std::string written(std::string_view typed) {
    std::string all;
    for (const QueryPiece& piece : query_pieces(typed)) all += written(piece);
    return all;
}

}  // namespace

TEST_CASE("cutting a query table") {
    struct Row {
        const char *typed, *expected, *why;
    };
    const Row rows[] = {
        {"", "", "nothing"},
        {" \t\n ", "", "only space"},
        {"rate limit", "[rate][limit]", "words"},
        {"\"rate limit\" api", "[\"rate limit\"][api]", "a phrase and a word"},
        {"“rate limit” api", "[\"rate limit\"][api]", "quotes of a word processor"},
        {"„rate limit“ api", "[\"rate limit\"][api]", "German quotes"},
        {"«rate limit» api", "[\"rate limit\"][api]", "French and Russian quotes"},
        {"\"rate limit", "[\"rate limit\"]", "not closed: ends with the text"},
        {"a \"\" b", "[a][b]", "empty quotes"},
        {"a \" ", "[a]", "a quote that opens nothing"},
        {"\"a\"\"b\"", "[\"a\"][\"b\"]", "phrases that touch"},
        {"5\" disk", "[5\"][disk]", "a quote inside a word is none"},
        {"jaguar -car", "[jaguar][-car]", "an excluded word"},
        {"jaguar -\"sports car\"", "[jaguar][\"-sports car\"]", "an excluded phrase"},
        {"e-mail well-known", "[e-mail][well-known]", "a hyphen"},
        {"a - b", "[a][-][b]", "a dash"},
        {"a -", "[a][-]", "a dash at the end"},
        {"error -1", "[error][-1]", "a sign"},
        {"git --amend", "[git][--amend]", "an option"},
        {"site:example.com x", "[site example.com][x]", "a site"},
        {"SITE:Example.com x", "[site Example.com][x]", "whatever the case"},
        {"site: example.com", "[site:][example.com]", "an operator touches its value"},
        {"site::x", "[site::x]", "an identifier"},
        {"path:/guide x", "[path /guide][x]", "a path"},
        {"path:guide x", "[path:guide][x]", "a path begins with a slash"},
        {"lang:de lang:pt-BR", "[lang de][lang pt-BR]", "languages"},
        {"lang:python", "[lang:python]", "no language"},
        {"std::vector<int> foo_bar()", "[std::vector<int>][foo_bar()]", "identifiers stay whole"},
        {"-site:a.example x", "[-a.example][x]", "a site cannot be excluded, only a word"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        CHECK(written(row.typed) == row.expected);
    }
}
