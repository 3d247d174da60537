#include "text/xml_encoding.h"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>
#include <unicode/ucnv.h>
#include <unicode/unistr.h>

namespace quarry::text {

namespace {

constexpr std::size_t declaration_bytes = 1024;  // how far an XML declaration is looked for
constexpr std::size_t longest_encoding_name = 40;

using Converter = std::unique_ptr<UConverter, decltype(&ucnv_close)>;

// The value of encoding="…" in the XML declaration; "" if there is none.
std::string_view declared_encoding(std::string_view document) {
    document = document.substr(0, declaration_bytes);
    if (!document.starts_with("<?xml")) return {};
    document = document.substr(0, document.find("?>"));
    const std::size_t key = document.find("encoding");
    if (key == std::string_view::npos) return {};
    const std::size_t start = document.find_first_of("\"'", key);
    if (start == std::string_view::npos) return {};
    const std::size_t end = document.find(document[start], start + 1);
    if (end == std::string_view::npos) return {};
    return document.substr(start + 1, end - start - 1);
}

// ICU looks names up as files too, so only what may be a name reaches it.
bool may_be_encoding(std::string_view name) {
    return name.size() <= longest_encoding_name && std::ranges::all_of(name, [](char c) {
               return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
                      c == ':';
           });
}

// Appends all but a lone first half of a surrogate pair at the end; how many units are left.
std::size_t append_units(const UChar* units, std::size_t count, std::string& out) {
    const std::size_t left = count > 0 && U16_IS_LEAD(units[count - 1]) ? 1 : 0;
    icu::UnicodeString(false, units, static_cast<std::int32_t>(count - left)).toUTF8String(out);
    return left;
}

// Piece by piece, so that the text is never held in UTF-16 as a whole.
std::string convert(UConverter* converter, std::string_view bytes, std::size_t limit) {
    std::array<UChar, 4096> units;
    std::string utf8;
    const char* source = bytes.data();
    std::size_t kept = 0;
    UErrorCode status = U_BUFFER_OVERFLOW_ERROR;
    while (status == U_BUFFER_OVERFLOW_ERROR && utf8.size() < limit) {
        status = U_ZERO_ERROR;
        UChar* target = units.data() + kept;
        ucnv_toUnicode(converter, &target, units.data() + units.size(), &source, bytes.data() + bytes.size(),
                       nullptr, true, &status);
        const auto count = static_cast<std::size_t>(target - units.data());
        kept = append_units(units.data(), count, utf8);
        if (kept > 0) units[0] = units[count - 1];
    }
    return utf8;
}

}  // namespace

std::string xml_encoding(std::string_view bytes) {
    if (bytes.starts_with("\xEF\xBB\xBF")) return "UTF-8";
    if (bytes.starts_with("\xFE\xFF") || bytes.starts_with(std::string_view("\0<", 2))) return "UTF-16BE";
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with(std::string_view("<\0", 2))) return "UTF-16LE";
    std::string name(declared_encoding(bytes));
    std::ranges::transform(name, name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 0x20 : c; });
    // A document that could be read up to a declaration of UTF-16 is not in UTF-16.
    if (name.empty() || name.starts_with("UTF-16") || name == "UTF8" || name == "US-ASCII") return "UTF-8";
    // The web's reading of this label: every text in ISO 8859-1 means the same in windows-1252, not the
    // reverse.
    if (name == "ISO-8859-1" || name == "LATIN1") return "WINDOWS-1252";
    return name;
}

Result<std::string> xml_to_utf8(std::string_view bytes, const std::string& encoding, std::size_t limit) {
    const bool plausible = may_be_encoding(encoding);
    UErrorCode status = U_ZERO_ERROR;
    const Converter converter(plausible ? ucnv_open(encoding.c_str(), &status) : nullptr, ucnv_close);
    if (converter == nullptr || U_FAILURE(status)) {
        return fail(ErrorCode::unsupported, fmt::format("the XML is in an encoding that is not known: \"{}\"",
                                                        plausible ? encoding : "?"));
    }
    return convert(converter.get(), bytes, limit);
}

}  // namespace quarry::text
