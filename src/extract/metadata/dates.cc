// The text is cut into numbers, words and signs; then each piece finds its place in the date by its shape and
// its neighbours. No form is tried twice, so the time is linear whatever the text.
#include "extract/metadata/dates.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "base/ascii.h"
#include "extract/metadata/date_pieces.h"
#include "extract/metadata/moment.h"
#include "extract/metadata/month_names.h"
#include "extract/one_line.h"

namespace quarry::extract {

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

}  // namespace quarry::extract
