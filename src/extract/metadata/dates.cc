// A date cut into numbers, words and signs.
#include "extract/metadata/dates.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "extract/one_line.h"

namespace quarry::extract {

struct DatePiece {
    enum class Kind : std::uint8_t { number, word, sign };
    Kind kind = Kind::sign;
    std::string_view text{};
    std::int64_t value = 0;  // of a number, by its first 15 digits
    bool after_space = false;

    bool is_sign(char sign) const { return kind == Kind::sign && text[0] == sign; }
    bool is_number(std::size_t digits) const { return kind == Kind::number && text.size() == digits; }
    bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
    // 年, 月 and 日 stand directly beside the numbers, where they separate like signs.
    bool is_ideograph() const { return text == "年" || text == "月" || text == "日"; }
};

// The pieces in order; each views the text, which is one line in lower case.
std::vector<DatePiece> cut_date(std::string_view line);

// A point in time as exactly as a page states it.

struct Moment {
    int year = 0;
    int month = 0;  // 0: only the year is known
    int day = 0;    // 0: only the month is known
    int hour = -1;  // -1: only the date is known
    int minute = 0;
    int second = 0;
    std::optional<int> offset_minutes{};  // from UTC
};

// False for days that no calendar has, and for years before 1400 or after 9999, which are defaults of
// software.
bool exists(const Moment& moment);

// In ISO 8601, no more exactly than it is known: "2024", "2024-03", "2024-03-05",
// "2024-03-05T10:20:30+01:00".
std::string to_iso(const Moment& moment);

namespace {

struct NamedNumber {
    std::string_view name;
    int number;
};

// Sorted by name for binary search; the sort order is checked below, while compiling.
// English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian, abbreviations included.
constexpr std::array months{
    NamedNumber{"abr", 4},        NamedNumber{"abril", 4},      NamedNumber{"ago", 8},
    NamedNumber{"agosto", 8},     NamedNumber{"août", 8},       NamedNumber{"apr", 4},
    NamedNumber{"april", 4},      NamedNumber{"aprile", 4},     NamedNumber{"aug", 8},
    NamedNumber{"august", 8},     NamedNumber{"augustus", 8},   NamedNumber{"avr", 4},
    NamedNumber{"avril", 4},      NamedNumber{"czerwca", 6},    NamedNumber{"dec", 12},
    NamedNumber{"december", 12},  NamedNumber{"dez", 12},       NamedNumber{"dezember", 12},
    NamedNumber{"dezembro", 12},  NamedNumber{"dic", 12},       NamedNumber{"dicembre", 12},
    NamedNumber{"diciembre", 12}, NamedNumber{"déc", 12},       NamedNumber{"décembre", 12},
    NamedNumber{"enero", 1},      NamedNumber{"feb", 2},        NamedNumber{"febbraio", 2},
    NamedNumber{"febrero", 2},    NamedNumber{"februar", 2},    NamedNumber{"februari", 2},
    NamedNumber{"february", 2},   NamedNumber{"fev", 2},        NamedNumber{"fevereiro", 2},
    NamedNumber{"févr", 2},       NamedNumber{"février", 2},    NamedNumber{"gennaio", 1},
    NamedNumber{"giugno", 6},     NamedNumber{"grudnia", 12},   NamedNumber{"jan", 1},
    NamedNumber{"janeiro", 1},    NamedNumber{"januar", 1},     NamedNumber{"januari", 1},
    NamedNumber{"january", 1},    NamedNumber{"janv", 1},       NamedNumber{"janvier", 1},
    NamedNumber{"juil", 7},       NamedNumber{"juillet", 7},    NamedNumber{"juin", 6},
    NamedNumber{"jul", 7},        NamedNumber{"julho", 7},      NamedNumber{"juli", 7},
    NamedNumber{"julio", 7},      NamedNumber{"july", 7},       NamedNumber{"jun", 6},
    NamedNumber{"june", 6},       NamedNumber{"junho", 6},      NamedNumber{"juni", 6},
    NamedNumber{"junio", 6},      NamedNumber{"jänner", 1},     NamedNumber{"kwietnia", 4},
    NamedNumber{"lipca", 7},      NamedNumber{"listopada", 11}, NamedNumber{"luglio", 7},
    NamedNumber{"lutego", 2},     NamedNumber{"maart", 3},      NamedNumber{"maggio", 5},
    NamedNumber{"mai", 5},        NamedNumber{"maio", 5},       NamedNumber{"maja", 5},
    NamedNumber{"mar", 3},        NamedNumber{"marca", 3},      NamedNumber{"march", 3},
    NamedNumber{"mars", 3},       NamedNumber{"marzo", 3},      NamedNumber{"março", 3},
    NamedNumber{"may", 5},        NamedNumber{"mayo", 5},       NamedNumber{"mei", 5},
    NamedNumber{"mrt", 3},        NamedNumber{"mär", 3},        NamedNumber{"märz", 3},
    NamedNumber{"nov", 11},       NamedNumber{"november", 11},  NamedNumber{"novembre", 11},
    NamedNumber{"novembro", 11},  NamedNumber{"noviembre", 11}, NamedNumber{"oct", 10},
    NamedNumber{"october", 10},   NamedNumber{"octobre", 10},   NamedNumber{"octubre", 10},
    NamedNumber{"okt", 10},       NamedNumber{"oktober", 10},   NamedNumber{"ottobre", 10},
    NamedNumber{"out", 10},       NamedNumber{"outubro", 10},   NamedNumber{"października", 10},
    NamedNumber{"sep", 9},        NamedNumber{"sept", 9},       NamedNumber{"september", 9},
    NamedNumber{"septembre", 9},  NamedNumber{"septiembre", 9}, NamedNumber{"set", 9},
    NamedNumber{"setembro", 9},   NamedNumber{"settembre", 9},  NamedNumber{"sierpnia", 8},
    NamedNumber{"stycznia", 1},   NamedNumber{"września", 9},   NamedNumber{"августа", 8},
    NamedNumber{"апреля", 4},     NamedNumber{"декабря", 12},   NamedNumber{"июля", 7},
    NamedNumber{"июня", 6},       NamedNumber{"марта", 3},      NamedNumber{"мая", 5},
    NamedNumber{"ноября", 11},    NamedNumber{"октября", 10},   NamedNumber{"сентября", 9},
    NamedNumber{"февраля", 2},    NamedNumber{"января", 1},
};

constexpr std::array zones{
    NamedNumber{"bst", 60},   NamedNumber{"cdt", -300}, NamedNumber{"cest", 120}, NamedNumber{"cet", 60},
    NamedNumber{"cst", -360}, NamedNumber{"edt", -240}, NamedNumber{"eest", 180}, NamedNumber{"eet", 120},
    NamedNumber{"est", -300}, NamedNumber{"gmt", 0},    NamedNumber{"jst", 540},  NamedNumber{"mdt", -360},
    NamedNumber{"msk", 180},  NamedNumber{"mst", -420}, NamedNumber{"pdt", -420}, NamedNumber{"pst", -480},
    NamedNumber{"ut", 0},     NamedNumber{"utc", 0},    NamedNumber{"wet", 0},    NamedNumber{"z", 0},
};

static_assert(std::ranges::is_sorted(months, {}, &NamedNumber::name));
static_assert(std::ranges::is_sorted(zones, {}, &NamedNumber::name));

std::optional<int> number_of(std::span<const NamedNumber> table, std::string_view name) {
    const auto found = std::ranges::lower_bound(table, name, {}, &NamedNumber::name);
    if (found == table.end() || found->name != name) return std::nullopt;
    return found->number;
}

}  // namespace

std::optional<int> month_number(std::string_view name) {
    return number_of(months, name);
}

std::optional<int> zone_offset_minutes(std::string_view name) {
    return number_of(zones, name);
}

// The text is cut into numbers, words and signs; then each piece finds its place in the date by its shape and
// its neighbours. No form is tried twice, so the time is linear whatever the text.

namespace {

// A date with a weekday, a time, a zone and its name in brackets is shorter than this.
constexpr std::size_t max_date_bytes = 120;

// Fills a Moment from the pieces, in reading order.
class DateReader {
public:
    explicit DateReader(std::vector<DatePiece> pieces) : pieces_(std::move(pieces)) {}

