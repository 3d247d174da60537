#include "search/query_pieces.h"

#include <string>

#include <doctest/doctest.h>

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
