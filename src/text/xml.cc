// A bound on the memory that expat may use. Expat keeps every name it meets, and a document can consist of
// millions of different ones.
#include "text/xml.h"

#define XML_DTD  // expat.h declares the limits on entities only for a library built with this, as Debian's is

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <expat.h>
#include <fmt/format.h>
#include <unicode/ucnv.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include "base/result.h"

namespace quarry::text {

// While it lives, what this thread allocates through the functions below counts against `bytes`, and fails
// beyond it. Expat passes its allocator no context, hence the thread. One at a time per thread; it outlives
// its blocks.
class XmlMemoryBudget {
public:
    explicit XmlMemoryBudget(std::size_t bytes);
    ~XmlMemoryBudget();
    XmlMemoryBudget(const XmlMemoryBudget&) = delete;
    XmlMemoryBudget& operator=(const XmlMemoryBudget&) = delete;
};

void* budgeted_malloc(std::size_t size);
void* budgeted_realloc(void* block, std::size_t size);
void budgeted_free(void* block);

// Which encoding an XML document is in, and its text in UTF-8.

// The encoding's name in upper case: by byte order mark, by the shape of the first '<', by declaration, else
// UTF-8.
std::string xml_encoding(std::string_view bytes);

// Converts to UTF-8, up to `limit` bytes of it; what is invalid becomes U+FFFD. Fails with `unsupported` if
// ICU does not know the encoding.
Result<std::string> xml_to_utf8(std::string_view bytes, const std::string& encoding, std::size_t limit);

// What is wrong with most XML that is not well-formed, put right before the parser sees it.

// A copy of a document in UTF-8 that an XML parser has fewer reasons to refuse: without anything before its
// start, with "&amp;" for a '&' that begins no reference, spaces for control characters and U+FFFD for
// invalid UTF-8. Linear. At most a megabyte longer than the input: after that many repairs they become
// shorter and cruder.
std::string mended_xml(std::string_view document);

namespace {

// Before each block stands its size, in a space that keeps the block aligned for anything.
constexpr std::size_t header_bytes = alignof(std::max_align_t);
static_assert(sizeof(std::size_t) <= header_bytes);

thread_local std::size_t bytes_left = 0;

void* with_header(void* start, std::size_t size) {
    if (start == nullptr) return nullptr;
    *static_cast<std::size_t*>(start) = size;
    bytes_left -= size;
    return static_cast<char*>(start) + header_bytes;
}

void* start_of(void* block) {
    return static_cast<char*>(block) - header_bytes;
}

std::size_t size_of(void* block) {
    return *static_cast<std::size_t*>(start_of(block));
}

}  // namespace

XmlMemoryBudget::XmlMemoryBudget(std::size_t bytes) {
    assert(bytes_left == 0);  // else a handler reads another document from inside this one
    bytes_left = bytes;
}

XmlMemoryBudget::~XmlMemoryBudget() {
    bytes_left = 0;
}

void* budgeted_malloc(std::size_t size) {
    if (size > bytes_left) return nullptr;
    return with_header(std::malloc(size + header_bytes), size);
}

void* budgeted_realloc(void* block, std::size_t size) {
    if (block == nullptr) return budgeted_malloc(size);
    const std::size_t old_size = size_of(block);
    if (size > old_size && size - old_size > bytes_left) return nullptr;
    void* start = std::realloc(start_of(block), size + header_bytes);
    if (start == nullptr) return nullptr;
    bytes_left += old_size;
    return with_header(start, size);
}

void budgeted_free(void* block) {
    if (block == nullptr) return;
    bytes_left += size_of(block);
    std::free(start_of(block));
}

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

namespace {

constexpr std::size_t preamble_bytes = 1024;  // how far a declaration behind a warning is looked for
constexpr std::size_t longest_reference = 40;
constexpr std::size_t max_growth = 1 << 20;

bool is_name_character(char c) {
    const char lower = static_cast<char>(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
           c == ':';
}

// Bytes that are copied without a look at their neighbours.
constexpr std::array<bool, 256> plain_bytes = [] {
    std::array<bool, 256> plain{};
    for (unsigned b = 0x20; b < 0x80; ++b) plain[b] = b != '<' && b != '&';
    plain['\t'] = plain['\n'] = plain['\r'] = true;
    return plain;
}();

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

// How many bytes from the start of `text`, a '<', may contain '&' as it is: comments, instructions, CDATA
// sections.
std::size_t literal_bytes(std::string_view text) {
    struct Kind {
        std::string_view opening, closing;
    };
    static constexpr Kind kinds[] = {{"<![CDATA[", "]]>"}, {"<!--", "-->"}, {"<?", "?>"}};
    for (const Kind& kind : kinds) {
        if (!text.starts_with(kind.opening)) continue;
        const std::size_t end = text.find(kind.closing, kind.opening.size());
        return end == std::string_view::npos ? text.size() : end + kind.closing.size();
    }
    return 0;
}

// Where the document begins: at its first '<', unless that is the markup of a warning that PHP put before it.
std::size_t document_start(std::string_view text) {
    const std::size_t start = std::min(text.find('<'), text.size());
    if (!text.substr(start).starts_with("<b")) return start;
    const std::size_t declaration = text.substr(0, preamble_bytes).find("<?xml");
    return declaration == std::string_view::npos ? start : declaration;
}

class Mender {
public:
    explicit Mender(std::string_view text) : text_(text) {
        out_.reserve(text.size() + text.size() / 64 + 16);
    }

    std::string mend() {
        while (at_ < text_.size()) {
            copy_plain();
            if (at_ < text_.size()) copy_special();
        }
        return std::move(out_);
    }

private:
    void copy_plain() {
        const std::size_t start = at_;
        while (at_ < text_.size() && plain_bytes[static_cast<unsigned char>(text_[at_])]) ++at_;
        out_ += text_.substr(start, at_ - start);
    }

    void copy_special() {
        const char c = text_[at_];
        if (c == '<') {
            // Not looked for inside another, so each section is scanned for its end once.
            if (at_ >= literal_end_) literal_end_ = at_ + literal_bytes(text_.substr(at_));
            copy(1);
        } else if (c == '&') {
            const bool stray = at_ >= literal_end_ && !begins_reference(text_.substr(at_));
            stray ? replace(1, "&amp;", " ") : copy(1);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            replace(1, " ", " ");
        } else {
            copy_high_bytes();
        }
    }

    void copy_high_bytes() {
        const auto size = static_cast<std::int32_t>(std::min<std::size_t>(text_.size() - at_, U8_MAX_LENGTH));
        std::int32_t length = 0;
        UChar32 character = 0;
        U8_NEXT(text_.data() + at_, length, size, character);  // NOLINT: ICU's macro
        const bool allowed = character >= 0x80 && character != 0xFFFE && character != 0xFFFF;
        allowed ? copy(static_cast<std::size_t>(length))
                : replace(static_cast<std::size_t>(length), "\uFFFD", "?");
    }

    void copy(std::size_t length) {
        out_ += text_.substr(at_, length);
        at_ += length;
    }

    void replace(std::size_t length, std::string_view replacement, std::string_view crude) {
        if (growth_ < max_growth) {
            growth_ += replacement.size() - std::min(length, replacement.size());
            out_ += replacement;
        } else {
            out_ += crude;
        }
        at_ += length;
    }

    std::string_view text_;
    std::string out_;
    std::size_t at_ = 0;
    std::size_t literal_end_ = 0;
    std::size_t growth_ = 0;
};

}  // namespace

std::string mended_xml(std::string_view document) {
    return Mender(document.substr(document_start(document))).mend();
}

namespace {

// Expansion of a document's own entities may make it this many times larger, once it is past the threshold.
// Expat's defaults are 100 and 8 MiB; honest feeds use entities for a handful of characters.
constexpr float max_amplification = 10;
constexpr unsigned long long amplification_threshold = 1 << 20;

// Expat may use this much besides its copy of the document, for which it takes up to the next power of two.
// Ordinary documents need well under a megabyte.
constexpr std::size_t parser_memory = 32 << 20;

struct Entity {
    std::string_view name, text;
};

// HTML's entities that feeds use without declaring them.
constexpr Entity common_entities[] = {
    {"nbsp", "\u00A0"}, {"copy", "©"},   {"reg", "®"},    {"trade", "™"},  {"hellip", "…"}, {"mdash", "—"},
    {"ndash", "–"},     {"lsquo", "‘"},  {"rsquo", "’"},  {"ldquo", "“"},  {"rdquo", "”"},  {"laquo", "«"},
    {"raquo", "»"},     {"bull", "•"},   {"middot", "·"}, {"euro", "€"},   {"pound", "£"},  {"deg", "°"},
    {"eacute", "é"},    {"egrave", "è"}, {"agrave", "à"}, {"ccedil", "ç"}, {"auml", "ä"},   {"ouml", "ö"},
    {"uuml", "ü"},      {"Auml", "Ä"},   {"Ouml", "Ö"},   {"Uuml", "Ü"},   {"szlig", "ß"},  {"ntilde", "ñ"},
};

XmlName split_name(std::string_view name) {
    const std::size_t colon = name.find(':');
    const bool qualified = colon != std::string_view::npos && colon > 0 && colon + 1 < name.size();
    if (!qualified) return {{}, name};
    return {name.substr(0, colon), name.substr(colon + 1)};
}

// Stands between expat's C callbacks and the handler, and counts.
class ExpatReader {
public:
    ExpatReader(const std::string& document, XmlHandler& handler, const XmlLimits& limits)
        : document_(document), handler_(handler), limits_(limits) {}

