// A date cut into numbers, words and signs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

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

}  // namespace quarry::extract
