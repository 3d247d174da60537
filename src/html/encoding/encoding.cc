// Guessing an encoding from the bytes alone, for pages that name none or lie about it.
#include "html/encoding/encoding.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <uchardet/uchardet.h>

#include "base/ascii.h"
#include "html/characters.h"
#include "html/encoding/decoders.h"
#include "html/encoding/labels.h"

namespace quarry::html {

// UTF-16 or ISO-2022-JP, whose bytes are all below 0x80 in a page about nothing foreign.
std::optional<Encoding> detect_seven_bit_encoding(std::string_view bytes);

// A legacy encoding or UTF-16 that the bytes look like; nothing when there is too little to tell. Reads a
// bounded sample: the same cost for 100 KB and for 100 MB, but for finding the sample. Never UTF-8: ask
// count_utf8 for that.
std::optional<Encoding> detect_encoding(std::string_view bytes);

// What a page says about its own encoding, read before anything is decoded: the HTML standard's "prescan a
// byte stream to determine its encoding", with its fallback to an XML declaration.

// How far browsers look before they start to parse.
inline constexpr std::size_t standard_prescan_bytes = 1024;

// The encoding declared by a <meta> tag or an XML declaration within `bytes`, or nothing. UTF-16 is answered
// as UTF-8 and x-user-defined as windows-1252, as the standard asks: a declaration that could be read as
// ASCII is not UTF-16. Linear in the size of `bytes`.
std::optional<Encoding> prescan_encoding(std::string_view bytes);

// The label in a <meta http-equiv> content such as "text/html; charset=gbk"; nothing if it has none.
std::optional<Encoding> encoding_from_meta_content(std::string_view content);

namespace {

constexpr std::size_t sample_bytes = 64 * 1024;
// Statistics of letters say nothing about fewer bytes than this.
constexpr std::size_t fewest_foreign_bytes = 8;
// A run of ASCII longer than this separates two stretches of foreign text. It is longer than any character
// whose later bytes look like ASCII, so cutting inside it never cuts a character.
constexpr std::size_t gap = 32;

bool is_foreign(char c) {
    return static_cast<signed char>(c) < 0;
}

struct Sample {
    std::string text;
    std::size_t foreign_bytes = 0;
};

// The stretches around non-ASCII bytes. Markup between them tells nothing about the language and would fill
// the sample.
Sample take_sample(std::string_view bytes) {
    Sample sample;
    std::size_t ascii_run = gap + 1;
    for (const char c : bytes) {
        ascii_run = is_foreign(c) ? 0 : ascii_run + 1;
        if (ascii_run > gap) continue;
        sample.text += c;
        if (ascii_run == 0) ++sample.foreign_bytes;
        // Only end where a stretch may end.
        if (sample.text.size() >= sample_bytes && ascii_run >= gap) break;
        if (sample.text.size() >= 2 * sample_bytes) break;
    }
    return sample;
}

// UTF-16 without a byte order mark: markup is ASCII, so every other byte of its beginning is zero.
std::optional<Encoding> detect_utf16(std::string_view bytes) {
    const std::string_view head = bytes.substr(0, std::min<std::size_t>(bytes.size(), 64) & ~std::size_t{1});
    if (head.size() < 8) return std::nullopt;
    std::size_t zeros[2] = {0, 0};
    for (std::size_t i = 0; i < head.size(); ++i) {
        if (head[i] == '\0') ++zeros[i % 2];
    }
    const std::size_t most = head.size() / 2 * 3 / 4;
    if (zeros[1] >= most && zeros[0] == 0) return Encoding::utf_16le;
    if (zeros[0] >= most && zeros[1] == 0) return Encoding::utf_16be;
    return std::nullopt;
}

bool has_japanese_escape(std::string_view bytes) {
    return bytes.contains("\x1B$B") || bytes.contains("\x1B$@");
}

// uchardet's names that are not labels of the web.
std::string_view as_label(std::string_view name) {
    if (name == "UHC") return "euc-kr";
    if (name == "MAC-CYRILLIC") return "x-mac-cyrillic";
    return name;
}

std::optional<Encoding> ask_uchardet(std::string_view sample) {
    struct Delete {
        void operator()(uchardet* detector) const { uchardet_delete(detector); }
    };
    const std::unique_ptr<uchardet, Delete> detector(uchardet_new());
    if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) return std::nullopt;
    uchardet_data_end(detector.get());
    const auto encoding = find_encoding(as_label(uchardet_get_charset(detector.get())));
    if (encoding == Encoding::utf_8 || encoding == Encoding::replacement) return std::nullopt;
    return encoding;
}

}  // namespace