    // The document is already UTF-8, whatever its declaration says, so expat is told to disregard that.
    Result<void> read() {
        if (parser_ == nullptr) return fail(ErrorCode::unavailable, "there is no memory for an XML parser");
        install_callbacks();
        const auto status =
            XML_Parse(parser_.get(), document_.data(), static_cast<int>(document_.size()), XML_TRUE);
        if (status != XML_STATUS_ERROR || stopped_early_) return {};
        return std::unexpected(error());
    }

private:
    using Parser = std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)>;

    static Parser create_parser() {
        const XML_Memory_Handling_Suite memory{budgeted_malloc, budgeted_realloc, budgeted_free};
        return {XML_ParserCreate_MM("UTF-8", &memory, nullptr), XML_ParserFree};
    }

    Error error() const {
        if (too_deep_)
            return {ErrorCode::too_large, fmt::format("the XML is nested deeper than {}", limits_.max_depth)};
        if (XML_GetErrorCode(parser_.get()) == XML_ERROR_NO_MEMORY) {
            return {ErrorCode::too_large, "the XML has more names than there is memory for"};
        }
        return {ErrorCode::corrupt, fmt::format("the XML is broken at line {}, column {}: {}",
                                                XML_GetCurrentLineNumber(parser_.get()),
                                                XML_GetCurrentColumnNumber(parser_.get()) + 1,
                                                XML_ErrorString(XML_GetErrorCode(parser_.get())))};
    }

