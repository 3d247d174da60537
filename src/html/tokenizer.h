// The tokenizer of the HTML standard over a whole page in memory, with its character references (`&amp;`,
// `&#38;`, `&#x26;`). Internal to html/: the tree builder pulls tokens one at a time and tells it when an
// element's content is raw text. Text and attribute values are slices of the page wherever the page says
// them literally; only references and NUL characters make copies. Names are lower-cased in the page's own
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "html/source_text.h"
#include "html/tree.h"

namespace quarry::html {

// Character references: `&amp;`, `&#38;`, `&#x26;`.

enum class ReferenceContext : std::uint8_t {
    text,
    attribute,  // `&copy=1` stays as it is: old pages have it in the query of a link
};

// What a reference stands for and how long it is in the source.
struct CharacterReference {
    std::size_t source_bytes = 0;  // 0: not a reference, the ampersand is text
    std::size_t size = 0;
    char characters[8] = {};  // UTF-8

    std::string_view text() const { return {characters, size}; }
};

// Reads the reference that `source`, which begins with an ampersand, begins with.
CharacterReference read_character_reference(std::string_view source, ReferenceContext context);

// The tokenizer of the HTML standard over a whole page in memory. The tree builder pulls tokens one at a time
// and tells it when an element's content is raw text. Internal to html/.
//
// Text and attribute values are slices of the page wherever the page says them literally; only references and
// NUL characters make copies. Names are lower-cased in the page's own bytes.

enum class TokenKind : std::uint8_t {
    characters,       // a run of text without NUL; a text may come in several runs
    null_characters,  // a run of NUL: dropped or replaced, depending on where it stands
    start_tag,
    end_tag,
    comment,
    doctype,
    processing_instruction,
    end_of_file,
};

struct Token {
    TokenKind kind = TokenKind::end_of_file;
    bool self_closing = false;
    Tag tag = Tag::first_unlisted;
    std::uint16_t attribute_count = 0;
    std::uint32_t first_attribute = 0;  // index into the vector given to the tokenizer
    std::string_view text{};            // characters; comment data; the instruction's target and data

    bool is_start(Tag other) const { return kind == TokenKind::start_tag && tag == other; }
    bool is_end(Tag other) const { return kind == TokenKind::end_tag && tag == other; }
    bool is_text() const { return kind == TokenKind::characters || kind == TokenKind::null_characters; }
    // Comments and instructions go anywhere and change nothing.
    bool is_leaf() const { return kind == TokenKind::comment || kind == TokenKind::processing_instruction; }
};

struct Doctype {
    std::optional<std::string_view> name{};
    std::optional<std::string_view> public_id{};
    std::optional<std::string_view> system_id{};
    bool force_quirks = false;
};

enum class TokenizerState : std::uint8_t { data, rcdata, rawtext, script_data, plaintext, cdata };

class Tokenizer {
public:
    // Attributes of start tags are appended to `attributes`. Those of a token that was not kept
    // (`keep_attributes`) make room for the next one's. At most `attribute_limit` are read per tag.
    Tokenizer(SourceText& source, std::vector<Attribute>& attributes, std::uint32_t attribute_limit);

    // The next token; valid until the next call. After the end it returns end_of_file for ever.
    Token& next();

    // What the last doctype token said.
    const Doctype& doctype() const { return doctype_; }
    // Says that the tree refers to the attributes of the current token.
    void keep_attributes() { kept_attributes_ = attributes_.size(); }
    // The content of the element that was just started: raw up to its own end tag.
    void set_state(TokenizerState state, std::string_view end_tag) {
        state_ = state;
        raw_end_tag_ = end_tag;
        section_end_ = nullptr;
    }
    // Whether `<![CDATA[` opens a section, as it does inside svg and math, or a comment.
    void allow_cdata(bool allowed) { cdata_allowed_ = allowed; }
    bool attribute_limit_hit() const { return attribute_limit_hit_; }

private:
    // tokenizer.cc: text and tags
    Token& next_in_data();
    Token* markup();
    Token* end_tag_open();
    Token& tag(TokenKind kind);
    void read_tag_name();
    bool read_attributes();
    void read_attribute();
    std::string_view read_value();
    template <char Quote>
    std::string_view read_quoted_value();
    std::string_view read_unquoted_value();
    std::string_view decode_value(char* begin, char* end);
    void store_attribute(std::string_view name, std::string_view value);

    // tokenizer_markup.cc: comments, doctypes, CDATA sections, processing instructions
    Token* markup_declaration();
    Token& read_comment();
    Token& bogus_comment();
    Token& processing_instruction();
    Token& read_doctype();
    void read_doctype_name();
    void read_doctype_ids();
    std::optional<std::string_view> read_doctype_id();
    Token& next_in_cdata();
    bool skip_word(std::string_view lower);

    // tokenizer_raw_text.cc: the contents of script, style, title, textarea and their like
    Token& next_in_raw_text();
    char* find_raw_end(char* at) const;
    char* find_script_end(char* at) const;
    char* find_escaped_script_end(char*& at) const;
    bool is_tag(const char* at, std::string_view opening, std::string_view name) const;

    Token& end_of_file();
    Token& make_token(TokenKind kind, std::string_view text);
    Token& characters_up_to(char* end);
    Token& null_run(char* end);
    Token* reference(char* end);
    std::string_view replace_nulls(char* begin, char* end);
    void skip_space();

    SourceText& source_;
    std::vector<Attribute>& attributes_;
    char* at_;
    char* end_;
    char* section_end_ = nullptr;  // where the raw text or CDATA section under way ends, once known
    std::uint32_t attribute_limit_;
    TokenizerState state_ = TokenizerState::data;
    bool cdata_allowed_ = false;
    bool attribute_limit_hit_ = false;
    std::string_view raw_end_tag_;
    std::size_t kept_attributes_ = 0;
    Token token_;
    Doctype doctype_;
    std::string scratch_;
    // For each attribute name the number of the tag that last had it: finds repeats without comparing.
    std::vector<std::uint32_t> last_tag_with_;
    std::uint32_t tag_number_ = 0;
};

}  // namespace quarry::html
