#include "base/cron.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/units.h"

namespace quarry {

namespace {

using namespace std::chrono;

struct Field {
    std::string_view name;
    int low, high;
    std::string_view words;  // three letters each, for the values from first_word on
    int first_word = 0;
};

constexpr std::array fields{
    Field{"minute", 0, 59, ""},
    Field{"hour", 0, 23, ""},
    Field{"day of the month", 1, 31, ""},
    Field{"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec", 1},
    Field{"day of the week", 0, 7, "sunmontuewedthufrisat"},
};

struct Nickname {
    std::string_view name, meaning;
};

constexpr std::array nicknames{
    Nickname{"@hourly", "0 * * * *"},   Nickname{"@daily", "0 0 * * *"},   Nickname{"@midnight", "0 0 * * *"},
    Nickname{"@weekly", "0 0 * * 0"},   Nickname{"@monthly", "0 0 1 * *"}, Nickname{"@yearly", "0 0 1 1 *"},
    Nickname{"@annually", "0 0 1 1 *"},
};

// The 29th of February is at most eight years away (around 2100), and on a given day of the week forty.
constexpr int most_years_ahead = 41;

std::unexpected<Error> wrong(const Field& field, std::string_view item) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is no {} of a cron expression: numbers go from {} to {}", item,
                            field.name, field.low, field.high));
}

Result<int> parse_value(const Field& field, std::string_view text) {
    if (text.size() == 3) {
        for (std::size_t at = 0; at < field.words.size(); at += 3)
            if (equals_ignore_case(field.words.substr(at, 3), text))
                return static_cast<int>(at / 3) + field.first_word;
    }
    const auto value = parse_number(text, field.low, field.high);
    if (!value || !is_ascii_digit(text.front())) return wrong(field, text);
    return static_cast<int>(*value);
}

// One member of the list: "*", "5", "1-5", "*/10", "1-30/5", and "5/10", which means "5-/10" to its end.
Result<std::uint64_t> parse_item(const Field& field, std::string_view item) {
    const std::size_t slash = std::min(item.find('/'), item.size());
    const std::string_view span = item.substr(0, slash);
    int step = 1;
    if (slash < item.size()) {
        const auto number = parse_number(item.substr(slash + 1), 1, field.high);
        if (!number) return wrong(field, item);
        step = static_cast<int>(*number);
    }
    int first = field.low, last = field.high;
    if (span != "*") {
        const std::size_t dash = std::min(span.find('-'), span.size());
        first = TRY(parse_value(field, span.substr(0, dash)));
        if (dash < span.size())
            last = TRY(parse_value(field, span.substr(dash + 1)));
        else if (slash == item.size())
            last = first;
    }
    if (first > last) return wrong(field, item);
    std::uint64_t bits = 0;
    for (int value = first; value <= last; value += step) bits |= std::uint64_t{1} << value;
    return bits;
}

Result<std::uint64_t> parse_field(const Field& field, std::string_view list) {
    std::uint64_t bits = 0;
    while (true) {
        const std::size_t comma = std::min(list.find(','), list.size());
        bits |= TRY(parse_item(field, list.substr(0, comma)));
        if (comma == list.size()) return bits;
        list.remove_prefix(comma + 1);
    }
}

// The words of the text; one more than there are fields if there are too many.
std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (words.size() <= fields.size()) {
        text = trimmed(text);
        if (text.empty()) break;
        const std::size_t end = std::min(text.find_first_of(ascii_white_space), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

Result<milliseconds> parse_every(std::string_view text) {
    const milliseconds every = TRY(parse_duration(trimmed(text)));
    if (every < seconds(1))
        return fail(ErrorCode::invalid_argument,
                    "\"@every\" needs at least a second, for instance \"@every 90m\"");
    return every;
}

template <typename Bits>
bool has(Bits bits, unsigned value) {
    return bits >> value & 1;
}

}  // namespace

Result<CronExpression> CronExpression::parse(std::string_view text) {
    text = trimmed(text);
    CronExpression expression;
    if (constexpr std::string_view every = "@every ";
        equals_ignore_case(text.substr(0, every.size()), every)) {
        expression.every_ = TRY(parse_every(text.substr(every.size())));
        return expression;
    }
    for (const Nickname& nickname : nicknames)
        if (equals_ignore_case(nickname.name, text)) return parse(nickname.meaning);
    const auto words = words_of(text);
    if (words.size() != fields.size())
        return fail(ErrorCode::invalid_argument,
                    "a cron expression has five fields (minute, hour, day, month, day of the week), as in "
                    "\"0 3 * * 1-5\"; \"@daily\" and \"@every 90m\" work too");
    expression.minutes_ = TRY(parse_field(fields[0], words[0]));
    expression.hours_ = static_cast<std::uint32_t>(TRY(parse_field(fields[1], words[1])));
    expression.days_ = static_cast<std::uint32_t>(TRY(parse_field(fields[2], words[2])));
    expression.months_ = static_cast<std::uint16_t>(TRY(parse_field(fields[3], words[3])));
    const std::uint64_t weekdays = TRY(parse_field(fields[4], words[4]));
    expression.weekdays_ = static_cast<std::uint32_t>(weekdays | (weekdays >> 7 & 1));
    expression.either_day_ = !words[2].starts_with('*') && !words[4].starts_with('*');
    return expression;
}

bool CronExpression::names_day(sys_days day) const {
    const bool by_date = has(days_, static_cast<unsigned>(year_month_day(day).day()));
    const bool by_weekday = has(weekdays_, weekday(day).c_encoding());
    return either_day_ ? by_date || by_weekday : by_date && by_weekday;
}

std::optional<minutes> CronExpression::first_minute_from(minutes minute_of_day) const {
    auto hour = static_cast<unsigned>(minute_of_day.count() / 60);
    auto minute = static_cast<unsigned>(minute_of_day.count() % 60);
    for (; hour < 24; ++hour, minute = 0) {
        const std::uint64_t left = minutes_ >> minute;
        if (has(hours_, hour) && left != 0) return minutes(hour * 60 + minute + std::countr_zero(left));
    }
    return std::nullopt;
}

std::optional<Timestamp> CronExpression::next_after(Timestamp time) const {
    if (every_.count() > 0) return time + every_;
    const auto start = floor<minutes>(time) + minutes(1);
    sys_days day = floor<days>(start);
    minutes from = start - day;
    const year last_year = year_month_day(day).year() + years(most_years_ahead);
    while (true) {
        const year_month_day date(day);
        if (date.year() > last_year) return std::nullopt;
        if (!has(months_, static_cast<unsigned>(date.month()))) {
            // Whole months are passed over, so that the longest search looks at a few thousand days.
            day = sys_days((date.year() / date.month() + months(1)) / 1);
        } else {
            const auto minute = names_day(day) ? first_minute_from(from) : std::nullopt;
            if (minute) return Timestamp(day + *minute);
            day += days(1);
        }
        from = minutes(0);
    }
}

}  // namespace quarry
