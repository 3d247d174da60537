// What UTS #46 maps differently since Unicode 16, for an ICU that is older: Debian 12 brings ICU 72 with the
// tables of Unicode 15, browsers bring newer ones, and a host must mean to us what it means to them. Once ICU
// is 76 or newer this file can go.
#include "url/host.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/idna.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include "base/ascii.h"
#include "url/percent.h"

namespace quarry::url {

// The domain (UTF-8) with those characters mapped or left out; all others are ICU's to judge. Characters that
// Unicode 16 and 17 added remain unknown.
std::string with_newer_mappings(std::string_view domain);

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

namespace {

constexpr std::size_t max_input_bytes = 4096;

// The standard sets CheckHyphens, VerifyDnsLength and UseSTD3ASCIIRules to false. ICU has a switch only for
// the last and reports the others as these errors.
constexpr std::uint32_t tolerated_errors = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                                           UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                                           UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

// ICU's object is immutable and may be shared by threads; making it loads tables, so it is made once.
const icu::IDNA* shared_idna() {
    static const std::unique_ptr<icu::IDNA> idna = [] {
        UErrorCode status = U_ZERO_ERROR;
        return std::unique_ptr<icu::IDNA>(icu::IDNA::createUTS46Instance(
            UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII, status));
    }();
    return idna.get();
}

}  // namespace

Result<std::string> domain_to_ascii(std::string_view domain) {
    if (domain.size() > max_input_bytes) {
        return fail(ErrorCode::invalid_argument, "the domain is longer than any DNS name");
    }
    const icu::IDNA* idna = shared_idna();
    if (idna == nullptr) return fail(ErrorCode::unavailable, "ICU's domain name tables cannot be loaded");

    const std::string mapped = with_newer_mappings(domain);
    std::string ascii;
    icu::StringByteSink<std::string> sink(&ascii);
    icu::IDNAInfo info;
    UErrorCode status = U_ZERO_ERROR;
    idna->nameToASCII_UTF8({mapped.data(), static_cast<std::int32_t>(mapped.size())}, sink, info, status);
    if (U_FAILURE(status) || (info.getErrors() & ~tolerated_errors) != 0) {
        return fail(ErrorCode::invalid_argument, "the domain has characters that no domain name may have");
    }
    return ascii;
}

std::string to_valid_utf8(std::string_view text) {
    std::string valid;
    icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())}).toUTF8String(valid);
    return valid;
}

namespace {

enum HostByte : std::uint8_t {
    forbidden_in_host = 1,
    forbidden_in_domain = 2,
    needs_work = 4,  // a domain with such a byte is not its own serialisation
};

constexpr std::array<std::uint8_t, 256> build_host_bytes() {
    std::array<std::uint8_t, 256> table{};
    for (unsigned b = 0; b < 256; ++b) {
        if (b <= 0x20 || b == 0x7F) table[b] = forbidden_in_domain | needs_work;
        if (b >= 0x80 || (b >= 'A' && b <= 'Z')) table[b] = needs_work;
    }
    for (const char c : std::string_view("\0\t\n\r #/:<>?@[\\]^|", 17)) {
        table[static_cast<unsigned char>(c)] = forbidden_in_host | forbidden_in_domain | needs_work;
    }
    table['%'] = forbidden_in_domain | needs_work;
    return table;
}

constexpr auto host_bytes = build_host_bytes();

// The union of all bytes' classes: one pass decides which road a host takes.
std::uint8_t classes_of(std::string_view host) {
    std::uint8_t classes = 0;
    for (const char c : host) classes |= host_bytes[static_cast<unsigned char>(c)];
    return classes;
}

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::unexpected<Error> invalid_host(const char* reason) {
    return fail(ErrorCode::invalid_argument, reason);
}

Result<void> append_ipv6(std::string_view input, std::string& out) {
    if (!input.ends_with(']')) return invalid_host("the host has no closing ']'");
    const auto address = parse_ipv6(input.substr(1, input.size() - 2));
    if (!address) return invalid_host("the host is not an IPv6 address");
    out += '[';
    out += to_string(*address);
    out += ']';
    return {};
}

// The text of `host` is final; what is left is to see whether it is a number in disguise.
Result<void> append_domain_or_ipv4(std::string_view host, std::string& out) {
    if (!ends_in_number(host)) {
        out += host;
        return {};
    }
    const auto address = parse_ipv4(host);
    if (!address) return invalid_host("the host ends in a number but is not an IPv4 address");
    out += to_string(*address);
    return {};
}

// ASCII domains are only lowered, even when a label begins with "xn--" and is not valid punycode: that is
// what the standard settled on, because sites with such names exist (whatwg/url pull request 914).
Result<std::string> to_ascii(std::string decoded) {
    if (!is_ascii(decoded)) return domain_to_ascii(decoded);
    for (char& c : decoded) {
        if (c >= 'A' && c <= 'Z') c |= 0x20;
    }
    return decoded;
}

Result<void> append_domain(std::string_view input, std::string& out) {
    if ((classes_of(input) & needs_work) == 0) return append_domain_or_ipv4(input, out);
    const std::string domain = TRY(to_ascii(percent_decoded(input)));
    if (domain.empty()) return invalid_host("the host is empty");
    if (classes_of(domain) & forbidden_in_domain) return invalid_host("the host has a forbidden character");
    return append_domain_or_ipv4(domain, out);
}

}  // namespace

