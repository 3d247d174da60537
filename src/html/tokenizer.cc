#include "html/tokenizer.h"

#include <array>
#include <cstring>

#include "html/characters.h"

namespace quarry::html {

namespace {

// What the byte loops over names need to know about each byte.
enum ByteClass : std::uint8_t { ends_tag_name = 1, ends_attribute_name = 2, upper = 4, null = 8 };

constexpr auto byte_classes = [] {
    std::array<std::uint8_t, 256> classes{};
    for (const unsigned char c : {' ', '\n', '\t', '\f', '\r', '/', '>'}) {
        classes[c] = ends_tag_name | ends_attribute_name;
    }
    classes['='] = ends_attribute_name;
    classes[0] = null;
    for (unsigned char c = 'A'; c <= 'Z'; ++c) classes[c] = upper;
    return classes;
}();

struct Name {
    char* end;
    bool has_null;
};

// Lower-cases the name at `at` where it stands and finds its end.
template <ByteClass Ends>
Name lower_name(char* at, const char* end) {
    bool has_null = false;
    for (;; ++at) {
        const std::uint8_t byte_class = byte_classes[static_cast<unsigned char>(*at)];
        if (byte_class == 0) continue;
        if ((byte_class & Ends) != 0 || at == end) return {at, has_null};
        if (byte_class == upper) *at = to_lower(*at);
        if (byte_class == null) has_null = true;
    }
}

constexpr bool may_be_reference(char after_ampersand) {
    return after_ampersand == '#' || is_alphanumeric(after_ampersand);
}

}  // namespace

Tokenizer::Tokenizer(SourceText& source, std::vector<Attribute>& attributes, std::uint32_t attribute_limit)
    : source_(source),
      attributes_(attributes),
      at_(source.bytes.data()),
      end_(source.bytes.data() + source.bytes.size()),
      attribute_limit_(std::min<std::uint32_t>(attribute_limit, UINT16_MAX)),
      kept_attributes_(attributes.size()),
      last_tag_with_(listed_attributes, 0) {}

Token& Tokenizer::next() {
    switch (state_) {
        case TokenizerState::data: return next_in_data();
        case TokenizerState::cdata: return next_in_cdata();
        default: return next_in_raw_text();
    }
}

Token& Tokenizer::make_token(TokenKind kind, std::string_view text) {
    token_.kind = kind;
    token_.text = text;
    return token_;
}

Token& Tokenizer::end_of_file() {
    at_ = end_;
    return make_token(TokenKind::end_of_file, {});
}

Token& Tokenizer::characters_up_to(char* end) {
    const std::string_view text(at_, static_cast<std::size_t>(end - at_));
    at_ = end;
    return make_token(TokenKind::characters, text);
}

Token& Tokenizer::null_run(char* end) {
    char* run_end = at_;
    while (run_end != end && *run_end == '\0') ++run_end;
    Token& token = characters_up_to(run_end);
    token.kind = TokenKind::null_characters;
    return token;
}

// The reference at the current place, if there is one that ends before `end`.
Token* Tokenizer::reference(char* end) {
    const std::string_view source(at_, static_cast<std::size_t>(end - at_));
    const CharacterReference found = read_character_reference(source, ReferenceContext::text);
    if (found.source_bytes == 0) return nullptr;
    at_ += found.source_bytes;
    return &make_token(TokenKind::characters, source_.text.copy(found.text()));
}

// Looking at the byte after `<` or `&` is safe everywhere: the page's bytes end with a NUL of std::string's.
Token& Tokenizer::next_in_data() {
    char* scan = at_;
    for (;;) {
        scan = find_first<'<', '&', '\0'>(scan, end_);
        if (scan == end_) return at_ == end_ ? end_of_file() : characters_up_to(end_);
        if (*scan == '<') {
            const char after = scan[1];
            if (!is_alpha(after) && after != '/' && after != '!' && after != '?') {
                ++scan;
                continue;
            }
            if (scan != at_) return characters_up_to(scan);
            if (Token* token = markup()) return *token;
            if (state_ != TokenizerState::data) return next();
            scan = at_ != scan ? at_ : end_;  // a lone "</" at the very end is text
        } else if (*scan == '&') {
            if (may_be_reference(scan[1])) {
                if (scan != at_) return characters_up_to(scan);
                if (Token* token = reference(end_)) return *token;
            }
            ++scan;
        } else {
            return scan != at_ ? characters_up_to(scan) : null_run(end_);
        }
    }
}

// At a `<` that a letter, `/`, `!` or `?` follows. Nothing is returned if it stood for nothing.
Token* Tokenizer::markup() {
    switch (at_[1]) {
        case '/': return end_tag_open();
        case '!': return markup_declaration();
        case '?': return &processing_instruction();
        default: ++at_; return &tag(TokenKind::start_tag);
    }
}

Token* Tokenizer::end_tag_open() {
    const char first = at_[2];
    if (at_ + 2 == end_) return nullptr;
    at_ += 2;
    if (is_alpha(first)) return &tag(TokenKind::end_tag);
    if (first != '>') return &bogus_comment();
    ++at_;
    return nullptr;
}

Token& Tokenizer::tag(TokenKind kind) {
    attributes_.resize(kept_attributes_);
    ++tag_number_;
    token_.kind = kind;
    token_.self_closing = false;
    token_.attribute_count = 0;
    token_.first_attribute = static_cast<std::uint32_t>(kept_attributes_);
    read_tag_name();
    if (*at_ == '>') {
        ++at_;
        return token_;
    }
    return read_attributes() ? token_ : end_of_file();
}

void Tokenizer::read_tag_name() {
    const Name found = lower_name<ends_tag_name>(at_, end_);
    const std::string_view name = found.has_null
                                      ? replace_nulls(at_, found.end)
                                      : std::string_view(at_, static_cast<std::size_t>(found.end - at_));
    at_ = found.end;
    token_.tag = source_.tag_number(name);
}

// Reads up to and with the `>`. False at the end of the page: the standard drops such a tag.
bool Tokenizer::read_attributes() {
    for (;;) {
        skip_space();
        if (*at_ == '>') {
            ++at_;
            return true;
        }
        if (at_ == end_) return false;
        if (*at_ != '/') {
            read_attribute();
        } else if (*++at_ == '>') {
            ++at_;
            token_.self_closing = true;
            return true;
        }
    }
}

void Tokenizer::read_attribute() {
    char* begin = at_;
    const Name found = lower_name<ends_attribute_name>(*at_ == '=' ? at_ + 1 : at_, end_);
    const std::string_view name = found.has_null
                                      ? replace_nulls(begin, found.end)
                                      : std::string_view(begin, static_cast<std::size_t>(found.end - begin));
    at_ = found.end;
    skip_space();
    std::string_view value;
    if (*at_ == '=') {
        ++at_;
        skip_space();
        value = read_value();
    }
    if (token_.kind == TokenKind::start_tag) store_attribute(name, value);
}

void Tokenizer::store_attribute(std::string_view name, std::string_view value) {
    if (token_.attribute_count >= attribute_limit_) {
        attribute_limit_hit_ = true;
        return;
    }
    const Attr number = source_.attribute_number(name);
    const auto index = static_cast<std::size_t>(number);
    if (index == NameTable::overflow) {
        attribute_limit_hit_ = true;
        return;
    }
    if (index >= last_tag_with_.size()) last_tag_with_.resize(index + 64, 0);
    std::uint32_t& last_tag = last_tag_with_.data()[index];  // there is room for it: see above
    if (std::exchange(last_tag, tag_number_) == tag_number_) return;
    attributes_.push_back({number, AttributeNamespace::none, value});
    ++token_.attribute_count;
}

std::string_view Tokenizer::read_value() {
    if (*at_ == '"') return read_quoted_value<'"'>();
    if (*at_ == '\'') return read_quoted_value<'\''>();
    return read_unquoted_value();
}

template <char Quote>
std::string_view Tokenizer::read_quoted_value() {
    char* begin = ++at_;
    char* stop = find_first<Quote, '&', '\0'>(begin, end_);
    const bool literal = stop == end_ || *stop == Quote;
    if (!literal) stop = find_first<Quote, Quote, Quote>(stop, end_);
    at_ = stop == end_ ? stop : stop + 1;
    return literal ? std::string_view(begin, static_cast<std::size_t>(stop - begin))
                   : decode_value(begin, stop);
}

std::string_view Tokenizer::read_unquoted_value() {
    char* begin = at_;
    bool literal = true;
    for (; at_ != end_ && *at_ != '>' && !is_space(*at_); ++at_) {
        if (*at_ == '&' || *at_ == '\0') literal = false;
    }
    return literal ? std::string_view(begin, static_cast<std::size_t>(at_ - begin))
                   : decode_value(begin, at_);
}

// Most values with an ampersand are links whose query has no reference in it: those remain slices.
std::string_view Tokenizer::decode_value(char* begin, char* end) {
    scratch_.clear();
    char* copied = begin;
    for (char* scan = begin; (scan = find_first<'&', '\0', '\0'>(scan, end)) != end;) {
        CharacterReference found;
        if (*scan == '&') {
            const std::string_view source(scan, static_cast<std::size_t>(end - scan));
            found = read_character_reference(source, ReferenceContext::attribute);
        }
        const bool is_null = *scan == '\0';
        if (found.source_bytes == 0 && !is_null) {
            ++scan;
            continue;
        }
        scratch_.append(copied, scan).append(is_null ? replacement_character : found.text());
        copied = scan += is_null ? 1 : found.source_bytes;
    }
    if (copied == begin) return {begin, static_cast<std::size_t>(end - begin)};
    scratch_.append(copied, end);
    return source_.values.copy(scratch_);
}

// The text with U+FFFD for NUL. A copy if there is one, else the text itself.
std::string_view Tokenizer::replace_nulls(char* begin, char* end) {
    const std::string_view text(begin, static_cast<std::size_t>(end - begin));
    if (text.find('\0') == std::string_view::npos) return text;
    std::string replaced;
    for (const char c : text) {
        if (c == '\0') {
            replaced += replacement_character;
        } else {
            replaced += c;
        }
    }
    return source_.values.copy(replaced);
}

void Tokenizer::skip_space() {
    while (is_space(*at_)) ++at_;
}

// The contents of elements that hold text only. Their end is found first; what lies before it is then handed
// out in runs, so that no state has to be kept from one run to the next.

Token& Tokenizer::next_in_raw_text() {
    if (section_end_ == nullptr) {
        // Without a start tag, as in a fragment, there is no end tag either.
        const bool is_endless = raw_end_tag_.empty() || state_ == TokenizerState::plaintext;
        section_end_ = is_endless                              ? end_
                       : state_ == TokenizerState::script_data ? find_script_end(at_)
                                                               : find_raw_end(at_);
    }
    char* const end = section_end_;
    char* scan = at_;
    while (at_ != end) {
        scan = state_ == TokenizerState::rcdata ? find_first<'&', '\0', '\0'>(scan, end)
                                                : find_first<'\0', '\0', '\0'>(scan, end);
        if (scan != at_ && (scan == end || *scan == '\0')) return characters_up_to(scan);
        if (*scan == '\0') {
            ++at_;
            return make_token(TokenKind::characters, source_.text.copy(replacement_character));
        }
        if (is_alphanumeric(scan[1]) || scan[1] == '#') {
            if (scan != at_) return characters_up_to(scan);
            if (Token* token = reference(end)) return *token;
        }
        ++scan;
    }
    if (end == end_) return end_of_file();
    state_ = TokenizerState::data;
    section_end_ = nullptr;
    return next_in_data();
}

// True at `opening` followed by `name` in any case and a byte that ends a tag's name.
bool Tokenizer::is_tag(const char* at, std::string_view opening, std::string_view name) const {
    const std::size_t length = opening.size() + name.size();
    if (static_cast<std::size_t>(end_ - at) <= length) return false;
    if (std::string_view(at, opening.size()) != opening) return false;
    if (!equals_ignore_case({at + opening.size(), name.size()}, name)) return false;
    const char after = at[length];
    return is_space(after) || after == '/' || after == '>';
}

char* Tokenizer::find_raw_end(char* at) const {
    while ((at = find_first<'<', '<', '<'>(at, end_)) != end_ && !is_tag(at, "</", raw_end_tag_)) ++at;
    return at;
}

// A script may hide in a comment (`<!--`), and in there another script's tags hide their own end tag.
char* Tokenizer::find_script_end(char* at) const {
    while ((at = find_first<'<', '<', '<'>(at, end_)) != end_) {
        if (is_tag(at, "</", raw_end_tag_)) return at;
        if (std::string_view(at, static_cast<std::size_t>(end_ - at)).starts_with("<!--")) {
            at += 4;
            if (char* found = find_escaped_script_end(at)) return found;
        } else {
            ++at;
        }
    }
    return at;
}

// Just after `<!--`. Returns the end of the script, or nothing with `at` behind the `-->`.
char* Tokenizer::find_escaped_script_end(char*& at) const {
    bool in_inner_script = false;
    while ((at = find_first<'<', '>', '>'>(at, end_)) != end_) {
        if (*at == '>') {
            // The two dashes may be those of the opening itself.
            const bool closes = at[-1] == '-' && at[-2] == '-';
            ++at;
            if (closes) return nullptr;
            continue;
        }
        if (is_tag(at, "</", "script")) {
            if (!in_inner_script && is_tag(at, "</", raw_end_tag_)) return at;
            in_inner_script = false;
        } else if (is_tag(at, "<", "script")) {
            in_inner_script = true;
        }
        ++at;
    }
    return end_;
}

}  // namespace quarry::html
