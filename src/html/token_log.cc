#include "html/token_log.h"

#include <set>

namespace quarry::html {

namespace {

std::string in_quotes_or_null(const std::optional<std::string_view>& text) {
    return text ? in_quotes(*text) : "null";
}

std::string doctype_line(const Doctype& doctype) {
    return "DOCTYPE " + in_quotes_or_null(doctype.name) + " " + in_quotes_or_null(doctype.public_id) + " " +
           in_quotes_or_null(doctype.system_id) + (doctype.force_quirks ? " quirks" : "");
}

}  // namespace

std::string in_quotes(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

std::vector<std::string> TokenLog::run(TokenizerState state, std::string_view end_tag,
                                       CdataSections sections) {
    Tokenizer tokenizer(source_, attributes_, 512);
    tokenizer.set_state(state, end_tag);
    tokenizer.allow_cdata(sections == CdataSections::on);
    for (;;) {
        const Token& token = tokenizer.next();
        if (token.kind == TokenKind::end_of_file) return lines_;
        add(token, tokenizer.doctype());
    }
}

void TokenLog::add(const Token& token, const Doctype& doctype) {
    switch (token.kind) {
        case TokenKind::characters:
        case TokenKind::null_characters: add_text(token.text); return;
        case TokenKind::comment: lines_.push_back("Comment " + in_quotes(token.text)); return;
        case TokenKind::end_tag: lines_.push_back("EndTag " + name(token.tag)); return;
        case TokenKind::start_tag: lines_.push_back(start_tag(token)); return;
        case TokenKind::doctype: lines_.push_back(doctype_line(doctype)); return;
        case TokenKind::processing_instruction:
            lines_.push_back("Instruction " + in_quotes(token.text));
            return;
        case TokenKind::end_of_file: return;
    }
}

void TokenLog::add_text(std::string_view text) {
    if (lines_.empty() || !lines_.back().starts_with("Character ")) lines_.push_back("Character ");
    lines_.back() += text;
}

std::string TokenLog::start_tag(const Token& token) const {
    std::set<std::string> attributes;
    for (std::size_t i = 0; i < token.attribute_count; ++i) {
        const Attribute& attribute = attributes_[token.first_attribute + i];
        const auto number = static_cast<std::uint16_t>(attribute.name);
        const std::string_view text =
            number < listed_attributes ? spelling(attribute.name) : source_.attribute_names.name(number);
        attributes.insert(std::string(text) + "=" + in_quotes(attribute.value));
    }
    std::string line = "StartTag " + name(token.tag);
    for (const std::string& attribute : attributes) line += " " + attribute;
    return line + (token.self_closing ? " /" : "");
}

std::string TokenLog::name(Tag tag) const {
    const auto number = static_cast<std::uint16_t>(tag);
    return std::string(number < listed_tags ? spelling(tag) : source_.tag_names.name(number));
}

}  // namespace quarry::html
