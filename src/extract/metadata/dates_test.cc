#include "extract/metadata/dates.h"

#include <doctest/doctest.h>

using quarry::extract::iso_date;

namespace {

struct Row {
    const char* input;
    const char* expected;  // "" if it must not be read
    const char* reason;
};

}  // namespace

TEST_CASE("dates are read from the forms that pages use") {
    const Row rows[] = {
        {"2024-03-05", "2024-03-05", "ISO date"},
        {"2024-03-05T10:20:30Z", "2024-03-05T10:20:30Z", "ISO with time"},
        {"2024-03-05T10:20Z", "2024-03-05T10:20:00Z", "no seconds"},
        {"2024-03-05T10:20:30.123456+01:00", "2024-03-05T10:20:30+01:00", "fraction and offset"},
        {"2024-03-05T10:20:30-0530", "2024-03-05T10:20:30-05:30", "offset without colon"},
        {"2024-03-05T10:20:30+00:00", "2024-03-05T10:20:30Z", "offset zero is Z"},
        {"2024-03-05T10:20:30+02", "2024-03-05T10:20:30+02:00", "offset of hours"},
        {"2024-03-05T10:20:30", "2024-03-05T10:20:30", "a time without zone stays without"},
        {"2024-03-05 10:20:30 +0200", "2024-03-05T10:20:30+02:00", "space for T"},
        {"2024-03-05 10:20:30 UTC", "2024-03-05T10:20:30Z", "named zone"},
        {"  2024-03-05\n ", "2024-03-05", "white space around"},
        {"2024-03", "2024-03", "month"},
        {"2024", "2024", "year"},
        {"20240305", "2024-03-05", "compact"},
        {"20240305T102030Z", "2024-03-05T10:20:30Z", "compact with time"},
        {"20240305102030", "2024-03-05T10:20:30", "compact without T"},
        {"2024/3/5", "2024-03-05", "slashes, year first"},
        {"2024. 3. 5.", "2024-03-05", "Korean and Hungarian dots"},
        {"2024年3月5日", "2024-03-05", "Japanese and Chinese"},
        {"2024年3月5日 10:20", "2024-03-05T10:20:00", "with time"},
        {"2024-Mar-05", "2024-03-05", "month by name"},
        {"Tue, 05 Mar 2024 10:20:30 GMT", "2024-03-05T10:20:30Z", "HTTP and mail"},
        {"Tue, 5 Mar 2024 10:20:30 -0800", "2024-03-05T10:20:30-08:00", "mail with offset"},
        {"05 Mar 2024 10:20:30 EST", "2024-03-05T10:20:30-05:00", "American zone"},
        {"Tue Mar  5 10:20:30 2024", "2024-03-05T10:20:30", "the C library"},
        {"Tue Mar 05 2024 10:20:30 GMT+0100 (CET)", "2024-03-05T10:20:30+01:00", "JavaScript"},
        {"March 5, 2024", "2024-03-05", "American"},
        {"Mar. 5th, 2024", "2024-03-05", "ordinal and abbreviation"},
        {"March 5, 2024 at 10:20 PM", "2024-03-05T22:20:00", "afternoon"},
        {"March 5, 2024 12:05 a.m.", "2024-03-05T00:05:00", "midnight is 12 am"},
        {"March 5, 2024 3 pm", "2024-03-05T15:00:00", "hour alone"},
        {"March 2024", "2024-03", "month and year"},
        {"5 March 2024", "2024-03-05", "British"},
        {"5-Mar-2024", "2024-03-05", "dashes around a name"},
        {"5th of March, 2024", "2024-03-05", "of"},
        {"Published on 5 March 2024", "2024-03-05", "words before it"},
        {"Updated: March 5, 2024", "2024-03-05", "a label before it"},
        {"5. März 2024", "2024-03-05", "German"},
        {"5. März 2024, 10:20 Uhr", "2024-03-05T10:20:00", "German with time"},
        {"mardi 5 mars 2024", "2024-03-05", "French"},
        {"1er août 2024", "2024-08-01", "French first"},
        {"5 de marzo de 2024", "2024-03-05", "Spanish"},
        {"5 de março de 2024", "2024-03-05", "Portuguese"},
        {"5 maart 2024", "2024-03-05", "Dutch"},
        {"5 marca 2024", "2024-03-05", "Polish"},
        {"5 марта 2024", "2024-03-05", "Russian"},
        {"05.03.2024", "2024-03-05", "dots put the day first"},
        {"05.03.2024 10:20", "2024-03-05T10:20:00", "dots with time"},
        {"25/12/2024", "2024-12-25", "only one reading"},
        {"12/25/2024", "2024-12-25", "only one reading"},
        {"03/03/2024", "2024-03-03", "both readings agree"},
        {"1709634030", "2024-03-05T10:20:30Z", "seconds since 1970"},
        {"1709634030123", "2024-03-05T10:20:30Z", "milliseconds since 1970"},
        {"2024-02-29", "2024-02-29", "leap day"},
        {"2024-03-05T23:59:60Z", "2024-03-05T23:59:60Z", "leap second"},
        {"2024-03-05 and more words", "2024-03-05", "what follows is not a time"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.input);
        CAPTURE(row.reason);
        CHECK(iso_date(row.input).value_or("") == row.expected);
    }
}

TEST_CASE("what is no date, or could be two, is not read") {
    const Row rows[] = {
        {"", "", "nothing"},
        {"yesterday", "", "a word"},
        {"03/04/2024", "", "March or April"},
        {"2023-02-29", "", "no such day"},
        {"2024-13-01", "", "no such month"},
        {"2024-00-05", "", "no month"},
        {"2024-04-31", "", "no such day"},
        {"2024-03-05T25:00:00Z", "", "no such hour"},
        {"0001-01-01T00:00:00", "", "a default of software"},
        {"20241332", "", "compact nonsense"},
        {"12345", "", "a number"},
        {"March", "", "a month without year"},
        {"5 minutes ago", "", "relative"},
        {"{{ page.date }}", "", "a template"},
        {"https://a.example/2024/03/05", "", "a URL"},
        {"99999999999999999999999", "", "a long number"},
        {"15 reasons 2024", "", "a headline"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.input);
        CAPTURE(row.reason);
        CHECK(iso_date(row.input).value_or("") == row.expected);
    }
}