Result<void> append_host(std::string_view input, HostRules rules, std::string& out) {
    if (input.starts_with('[')) return append_ipv6(input, out);
    if (rules == HostRules::domain) return append_domain(input, out);
    if (classes_of(input) & forbidden_in_host) return invalid_host("the host has a forbidden character");
    append_encoded(input, EncodeSet::control, out);
    return {};
}

namespace {

// Characters first..last become first + offset and so on, or nothing.
struct Range {
    char32_t first, last;
    char32_t first_target;  // 0: left out
};

constexpr Range newer_mappings[] = {
    {0x04C0, 0x04C0, 0x04CF},    // palochka
    {0x10A0, 0x10C5, 0x2D00},    // Georgian capitals
    {0x115F, 0x1160, 0},         // Hangul fillers
    {0x17B4, 0x17B5, 0},         // Khmer inherent vowels
    {0x180E, 0x180E, 0},         // Mongolian vowel separator
    {0x1E9E, 0x1E9E, 0x00DF},    // capital sharp s: to ß, no longer to ss
    {0x206A, 0x206F, 0},         // deprecated format characters
    {0x2132, 0x2132, 0x214E},    // turned F
    {0x2183, 0x2183, 0x2184},    // reversed C
    {0x3164, 0x3164, 0},         // Hangul filler
    {0xFFA0, 0xFFA0, 0},         // halfwidth Hangul filler
    {0x1D173, 0x1D17A, 0},       // musical beams and slurs
    {0x2F868, 0x2F868, 0x36FC},  // CJK compatibility ideographs whose first mappings were errors
    {0x2F874, 0x2F874, 0x5F53}, {0x2F91F, 0x2F91F, 0x243AB},
    {0x2F95F, 0x2F95F, 0x7AEE}, {0x2F9BF, 0x2F9BF, 0x45D7},
};

const Range* find_mapping(char32_t character) {
    for (const Range& range : newer_mappings) {
        if (character >= range.first && character <= range.last) return &range;
    }
    return nullptr;
}

void append_utf8(char32_t character, std::string& out) {
    char buffer[U8_MAX_LENGTH];
    std::int32_t size = 0;
    U8_APPEND_UNSAFE(buffer, size, character);
    out.append(buffer, static_cast<std::size_t>(size));
}

}  // namespace

std::string with_newer_mappings(std::string_view domain) {
    std::string mapped;
    const auto size = static_cast<std::int32_t>(domain.size());
    for (std::int32_t at = 0; at < size;) {
        const std::int32_t start = at;
        UChar32 character = 0;
        U8_NEXT(domain.data(), at, size, character);  // NOLINT: ICU's macro
        const Range* range = character < 0 ? nullptr : find_mapping(static_cast<char32_t>(character));
        if (range == nullptr) {
            mapped += domain.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(at - start));
        } else if (range->first_target != 0) {
            append_utf8(range->first_target + (static_cast<char32_t>(character) - range->first), mapped);
        }
    }
    return mapped;
}

}  // namespace quarry::url