    std::optional<Moment> read() {
        if (!read_date()) return std::nullopt;
        if (moment_.day != 0) read_time_and_zone();
        if (!exists(moment_)) return std::nullopt;
        return moment_;
    }

private:
    const DatePiece* peek(std::size_t ahead = 0) const {
        return next_ + ahead < pieces_.size() ? &pieces_[next_ + ahead] : nullptr;
    }
    bool next_is_sign(std::size_t ahead, std::string_view signs) const {
        const DatePiece* piece = peek(ahead);
        return piece != nullptr && piece->kind == DatePiece::Kind::sign &&
               signs.find(piece->text[0]) != std::string_view::npos;
    }

    bool next_is_ideograph() const { return peek() != nullptr && peek()->is_ideograph(); }

    bool read_date() {
        skip_weekday_and_preposition();
        const DatePiece* first = peek();
        if (first == nullptr) return false;
        if (first->kind == DatePiece::Kind::word) return read_month_first();
        if (first->kind != DatePiece::Kind::number) return false;
        if (first->text.size() == 8 || first->text.size() == 14) return read_compact();
        if (first->text.size() == 4) return read_year_first();
        return first->text.size() <= 2 && read_day_first();
    }

    // "Tue,", "published on", "Stand:": words before the date that name no month.
    void skip_weekday_and_preposition() {
        constexpr int most_words = 4;
        for (int words = 0; words < most_words; ++words) {
            const DatePiece* piece = peek();
            if (piece == nullptr || piece->kind != DatePiece::Kind::word || month_number(piece->text)) return;
            ++next_;
            while (next_is_sign(0, ",.:")) ++next_;
        }
    }

