#include "extract/metadata/date_pieces.h"

#include <algorithm>

#include "base/ascii.h"

namespace quarry::extract {

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

}  // namespace quarry::extract