    static ExpatReader& self(void* user) { return *static_cast<ExpatReader*>(user); }

    void install_callbacks() {
        XML_Parser parser = parser_.get();
        XML_SetUserData(parser, this);
        XML_SetElementHandler(
            parser,
            [](void* user, const char* name, const char** pairs) { self(user).on_start(name, pairs); },
            [](void* user, const char* name) { self(user).on_end(name); });
        XML_SetCharacterDataHandler(parser, [](void* user, const char* text, int size) {
            self(user).on_text({text, std::size_t(size)});
        });
        XML_SetSkippedEntityHandler(
            parser, [](void* user, const char* name, int) { self(user).on_unknown_entity(name); });
        // Expat calls an unknown entity an error unless some external DTD might have declared it. So it is
        // given one, which is empty; that is all that this handler ever loads.
        XML_UseForeignDTD(parser, XML_TRUE);
        XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_ALWAYS);
        XML_SetExternalEntityRefHandler(parser, read_nothing);
        XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, max_amplification);
        XML_SetBillionLaughsAttackProtectionActivationThreshold(parser, amplification_threshold);
    }

    static int read_nothing(XML_Parser parser, const char* context, const char*, const char*, const char*) {
        const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> external(
            XML_ExternalEntityParserCreate(parser, context, nullptr), XML_ParserFree);
        return external != nullptr && XML_Parse(external.get(), "", 0, XML_TRUE) == XML_STATUS_OK
                   ? XML_STATUS_OK
                   : XML_STATUS_ERROR;
    }

    void on_start(const char* name, const char** pairs) {
        text_bytes_ = 0;
        if (++depth_ > limits_.max_depth) {
            too_deep_ = true;
            XML_StopParser(parser_.get(), XML_FALSE);
            return;
        }
        attributes_.clear();
        for (; *pairs != nullptr; pairs += 2) attributes_.push_back({split_name(pairs[0]), pairs[1]});
        handler_.start(split_name(name), attributes_);
    }

    void on_end(const char* name) {
        text_bytes_ = 0;
        // Expat still reports the end of the empty element at which it was stopped.
        if (depth_-- > limits_.max_depth || stopped_early_) return;
        handler_.end(split_name(name));
        if (handler_.wants_more()) return;
        stopped_early_ = true;
        XML_StopParser(parser_.get(), XML_FALSE);
    }

    void on_text(std::string_view text) {
        text = text.substr(0, limits_.max_text_bytes - std::min(text_bytes_, limits_.max_text_bytes));
        text_bytes_ += text.size();
        if (!text.empty()) handler_.text(text);
    }

    void on_unknown_entity(std::string_view name) {
        const auto known = std::ranges::find(common_entities, name, &Entity::name);
        if (known != std::end(common_entities)) return on_text(known->text);
        on_text("&");
        on_text(name);
        on_text(";");
    }

    const std::string& document_;
    XmlHandler& handler_;
    XmlLimits limits_;
    XmlMemoryBudget budget_{parser_memory + 2 * document_.size()};  // outlives the parser
    Parser parser_ = create_parser();
    std::vector<XmlAttribute> attributes_;
    std::size_t text_bytes_ = 0;  // since the last tag
    int depth_ = 0;
    bool too_deep_ = false;
    bool stopped_early_ = false;
};

Result<std::string> readable_document(std::string_view bytes, std::size_t limit) {
    bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
    const std::string encoding = xml_encoding(bytes);
    if (encoding == "UTF-8") return mended_xml(bytes);
    return mended_xml(TRY(xml_to_utf8(bytes, encoding, limit)));
}

}  // namespace

Result<void> read_xml(std::string_view bytes, XmlHandler& handler, const XmlLimits& limits) {
    const bool cut = bytes.size() > limits.max_bytes;
    const std::string document = TRY(readable_document(bytes.substr(0, limits.max_bytes), limits.max_bytes));
    const auto result = ExpatReader(document, handler, limits).read();
    // Having cut the document ourselves, we know why it is not well-formed.
    if (!result && cut && result.error().code == ErrorCode::corrupt) {
        return fail(ErrorCode::too_large, fmt::format("the XML is longer than {} bytes", limits.max_bytes));
    }
    return result;
}

}  // namespace quarry::text
