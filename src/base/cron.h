// When something is to happen again and again: cron expressions, as crontab(5) of Vixie cron reads them, in
// UTC, where no hour is missing or comes twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace quarry {

// A value: parse once, ask from many threads.
class CronExpression {
public:
    // Five fields: minute, hour, day of the month, month, day of the week. Each is `*`, a number, a range
    // `1-5`, any of them with a step `*/15`, or a list of these with commas. Months and days have English
    // names of three letters too (JAN, mon); Sunday is 0 and 7. If both day fields are restricted, a day that
    // satisfies either counts; a field that begins with `*` is not restricted.
    //
    // Also "@hourly", "@daily" (or "@midnight"), "@weekly", "@monthly", "@yearly" (or "@annually"), and
    // "@every 90m": every so long, counted from the time that is asked about, at least a second. Fails with
    // `invalid_argument` and a sentence that names the field.
    static Result<CronExpression> parse(std::string_view text);

    // The first moment after `time` that the expression names; nothing if there is none, as for the 30th of
    // February. Looks at no more days than a Gregorian leap-year cycle needs.
    std::optional<Timestamp> next_after(Timestamp time) const;

private:
    bool names_day(std::chrono::sys_days day) const;
    std::optional<std::chrono::minutes> first_minute_from(std::chrono::minutes minute_of_day) const;

    std::chrono::milliseconds every_{0};  // not 0: nothing else counts
    // Bit n: the value n is named.
    std::uint64_t minutes_ = 0;
    std::uint32_t hours_ = 0, days_ = 0, weekdays_ = 0;
    std::uint16_t months_ = 0;
    bool either_day_ = false;  // both day fields are restricted: one of them suffices
};

}  // namespace quarry