std::optional<Encoding> detect_seven_bit_encoding(std::string_view bytes) {
    if (const auto encoding = detect_utf16(bytes)) return encoding;
    return has_japanese_escape(bytes) ? std::optional(Encoding::iso_2022_jp) : std::nullopt;
}

std::optional<Encoding> detect_encoding(std::string_view bytes) {
    if (const auto encoding = detect_utf16(bytes)) return encoding;
    const Sample sample = take_sample(bytes);
    if (sample.foreign_bytes < fewest_foreign_bytes) return std::nullopt;
    return ask_uchardet(sample.text);
}

namespace {

std::size_t find_ignoring_case(std::string_view text, std::string_view lower_case_word) {
    const auto found = std::search(text.begin(), text.end(), lower_case_word.begin(), lower_case_word.end(),
                                   [](char c, char expected) { return to_lower(c) == expected; });
    return found == text.end() ? std::string_view::npos : static_cast<std::size_t>(found - text.begin());
}

std::optional<Encoding> declared_in_ascii(std::optional<Encoding> encoding) {
    if (encoding == Encoding::utf_16be || encoding == Encoding::utf_16le) return Encoding::utf_8;
    if (encoding == Encoding::x_user_defined) return Encoding::windows_1252;
    return encoding;
}

struct RawAttribute {
    std::string name;  // both in lower case
    std::string value;
};

// Walks over tags and comments without building anything. Every reading function stops for good at the end
// of the bytes: a declaration that was cut off does not count.
class Prescan {
public:
    explicit Prescan(std::string_view bytes) : bytes_(bytes) {}

    std::optional<Encoding> run() {
        while ((position_ = bytes_.find('<', position_)) != std::string_view::npos) {
            const std::string_view rest = bytes_.substr(position_);
            if (rest.starts_with("<!--")) {
                skip_past("-->", position_ + 2);
            } else if (is_meta(rest)) {
                position_ += std::string_view("<meta").size();
                if (const auto encoding = read_meta()) return encoding;
            } else if (is_tag(rest)) {
                skip_tag();
            } else if (rest.starts_with("<!") || rest.starts_with("</") || rest.starts_with("<?")) {
                skip_past(">", position_ + 1);
            } else {
                ++position_;
            }
        }
        return std::nullopt;
    }

private:
    static bool is_meta(std::string_view rest) {
        return starts_with_ignore_case(rest, "<meta") && rest.size() > 5 &&
               (is_space(rest[5]) || rest[5] == '/');
    }
    static bool is_tag(std::string_view rest) {
        const std::size_t name = rest.size() > 1 && rest[1] == '/' ? 2 : 1;
        return rest.size() > name && is_alpha(rest[name]);
    }

    bool at_end() const { return position_ >= bytes_.size(); }
    char here() const { return bytes_[position_]; }

    void skip_past(std::string_view marker, std::size_t from) {
        const std::size_t found = bytes_.find(marker, from);
        position_ = found == std::string_view::npos ? bytes_.size() : found + marker.size();
    }

    void skip_tag() {
        while (!at_end() && !is_space(here()) && here() != '>') ++position_;
        while (next_attribute()) {
        }
    }

    std::optional<Encoding> read_meta();
    std::optional<RawAttribute> next_attribute();
    std::string read_value();
    std::string read_quoted_value();

