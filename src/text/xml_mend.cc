#include "text/xml_mend.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <unicode/ucnv.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

namespace quarry::text {

namespace {

constexpr std::size_t declaration_bytes = 1024;  // how far an XML declaration is looked for
constexpr std::size_t longest_encoding_name = 40;
constexpr std::size_t longest_reference = 40;

bool is_name_character(char c) {
    const char lower = static_cast<char>(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
           c == ':';
}

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

// The name of the encoding that the bytes are in: by byte order mark, by the shape of "<?", by declaration.
std::string encoding_of(std::string_view bytes) {
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

bool is_valid_utf8(std::string_view text) {
    const auto size = static_cast<std::int32_t>(text.size());
    for (std::int32_t at = 0; at < size;) {
        UChar32 character = 0;
        U8_NEXT(text.data(), at, size, character);  // NOLINT: ICU's macro
        if (character < 0) return false;
    }
    return true;
}

// ICU looks names up as files too, so only what may be a name reaches it.
bool is_encoding_name(std::string_view text) {
    return text.size() <= longest_encoding_name && std::ranges::all_of(text, is_name_character);
}

Result<std::string> to_utf8(std::string_view bytes, const std::string& encoding) {
    if (encoding == "UTF-8" && is_valid_utf8(bytes)) return std::string(bytes);
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<UConverter, decltype(&ucnv_close)> converter(
        is_encoding_name(encoding) ? ucnv_open(encoding.c_str(), &status) : nullptr, ucnv_close);
    if (converter == nullptr || U_FAILURE(status)) {
        return fail(ErrorCode::unsupported, fmt::format("the XML is in an encoding that is not known: \"{}\"",
                                                        is_encoding_name(encoding) ? encoding : "?"));
    }
    const icu::UnicodeString text(bytes.data(), static_cast<std::int32_t>(bytes.size()), converter.get(),
                                  status);
    if (U_FAILURE(status))
        return fail(ErrorCode::corrupt, fmt::format("the XML is not in {} as it says", encoding));
    std::string utf8;
    text.toUTF8String(utf8);
    return utf8;
}

// Whether the '&' at the start of `text` begins "&name;", "&#1;" or "&#x1;".
bool begins_reference(std::string_view text) {
    const std::size_t end = text.substr(0, longest_reference).find(';');
    if (end == std::string_view::npos) return false;
    std::string_view name = text.substr(1, end - 1);
    const bool numeric = name.starts_with('#');
    if (numeric) name.remove_prefix(name.starts_with("#x") ? 2 : 1);
    const bool starts_well = !name.empty() && (numeric || !(name[0] >= '0' && name[0] <= '9'));
    return starts_well && std::ranges::all_of(name, is_name_character);
}

// How many bytes from the start of `text`, a '<', are to be copied untouched: comments, instructions and
// CDATA sections may contain '&'. 1 for an ordinary tag.
std::size_t untouched_bytes(std::string_view text) {
    struct Kind {
        std::string_view opening, closing;
    };
    constexpr Kind kinds[] = {{"<![CDATA[", "]]>"}, {"<!--", "-->"}, {"<?", "?>"}};
    for (const Kind& kind : kinds) {
        if (!text.starts_with(kind.opening)) continue;
        const std::size_t end = text.find(kind.closing, kind.opening.size());
        return end == std::string_view::npos ? text.size() : end + kind.closing.size();
    }
    return 1;
}

std::string with_escaped_ampersands(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t next = std::min(text.find_first_of("<&"), text.size());
        out += text.substr(0, next);
        text.remove_prefix(next);
        if (text.empty()) break;
        const std::size_t length = text[0] == '<' ? untouched_bytes(text) : 1;
        const bool stray = text[0] == '&' && !begins_reference(text);
        out += stray ? "&amp;" : text.substr(0, length);
        text.remove_prefix(length);
    }
    return out;
}

// Where the document begins: at its first '<', unless that is the markup of a warning that PHP put before it.
std::size_t document_start(std::string_view text) {
    const std::size_t start = std::min(text.find('<'), text.size());
    if (!text.substr(start).starts_with("<b")) return start;
    const std::size_t declaration = text.substr(0, declaration_bytes).find("<?xml");
    return declaration == std::string_view::npos ? start : declaration;
}

bool is_forbidden_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

}  // namespace

Result<std::string> mended_xml(std::string_view bytes) {
    const std::size_t text_start = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
    bytes.remove_prefix(text_start);
    std::string document = TRY(to_utf8(bytes, encoding_of(bytes)));
    std::ranges::replace_if(document, is_forbidden_control, ' ');
    document.erase(0, document_start(document));
    return with_escaped_ampersands(document);
}

}  // namespace quarry::text