    // 20240305, 20240305102030
    bool read_compact() {
        const std::string_view digits = peek()->text;
        const auto number = [&](std::size_t from, std::size_t length) {
            int value = 0;
            for (const char digit : digits.substr(from, length)) value = value * 10 + (digit - '0');
            return value;
        };
        moment_ = {.year = number(0, 4), .month = number(4, 2), .day = number(6, 2)};
        if (moment_.month == 0 || moment_.day == 0) return false;
        ++next_;
        if (digits.size() == 14) {
            moment_.hour = number(8, 2);
            moment_.minute = number(10, 2);
            moment_.second = number(12, 2);
        }
        return true;
    }

    // 2024, 2024-03, 2024/3/5, 2024. 3. 5, 2024年3月5日, 2024 March 5
    bool read_year_first() {
        moment_.year = take_number();
        skip_separator();
        const DatePiece* second = peek();
        if (second == nullptr) return true;
        if (second->kind == DatePiece::Kind::word) {
            const auto month = month_number(second->text);
            if (!month) return false;
            moment_.month = *month;
            ++next_;
        } else if (second->kind == DatePiece::Kind::number && second->text.size() <= 2) {
            moment_.month = take_number();
        } else {
            return false;
        }
        if (moment_.month == 0) return false;
        skip_separator();
        const DatePiece* third = peek();
        if (third == nullptr) return true;
        if (third->kind != DatePiece::Kind::number || third->text.size() > 2) return false;
        moment_.day = take_number();
        if (next_is_sign(0, ".") || next_is_ideograph()) ++next_;
        return moment_.day != 0;
    }

    // March 5, 2024; March 2024; Mar  5 10:20:30 2024
    bool read_month_first() {
        const auto month = month_number(peek()->text);
        if (!month) return false;
        moment_.month = *month;
        ++next_;
        while (next_is_sign(0, ".,-/")) ++next_;
        const DatePiece* number = peek();
        if (number == nullptr || number->kind != DatePiece::Kind::number) return false;
        if (number->text.size() == 4) {
            moment_.year = take_number();
            return peek() == nullptr;
        }
        if (number->text.size() > 2) return false;
        moment_.day = take_number();
        skip_ordinal_and_signs();
        return moment_.day != 0 && read_year_after_day();
    }

    // 5 March 2024; 5. März 2024; 5th of March, 2024; 05.03.2024; 25/12/2024; 12/25/2024
    bool read_day_first() {
        const int first = take_number();
        const bool dotted = next_is_sign(0, ".");
        skip_ordinal_and_signs();
        while (peek() != nullptr && (peek()->is_word("of") || peek()->is_word("de"))) ++next_;
        const DatePiece* second = peek();
        if (second == nullptr) return false;
        if (second->kind == DatePiece::Kind::word) {
            const auto month = month_number(second->text);
            if (!month) return false;
            moment_.month = *month;
            moment_.day = first;
            ++next_;
        } else if (second->kind == DatePiece::Kind::number && second->text.size() <= 2) {
            if (!order_numbers(first, take_number(), dotted)) return false;
        } else {
            return false;
        }
        while (next_is_sign(0, ".,-/") ||
               (peek() != nullptr && (peek()->is_word("de") || peek()->is_word("del")))) {
            ++next_;
        }
        return moment_.day != 0 && read_year_after_day();
    }

    // Dots are written by those who put the day first. Elsewhere only a number over 12 tells which is which.
    bool order_numbers(int first, int second, bool dotted) {
        if (dotted || first > 12) {
            moment_.day = first;
            moment_.month = second;
            return second != 0;
        }
        if (second > 12 || first == second) {
            moment_.month = first;
            moment_.day = second;
            return first != 0;
        }
        return false;
    }