    std::string_view bytes_;
    std::size_t position_ = 0;
};

std::optional<Encoding> Prescan::read_meta() {
    enum class NeedPragma { unknown, no, yes } need_pragma = NeedPragma::unknown;
    bool got_pragma = false, seen_pragma = false, seen_content = false, seen_charset = false;
    std::optional<Encoding> encoding;
    while (const auto attribute = next_attribute()) {
        // The first attribute of a name counts; a later one is ignored.
        if (attribute->name == "http-equiv" && !std::exchange(seen_pragma, true)) {
            got_pragma = attribute->value == "content-type";
        } else if (attribute->name == "content" && !std::exchange(seen_content, true)) {
            const auto found = encoding_from_meta_content(attribute->value);
            if (found && need_pragma == NeedPragma::unknown) {
                encoding = found;
                need_pragma = NeedPragma::yes;
            }
        } else if (attribute->name == "charset" && !std::exchange(seen_charset, true)) {
            encoding = find_encoding(attribute->value);
            need_pragma = NeedPragma::no;
        }
    }
    if (at_end() || need_pragma == NeedPragma::unknown) return std::nullopt;
    if (need_pragma == NeedPragma::yes && !got_pragma) return std::nullopt;
    return declared_in_ascii(encoding);
}

// The standard's "get an attribute". Nothing at the end of the tag (position on '>') or of the bytes.
std::optional<RawAttribute> Prescan::next_attribute() {
    while (!at_end() && (is_space(here()) || here() == '/')) ++position_;
    if (at_end() || here() == '>') return std::nullopt;
    RawAttribute attribute;
    while (!at_end() && !(here() == '=' && !attribute.name.empty()) && !is_space(here()) && here() != '/' &&
           here() != '>') {
        attribute.name += to_lower(here());
        ++position_;
    }
    while (!at_end() && is_space(here())) ++position_;
    if (at_end()) return std::nullopt;
    if (here() != '=') return attribute;
    ++position_;
    attribute.value = read_value();
    if (at_end()) return std::nullopt;
    return attribute;
}

std::string Prescan::read_value() {
    while (!at_end() && is_space(here())) ++position_;
    if (at_end()) return {};
    if (here() == '"' || here() == '\'') return read_quoted_value();
    std::string value;
    while (!at_end() && !is_space(here()) && here() != '>') {
        value += to_lower(here());
        ++position_;
    }
    return value;
}

std::string Prescan::read_quoted_value() {
    const char quote = here();
    ++position_;
    std::string value;
    while (!at_end() && here() != quote) {
        value += to_lower(here());
        ++position_;
    }
    if (!at_end()) ++position_;
    return value;
}

// The standard's "get an XML encoding": what XHTML served as HTML, and feeds, begin with.
std::optional<Encoding> encoding_from_xml_declaration(std::string_view bytes) {
    if (!bytes.starts_with("<?xml")) return std::nullopt;
    const std::size_t end = bytes.find('>');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view rest = bytes.substr(0, end);
    const std::size_t word = rest.find("encoding");
    if (word == std::string_view::npos) return std::nullopt;
    const auto skip_controls = [&rest] {
        while (!rest.empty() && static_cast<unsigned char>(rest.front()) <= ' ') rest.remove_prefix(1);
    };
    rest.remove_prefix(word + std::string_view("encoding").size());
    skip_controls();
    if (!rest.starts_with('=')) return std::nullopt;
    rest.remove_prefix(1);
    skip_controls();
    if (!rest.starts_with('"') && !rest.starts_with('\'')) return std::nullopt;
    const std::size_t quote = rest.find(rest.front(), 1);
    if (quote == std::string_view::npos) return std::nullopt;
    return declared_in_ascii(find_encoding(rest.substr(1, quote - 1)));
}

}  // namespace

std::optional<Encoding> encoding_from_meta_content(std::string_view content) {
    for (std::size_t word; (word = find_ignoring_case(content, "charset")) != std::string_view::npos;) {
        content.remove_prefix(word + std::string_view("charset").size());
        const std::string_view after = content.substr(leading_space(content));
        if (!after.starts_with('=')) continue;
        const std::string_view value = after.substr(1 + leading_space(after.substr(1)));
        if (value.starts_with('"') || value.starts_with('\'')) {
            const std::size_t close = value.find(value.front(), 1);
            if (close == std::string_view::npos) return std::nullopt;
            return find_encoding(value.substr(1, close - 1));
        }
        return find_encoding(value.substr(0, value.find_first_of("; \t\n\f\r")));
    }
    return std::nullopt;
}

std::optional<Encoding> prescan_encoding(std::string_view bytes) {
    using namespace std::string_view_literals;
    if (bytes.starts_with("<\0?\0x\0"sv)) return Encoding::utf_16le;
    if (bytes.starts_with("\0<\0?\0x"sv)) return Encoding::utf_16be;
    if (const auto encoding = Prescan(bytes).run()) return encoding;
    return encoding_from_xml_declaration(bytes);
}

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
