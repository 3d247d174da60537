#include "url/host.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"
#include "url/percent.h"

namespace quarry::url {

namespace {

// One dotted part: decimal, 0-prefixed octal or 0x-prefixed hexadecimal ("0x" alone is zero). Values beyond
// 32 bits are held at that bound, which every caller refuses, so a million digits cannot overflow.
std::optional<std::uint64_t> parse_ipv4_part(std::string_view part) {
    if (part.empty()) return std::nullopt;
    int base = 10;
    if (part.size() >= 2 && part[0] == '0') {
        base = (part[1] | 0x20) == 'x' ? 16 : 8;
        part.remove_prefix(base == 16 ? 2 : 1);
    }
    constexpr std::uint64_t beyond = std::uint64_t{1} << 32;
    std::uint64_t value = 0;
    for (const char c : part) {
        const int digit = hex_digit(c);
        if (digit < 0 || digit >= base) return std::nullopt;
        value = std::min(value * base + digit, beyond);
    }
    return value;
}

// A cursor over the text of an IPv6 address and the eight 16-bit pieces read so far.
class Ipv6Reader {
public:
    explicit Ipv6Reader(std::string_view text) : text_(text) {}

    std::optional<Ipv6> read() {
        if (peek() == ':') {
            if (peek(1) != ':') return std::nullopt;
            position_ = 2;
            compress_at_ = count_ = 1;
        }
        while (position_ < text_.size()) {
            if (!read_piece()) return std::nullopt;
        }
        if (compress_at_ < 0 && count_ != 8) return std::nullopt;
        return address();
    }

private:
    char peek(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }

    // Reads one piece and the ':' behind it, or the "::", or the trailing IPv4 address.
    bool read_piece() {
        if (count_ == 8) return false;
        if (peek() == ':') {
            if (compress_at_ >= 0) return false;
            ++position_;
            compress_at_ = ++count_;
            return true;
        }
        const std::size_t start = position_;
        unsigned value = 0;
        while (position_ - start < 4 && hex_digit(peek()) >= 0) {
            value = value * 16 + static_cast<unsigned>(hex_digit(peek()));
            ++position_;
        }
        if (peek() == '.' && position_ > start) {
            position_ = start;
            return read_ipv4_tail();
        }
        pieces_[count_++] = static_cast<std::uint16_t>(value);
        if (position_ == text_.size()) return true;
        return text_[position_++] == ':' && position_ < text_.size();
    }

    // Strict dotted decimal, four parts without leading zeros, as the last 32 bits.
    bool read_ipv4_tail() {
        if (count_ > 6) return false;
        std::uint32_t address = 0;
        for (int part = 0; part < 4; ++part) {
            if (part > 0 && peek() != '.') return false;
            if (part > 0) ++position_;
            if (!is_ascii_digit(peek())) return false;
            unsigned value = 0;
            for (int digits = 0; is_ascii_digit(peek()); ++digits) {
                if (digits > 0 && value == 0) return false;
                value = value * 10 + (text_[position_++] - '0');
                if (value > 255) return false;
            }
            address = address << 8 | value;
        }
        pieces_[count_++] = static_cast<std::uint16_t>(address >> 16);
        pieces_[count_++] = static_cast<std::uint16_t>(address);
        return position_ == text_.size();
    }

    // Moves what follows the "::" to the end; zeros fill the gap.
    Ipv6 address() {
        if (compress_at_ >= 0) {
            const auto tail = pieces_.begin() + compress_at_;
            std::rotate(tail, pieces_.begin() + count_, pieces_.end());
        }
        Ipv6 result;
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            result.bytes[2 * i] = static_cast<std::uint8_t>(pieces_[i] >> 8);
            result.bytes[2 * i + 1] = static_cast<std::uint8_t>(pieces_[i]);
        }
        return result;
    }

    std::string_view text_;
    std::size_t position_ = 0;
    std::array<std::uint16_t, 8> pieces_{};
    int count_ = 0;
    int compress_at_ = -1;  // the piece behind the "::", which itself stands for at least one piece
};

struct Run {
    int start = 0;
    int length = 0;
};

// The first longest run of zero pieces: what "::" will stand for.
Run longest_zero_run(const std::array<std::uint16_t, 8>& pieces) {
    Run best, current;
    for (int i = 0; i < 8; ++i) {
        if (pieces[i] != 0) {
            current = {i + 1, 0};
            continue;
        }
        ++current.length;
        if (current.length > best.length) best = current;
    }
    return best;
}

}  // namespace

bool ends_in_number(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    const std::string_view last = host.substr(host.rfind('.') + 1);
    if (last.empty()) return false;
    if (std::ranges::all_of(last, is_ascii_digit)) return true;
    return last.size() >= 2 && last[0] == '0' && (last[1] | 0x20) == 'x' && parse_ipv4_part(last).has_value();
}

std::optional<Ipv4> parse_ipv4(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    std::uint64_t address = 0;
    for (int count = 1; count <= 4; ++count) {
        const std::size_t dot = host.find('.');
        const auto part = parse_ipv4_part(host.substr(0, dot));
        if (!part) return std::nullopt;
        if (dot == std::string_view::npos) {
            // The last part fills all the bytes that are left: "127.1" is 127.0.0.1.
            const int bits = 8 * (5 - count);
            if (*part >> bits != 0) return std::nullopt;
            return Ipv4{static_cast<std::uint32_t>(address << bits | *part)};
        }
        if (*part > 255) return std::nullopt;
        address = address << 8 | *part;
        host.remove_prefix(dot + 1);
    }
    return std::nullopt;
}

std::optional<Ipv6> parse_ipv6(std::string_view text) {
    return Ipv6Reader(text).read();
}

std::string to_string(Ipv4 address) {
    const std::uint32_t v = address.value;
    return fmt::format("{}.{}.{}.{}", v >> 24, v >> 16 & 255, v >> 8 & 255, v & 255);
}

std::string to_string(const Ipv6& address) {
    std::array<std::uint16_t, 8> pieces;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        pieces[i] = static_cast<std::uint16_t>(address.bytes[2 * i] << 8 | address.bytes[2 * i + 1]);
    }
    const Run zeros = longest_zero_run(pieces);
    std::string text;
    for (int i = 0; i < 8; ++i) {
        if (zeros.length > 1 && i == zeros.start) {
            text += i == 0 ? "::" : ":";
            i += zeros.length - 1;
            continue;
        }
        fmt::format_to(std::back_inserter(text), "{:x}", pieces[i]);
        if (i < 7) text += ':';
    }
    return text;
}

}  // namespace quarry::url