    // The year, or a time and then the year as in the C library's "Mar  5 10:20:30 2024".
    bool read_year_after_day() {
        if (next_is_sign(1, ":")) read_time_and_zone();
        while (next_is_sign(0, ",")) ++next_;
        const DatePiece* year = peek();
        if (year == nullptr || !year->is_number(4)) return false;
        moment_.year = take_number();
        return true;
    }

    void skip_ordinal_and_signs() {
        static constexpr std::array ordinals{
            std::string_view{"st"}, std::string_view{"nd"}, std::string_view{"rd"}, std::string_view{"th"},
            std::string_view{"er"}, std::string_view{"º"},  std::string_view{"ª"}};
        const DatePiece* piece = peek();
        if (piece != nullptr && piece->kind == DatePiece::Kind::word &&
            std::ranges::find(ordinals, piece->text) != ordinals.end()) {
            ++next_;
        }
        while (next_is_sign(0, ".,-/")) ++next_;
    }

    void skip_separator() {
        if (next_is_sign(0, "-/.") || next_is_ideograph()) ++next_;
    }

    // Everything after the date is optional: what is no time ends the reading, and the date stands.
    void read_time_and_zone() {
        if (moment_.hour < 0 && !find_hour()) return;
        if (next_is_sign(0, ".,") && peek(1) != nullptr && peek(1)->kind == DatePiece::Kind::number &&
            !peek(1)->after_space) {
            next_ += 2;  // a fraction of a second
        }
        read_half_day();
        read_zone();
    }

    bool find_hour() {
        // "T", ",", "at", "um", "-" and the like; the hour is the first number with a colon, or four or six
        // digits right after a T.
        const std::size_t start = next_;
        constexpr std::size_t most_pieces = 3;
        while (peek() != nullptr && peek()->kind != DatePiece::Kind::number && next_ < start + most_pieces)
            ++next_;
        const DatePiece* number = peek();
        const bool after_t = next_ == start + 1 && pieces_[start].is_word("t");
        if (number == nullptr || number->kind != DatePiece::Kind::number) return restore(start);
        if (after_t && (number->is_number(6) || number->is_number(4))) return read_compact_time();
        if (number->text.size() > 2) return restore(start);
        if (!next_is_sign(1, ":") && !(peek(1) != nullptr && is_half_day(*peek(1))) && !after_t)
            return restore(start);
        moment_.hour = take_number();
        moment_.minute = take_after_colon();
        moment_.second = take_after_colon();
        return true;
    }

    bool restore(std::size_t start) {
        next_ = start;
        return false;
    }

    bool read_compact_time() {
        const DatePiece& digits = *peek();
        const auto value = static_cast<int>(digits.value);
        const bool has_seconds = digits.text.size() == 6;
        moment_.hour = has_seconds ? value / 10'000 : value / 100;
        moment_.minute = has_seconds ? value / 100 % 100 : value % 100;
        moment_.second = has_seconds ? value % 100 : 0;
        ++next_;
        return true;
    }

    int take_after_colon() {
        const DatePiece* number = peek(1);
        if (!next_is_sign(0, ":") || number == nullptr || !number->is_number(2)) return 0;
        ++next_;
        return take_number();
    }

    static bool is_half_day(const DatePiece& piece) { return piece.is_word("am") || piece.is_word("pm"); }

    void read_half_day() {
        const DatePiece* word = peek();
        if (word == nullptr || word->kind != DatePiece::Kind::word) return;
        // "a.m." arrives as two words and two signs.
        const bool spelt = (word->is_word("a") || word->is_word("p")) && next_is_sign(1, ".") &&
                           peek(2) != nullptr && peek(2)->is_word("m");
        if (!is_half_day(*word) && !spelt) return;
        if (moment_.hour > 12) return;
        const bool is_afternoon = word->text[0] == 'p';
        moment_.hour = moment_.hour % 12 + (is_afternoon ? 12 : 0);
        next_ += spelt ? 3 : 1;
        if (spelt && next_is_sign(0, ".")) ++next_;
    }

    // Z, GMT, EST, +01:00, +0100, +01, GMT+0100
    void read_zone() {
        const DatePiece* piece = peek();
        if (piece == nullptr) return;
        if (piece->kind == DatePiece::Kind::word) {
            const auto offset = zone_offset_minutes(piece->text);
            if (!offset) return;
            moment_.offset_minutes = offset;
            ++next_;
            piece = peek();
        }
        if (piece == nullptr || !(piece->is_sign('+') || piece->is_sign('-'))) return;
        const DatePiece* digits = peek(1);
        if (digits == nullptr || digits->kind != DatePiece::Kind::number) return;
        const int sign = piece->is_sign('-') ? -1 : 1;
        ++next_;
        const bool has_minutes = digits->text.size() == 4;
        const int number = take_number();
        const int hours = has_minutes ? number / 100 : number;
        const int minutes = has_minutes ? number % 100 : take_after_colon();
        if (hours <= 14 && minutes <= 59) moment_.offset_minutes = sign * (hours * 60 + minutes);
    }

