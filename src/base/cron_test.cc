#include "base/cron.h"

#include <chrono>
#include <string>

#include <doctest/doctest.h>

using namespace quarry;
using namespace std::chrono;

namespace {

// "2026-02-28 23:59:30", the seconds optional.
Timestamp at(const std::string& text) {
    const auto number = [&](std::size_t from, std::size_t count) {
        return std::stoi(text.substr(from, count));
    };
    const auto day = sys_days(year(number(0, 4)) / number(5, 2) / number(8, 2));
    const seconds rest(text.size() > 16 ? number(17, 2) : 0);
    return Timestamp(day + hours(number(11, 2)) + minutes(number(14, 2)) + rest);
}

struct Row {
    const char *expression, *after, *next, *why;
};

}  // namespace

TEST_CASE("an expression names its next moment") {
    // The 16th of November 2026 is a Monday.
    const Row rows[] = {
        {"* * * * *", "2026-11-16 10:20", "2026-11-16 10:21", "every minute, never the same one again"},
        {"* * * * *", "2026-11-16 10:20:59", "2026-11-16 10:21", "seconds are passed over"},
        {"30 4 * * *", "2026-11-16 04:29", "2026-11-16 04:30", "later the same day"},
        {"30 4 * * *", "2026-11-16 04:30", "2026-11-17 04:30", "tomorrow"},
        {"*/15 * * * *", "2026-11-16 10:46", "2026-11-16 11:00", "steps begin at the lowest value"},
        {"5/20 * * * *", "2026-11-16 10:26", "2026-11-16 10:45", "a step from a number goes on to the end"},
        {"10-20/5 * * * *", "2026-11-16 10:20", "2026-11-16 11:10", "a range with a step"},
        {"1,2,50-52 * * * *", "2026-11-16 10:02", "2026-11-16 10:50", "a list of numbers and ranges"},
        {"0 9-17 * * MON-FRI", "2026-11-20 17:00", "2026-11-23 09:00", "over the weekend"},
        {"0 0 * * 7", "2026-11-16 00:00", "2026-11-22 00:00", "7 is Sunday"},
        {"0 0 * * sun", "2026-11-16 00:00", "2026-11-22 00:00", "names in any letter case"},
        {"0 0 * * 5-7", "2026-11-21 12:00", "2026-11-22 00:00", "a range up to the second Sunday"},
        {"0 0 1 jan *", "2026-11-16 00:00", "2027-01-01 00:00", "a month by name"},
        {"0 0 31 * *", "2026-02-01 00:00", "2026-03-31 00:00", "months without a 31st are passed over"},
        {"59 23 31 12 *", "2026-12-31 23:59", "2027-12-31 23:59", "the last minute of a year"},
        {"0 0 29 2 *", "2026-01-01 00:00", "2028-02-29 00:00", "leap years"},
        {"0 0 29 2 *", "2096-03-01 00:00", "2104-02-29 00:00", "1900 and 2100 are none"},
        {"0 0 13 * 5", "2026-11-16 00:00", "2026-11-20 00:00", "either day: the Friday comes first"},
        {"0 0 18 * 5", "2026-11-16 00:00", "2026-11-18 00:00", "either day: the date comes first"},
        {"0 0 */2 * 1", "2026-11-16 00:00", "2026-11-23 00:00", "a star with a step is no restriction: both"},
        {"0 0 13 * *", "2026-11-16 00:00", "2026-12-13 00:00", "the day of the month alone"},
        {"@hourly", "2026-11-16 10:20", "2026-11-16 11:00", ""},
        {"@daily", "2026-12-31 10:20", "2027-01-01 00:00", ""},
        {"@midnight", "2026-12-31 10:20", "2027-01-01 00:00", ""},
        {"@weekly", "2026-11-16 10:20", "2026-11-22 00:00", ""},
        {"@MONTHLY", "2026-11-16 10:20", "2026-12-01 00:00", ""},
        {"@yearly", "2026-11-16 10:20", "2027-01-01 00:00", ""},
        {"@every 90m", "2026-11-16 10:20:30", "2026-11-16 11:50:30", "counted from the moment asked about"},
        {"  0\t3  * * * ", "2026-11-16 10:20", "2026-11-17 03:00", "any white space between fields"},
        {"* * * * *", "1969-12-31 23:59", "1970-01-01 00:00", "before the epoch as well"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.expression));
        CAPTURE(std::string(row.why));
        const auto expression = CronExpression::parse(row.expression);
        REQUIRE(expression);

        const auto next = expression->next_after(at(row.after));

        REQUIRE(next);
        CHECK(*next == at(row.next));
    }
}

TEST_CASE("a date that never comes has no next moment") {
    for (const char* text : {"0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 30-31 FEB *"}) {
        CAPTURE(std::string(text));
        CHECK_FALSE(CronExpression::parse(text).value().next_after(at("2026-11-16 00:00")));
    }
}

TEST_CASE("the rarest date is found: the 29th of February on one day of the week, around 2100") {
    // A star with a step leaves the weekday unrestricted for the "or" rule: both must hold.
    const auto leap_sunday = CronExpression::parse("0 0 29 2 */7").value();

    CHECK(*leap_sunday.next_after(at("2088-03-01 00:00")) == at("2128-02-29 00:00"));
}

TEST_CASE("what is no cron expression is refused in a sentence that names the field") {
    struct Wrong {
        const char *text, *part;
    };
    const Wrong rows[] = {
        {"", "five fields"},
        {"* * * *", "five fields"},
        {"* * * * * *", "five fields"},
        {"@fortnightly", "five fields"},
        {"60 * * * *", "no minute"},
        {"-1 * * * *", "no minute"},
        {"* 24 * * *", "no hour"},
        {"* * 0 * *", "no day of the month"},
        {"* * 32 * *", "no day of the month"},
        {"* * * 13 *", "no month"},
        {"* * * january *", "no month"},
        {"* * * mon *", "no month"},
        {"* * * * 8", "no day of the week"},
        {"*/0 * * * *", "no minute"},
        {"*/ * * * *", "no minute"},
        {"30-10 * * * *", "no minute"},
        {"1,,2 * * * *", "no minute"},
        {"1, * * * *", "no minute"},
        {"1-2-3 * * * *", "no minute"},
        {"1.5 * * * *", "no minute"},
        {"99999999999999999999 * * * *", "no minute"},
        {"@every", "five fields"},
        {"@every soon", "not a duration"},
        {"@every 10ms", "at least a second"},
    };
    for (const Wrong& row : rows) {
        CAPTURE(std::string(row.text));
        const auto expression = CronExpression::parse(row.text);
        REQUIRE_FALSE(expression);
        CHECK(expression.error().code == ErrorCode::invalid_argument);
        CHECK(expression.error().message.find(row.part) != std::string::npos);
    }
}
