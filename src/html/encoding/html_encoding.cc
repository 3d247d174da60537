#include "html/encoding/encoding.h"

#include <optional>
#include <utility>

#include "html/encoding/encoding_detect.h"
#include "html/encoding/labels.h"
#include "html/encoding/encoding_legacy.h"
#include "html/encoding/encoding_prescan.h"
#include "html/encoding/decoders.h"

namespace quarry::html {
namespace {

// Heads of real pages put scripts and styles before a late <meta charset>; beyond this nobody looks.
constexpr std::size_t late_prescan_bytes = 64 * 1024;

struct Choice {
    Encoding encoding;
    EncodingSource source;
};

struct ByteOrderMark {
    Encoding encoding;
    std::size_t size;
};

std::optional<ByteOrderMark> byte_order_mark(std::string_view bytes) {
    if (bytes.starts_with("\xEF\xBB\xBF")) return ByteOrderMark{Encoding::utf_8, 3};
    if (bytes.starts_with("\xFE\xFF")) return ByteOrderMark{Encoding::utf_16be, 2};
    if (bytes.starts_with("\xFF\xFE")) return ByteOrderMark{Encoding::utf_16le, 2};
    return std::nullopt;
}

std::optional<Choice> declared_in_page(std::string_view bytes) {
    if (const auto encoding = prescan_encoding(bytes.substr(0, standard_prescan_bytes))) {
        return Choice{*encoding, EncodingSource::meta};
    }
    if (bytes.size() <= standard_prescan_bytes) return std::nullopt;
    if (const auto encoding = prescan_encoding(bytes.substr(0, late_prescan_bytes))) {
        return Choice{*encoding, EncodingSource::late_meta};
    }
    return std::nullopt;
}

Choice choose_by_label(std::string_view bytes, std::string_view header) {
    if (const auto encoding = find_encoding(header)) return {*encoding, EncodingSource::header};
    return declared_in_page(bytes).value_or(Choice{Encoding::windows_1252, EncodingSource::fallback});
}

bool is_utf16(Encoding encoding) {
    return encoding == Encoding::utf_16be || encoding == Encoding::utf_16le;
}

// Bytes that a person wrote in a legacy encoding are almost never well-formed UTF-8 by accident. In
// single-byte encodings one such sequence is already a curiosity ("Ã©"); a pair of bytes in GBK passes as
// UTF-8 about one time in eight, so a few are asked for.
bool looks_like_utf8_after_all(const Utf8Census& census, Encoding label) {
    return census.is_valid() && census.sequences >= (is_single_byte(label) ? 1 : 4);
}

std::optional<Encoding> detect(std::string_view bytes, const Utf8Census& census) {
    if (census.is_ascii()) return detect_seven_bit_encoding(bytes);
    return census.invalid > census.sequences ? detect_encoding(bytes) : std::nullopt;
}

Choice choose_without_label(std::string_view bytes, const Utf8Census& census) {
    if (const auto encoding = detect(bytes, census)) return {*encoding, EncodingSource::detected};
    if (census.invalid <= census.sequences) return {Encoding::utf_8, EncodingSource::valid_utf8};
    return {Encoding::windows_1252, EncodingSource::fallback};
}

// What becomes of a label once the bytes are known; nothing if they refute it.
std::optional<Choice> check_label(const Choice& label, std::string_view bytes, const Utf8Census& census) {
    if (label.encoding == Encoding::utf_8) {
        return census.invalid <= census.sequences ? std::optional(label) : std::nullopt;
    }
    if (is_utf16(label.encoding)) return bytes.contains('\0') ? std::optional(label) : std::nullopt;
    if (looks_like_utf8_after_all(census, label.encoding)) {
        return Choice{Encoding::utf_8, EncodingSource::valid_utf8};
    }
    return label;
}

Choice choose_by_evidence(std::string_view bytes, std::string_view header, const Utf8Census& census) {
    if (const auto encoding = find_encoding(header)) {
        if (const auto choice = check_label({*encoding, EncodingSource::header}, bytes, census)) {
            return *choice;
        }
    }
    if (const auto label = declared_in_page(bytes)) {
        if (const auto choice = check_label(*label, bytes, census)) return *choice;
    }
    return choose_without_label(bytes, census);
}

bool is_ascii_superset(Encoding encoding) {
    return !is_utf16(encoding) && encoding != Encoding::iso_2022_jp && encoding != Encoding::replacement;
}

Decoded decode_as(std::string bytes, Choice choice, const Utf8Census& census) {
    Decoded decoded{.encoding = encoding_name(choice.encoding), .source = choice.source};
    if (choice.encoding == Encoding::utf_8 || (census.is_ascii() && is_ascii_superset(choice.encoding))) {
        decoded.had_errors = !census.is_valid();
        decoded.text = census.is_valid() ? std::move(bytes) : repair_utf8(bytes);
    } else if (is_utf16(choice.encoding)) {
        const auto order = choice.encoding == Encoding::utf_16be ? ByteOrder::big : ByteOrder::little;
        decoded.text = utf16_to_utf8(bytes, order, decoded.had_errors);
    } else {
        LegacyText legacy = decode_legacy(bytes, choice.encoding);
        // A guess that cannot read a part of the bytes was wrong, and windows-1252 reads anything.
        if (choice.source == EncodingSource::detected && legacy.errors > census.invalid / 16) {
            return decode_as(std::move(bytes), {Encoding::windows_1252, EncodingSource::fallback}, census);
        }
        decoded.text = std::move(legacy.text);
        decoded.had_errors = legacy.errors > 0;
    }
    return decoded;
}

}  // namespace

Decoded decode(std::string bytes, std::string_view charset_from_header, LabelTrust trust) {
    if (const auto mark = byte_order_mark(bytes)) {
        bytes.erase(0, mark->size);
        const Utf8Census census = count_utf8(bytes);
        return decode_as(std::move(bytes), {mark->encoding, EncodingSource::byte_order_mark}, census);
    }
    const Utf8Census census = count_utf8(bytes);
    const Choice choice = trust == LabelTrust::absolute
                              ? choose_by_label(bytes, charset_from_header)
                              : choose_by_evidence(bytes, charset_from_header, census);
    return decode_as(std::move(bytes), choice, census);
}

}  // namespace quarry::html