    int take_number() { return static_cast<int>(std::min<std::int64_t>(pieces_[next_++].value, 99'999)); }

    std::vector<DatePiece> pieces_;
    std::size_t next_ = 0;
    Moment moment_;
};

// Seconds (10 digits) or milliseconds (13 digits) since 1970, as some content systems put into their tags.
std::optional<std::string> from_unix_time(std::string_view text) {
    if ((text.size() != 10 && text.size() != 13) || !std::ranges::all_of(text, is_ascii_digit))
        return std::nullopt;
    std::int64_t seconds = 0;
    for (const char digit : text.substr(0, 10)) seconds = seconds * 10 + (digit - '0');
    const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    return to_iso({.year = static_cast<int>(date.year()),
                   .month = static_cast<int>(static_cast<unsigned>(date.month())),
                   .day = static_cast<int>(static_cast<unsigned>(date.day())),
                   .hour = static_cast<int>(clock.hours().count()),
                   .minute = static_cast<int>(clock.minutes().count()),
                   .second = static_cast<int>(clock.seconds().count()),
                   .offset_minutes = 0});
}

}  // namespace

std::optional<std::string> iso_date(std::string_view text) {
    const std::string line = lower_case(one_line(text, max_date_bytes));
    if (auto unix_time = from_unix_time(line)) return unix_time;
    const auto moment = DateReader(cut_date(line)).read();
    if (!moment) return std::nullopt;
    return to_iso(*moment);
}

namespace {

bool is_letter(char c) {
    return is_ascii_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t ideograph_bytes(std::string_view text) {
    return text.starts_with("年") || text.starts_with("月") || text.starts_with("日") ? 3 : 0;
}

DatePiece take_piece(std::string_view& text) {
    std::size_t end = 1;
    DatePiece piece;
    if (is_ascii_digit(text[0])) {
        piece.kind = DatePiece::Kind::number;
        while (end < text.size() && is_ascii_digit(text[end])) ++end;
        for (const char digit : text.substr(0, std::min<std::size_t>(end, 15))) {
            piece.value = piece.value * 10 + (digit - '0');
        }
    } else if (const std::size_t ideograph = ideograph_bytes(text); ideograph != 0) {
        end = ideograph;
    } else if (is_letter(text[0])) {
        piece.kind = DatePiece::Kind::word;
        while (end < text.size() && is_letter(text[end]) && ideograph_bytes(text.substr(end)) == 0) ++end;
    }
    piece.text = text.substr(0, end);
    text.remove_prefix(end);
    return piece;
}

}  // namespace

std::vector<DatePiece> cut_date(std::string_view line) {
    std::vector<DatePiece> pieces;
    bool after_space = false;
    while (!line.empty()) {
        if (line[0] == ' ') {
            after_space = true;
            line.remove_prefix(1);
            continue;
        }
        pieces.push_back(take_piece(line));
        pieces.back().after_space = after_space;
        after_space = false;
    }
    return pieces;
}

namespace {

int days_in_month(int year, int month) {
    static constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && is_leap ? 29 : days[static_cast<std::size_t>(month - 1)];
}

}  // namespace

bool exists(const Moment& moment) {
    if (moment.year < 1400 || moment.year > 9999) return false;
    if (moment.month < 0 || moment.month > 12 || moment.day < 0) return false;
    if (moment.month == 0 && moment.day != 0) return false;
    if (moment.month != 0 && moment.day > days_in_month(moment.year, moment.month)) return false;
    return moment.hour <= 23 && moment.minute <= 59 && moment.second <= 60;
}

std::string to_iso(const Moment& moment) {
    if (moment.month == 0) return fmt::format("{:04}", moment.year);
    if (moment.day == 0) return fmt::format("{:04}-{:02}", moment.year, moment.month);
    std::string text = fmt::format("{:04}-{:02}-{:02}", moment.year, moment.month, moment.day);
    if (moment.hour < 0) return text;
    text += fmt::format("T{:02}:{:02}:{:02}", moment.hour, moment.minute, moment.second);
    if (!moment.offset_minutes) return text;
    const int offset = *moment.offset_minutes;
    if (offset == 0) return text + "Z";
    return text +
           fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', std::abs(offset) / 60, std::abs(offset) % 60);
}

}  // namespace quarry::extract
