#include "text/xml.h"

#include <algorithm>
#include <memory>
#include <vector>

#define XML_DTD  // expat.h declares the limits on entities only for a library built with this, as Debian's is
#include <expat.h>
#include <fmt/format.h>

#include "text/xml_encoding.h"
#include "text/xml_memory.h"
#include "text/xml_mend.h"

namespace quarry::text {

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
