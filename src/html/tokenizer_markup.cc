// Comments, doctypes, CDATA sections and processing instructions: everything that begins with `<!` or `<?`.
#include <algorithm>
#include <array>
#include <cstring>

#include "html/characters.h"
#include "html/tokenizer.h"

namespace quarry::html {

namespace {

constexpr bool is_target_start(char c) {
    return is_alpha(c) || c == '_';
}
constexpr bool is_target_part(char c) {
    return is_target_start(c) || is_digit(c) || c == '-';
}

// Comments cut off by the end of the page lose the dashes that might have closed them.
char* without_unfinished_close(char* begin, char* end) {
    const std::string_view data(begin, static_cast<std::size_t>(end - begin));
    for (const std::string_view close : {"--!", "--", "-"}) {
        if (data.ends_with(close)) return end - close.size();
    }
    return end;
}

}  // namespace

// True, and behind the word, if it comes next in any case.
bool Tokenizer::skip_word(std::string_view lower) {
    if (static_cast<std::size_t>(end_ - at_) < lower.size()) return false;
    if (!equals_ignore_case({at_, lower.size()}, lower)) return false;
    at_ += lower.size();
    return true;
}

Token* Tokenizer::markup_declaration() {
    at_ += 2;
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (rest.starts_with("--")) return &read_comment();
    if (cdata_allowed_ && rest.starts_with("[CDATA[")) {
        at_ += 7;
        set_state(TokenizerState::cdata, {});
        return nullptr;
    }
    if (skip_word("doctype")) return &read_doctype();
    return &bogus_comment();
}

Token& Tokenizer::read_comment() {
    char* const begin = at_ += 2;
    const std::string_view rest(begin, static_cast<std::size_t>(end_ - begin));
    for (const std::string_view abrupt : {">", "->"}) {
        if (!rest.starts_with(abrupt)) continue;
        at_ += abrupt.size();
        return make_token(TokenKind::comment, {});
    }
    for (char* scan = begin; (scan = find_first<'>', '>', '>'>(scan, end_)) != end_; ++scan) {
        const std::string_view data(begin, static_cast<std::size_t>(scan - begin));
        const std::size_t close = data.ends_with("--") ? 2 : data.ends_with("--!") ? 3 : 0;
        if (close == 0) continue;
        at_ = scan + 1;
        return make_token(TokenKind::comment, replace_nulls(begin, scan - close));
    }
    at_ = end_;
    return make_token(TokenKind::comment, replace_nulls(begin, without_unfinished_close(begin, end_)));
}

// What the standard cannot read between `<!`, `<?` or `</` and the next `>` is a comment.
Token& Tokenizer::bogus_comment() {
    char* const begin = at_;
    char* const close = find_first<'>', '>', '>'>(begin, end_);
    at_ = close == end_ ? close : close + 1;
    return make_token(TokenKind::comment, replace_nulls(begin, close));
}

// An instruction that the end of the page cuts off is dropped, as a tag would be.
Token& Tokenizer::processing_instruction() {
    char* const begin = ++at_ + 1;
    char* target_end = begin;
    if (is_target_start(*begin)) {
        while (is_target_part(*target_end)) ++target_end;
    }
    if (target_end == end_) return end_of_file();
    const std::string_view target(begin, static_cast<std::size_t>(target_end - begin));
    const bool delimited = is_space(*target_end) || *target_end == '?' || *target_end == '>';
    if (target.empty() || !delimited || equals_ignore_case(target, "xml") ||
        equals_ignore_case(target, "xml-stylesheet")) {
        return bogus_comment();
    }
    char* close = find_first<'>', '>', '>'>(target_end, end_);
    if (close == end_) return end_of_file();
    at_ = close + 1;
    if (close[-1] == '?') --close;
    char* data = target_end;
    while (data < close && is_space(*data)) ++data;
    if (data >= close) return make_token(TokenKind::processing_instruction, target);
    scratch_.assign(target).append(" ").append(replace_nulls(data, close));
    return make_token(TokenKind::processing_instruction, source_.values.copy(scratch_));
}

Token& Tokenizer::next_in_cdata() {
    if (section_end_ == nullptr) {
        const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
        section_end_ = at_ + std::min(rest.find("]]>"), rest.size());
    }
    char* const end = section_end_;
    if (at_ != end) {
        char* const stop = find_first<'\0', '\0', '\0'>(at_, end);
        return stop == at_ ? null_run(end) : characters_up_to(stop);
    }
    if (end == end_) return end_of_file();
    at_ = end + 3;
    set_state(TokenizerState::data, {});
    return next_in_data();
}

Token& Tokenizer::read_doctype() {
    doctype_ = {};
    skip_space();
    read_doctype_name();
    if (at_ != end_ && *at_ != '>') read_doctype_ids();
    skip_space();
    // The page ended too early. After junk behind the identifiers that no longer matters.
    if (at_ == end_) doctype_.force_quirks = true;
    char* const close = find_first<'>', '>', '>'>(at_, end_);
    at_ = close == end_ ? close : close + 1;
    return make_token(TokenKind::doctype, doctype_.name.value_or(std::string_view{}));
}

void Tokenizer::read_doctype_name() {
    char* const begin = at_;
    for (; at_ != end_ && *at_ != '>' && !is_space(*at_); ++at_) *at_ = to_lower(*at_);
    if (at_ == begin) {
        doctype_.force_quirks = true;
        return;
    }
    doctype_.name = replace_nulls(begin, at_);
    skip_space();
}

void Tokenizer::read_doctype_ids() {
    const bool is_public = skip_word("public");
    if (!is_public && !skip_word("system")) {
        doctype_.force_quirks = true;
        return;
    }
    skip_space();
    const std::optional<std::string_view> first = read_doctype_id();
    if (!first) {
        doctype_.force_quirks = true;
        return;
    }
    (is_public ? doctype_.public_id : doctype_.system_id) = first;
    if (!is_public || doctype_.force_quirks) return;
    skip_space();
    if (at_ == end_ || *at_ == '>') return;
    doctype_.system_id = read_doctype_id();
    if (!doctype_.system_id) doctype_.force_quirks = true;
}

// A quoted identifier. A `>` or the end of the page cuts it off, which makes the doctype one of quirks.
std::optional<std::string_view> Tokenizer::read_doctype_id() {
    const char quote = *at_;
    if (at_ == end_ || (quote != '"' && quote != '\'')) return std::nullopt;
    char* const begin = ++at_;
    while (at_ != end_ && *at_ != quote && *at_ != '>') ++at_;
    char* const close = at_;
    if (at_ == end_ || *at_ == '>') {
        doctype_.force_quirks = true;
    } else {
        ++at_;
    }
    return replace_nulls(begin, close);
}

namespace {

struct NamedReference {
    std::string_view name;
    std::string_view characters;
};

constexpr NamedReference named_references[] = {
#include "html/entities.inc"
};
constexpr std::size_t named_reference_count = std::size(named_references);

// Where the names that begin with each letter start; the last entry is the end of the table.
constexpr auto first_with_letter = [] {
    std::array<std::uint16_t, 129> starts{};
    std::size_t at = 0;
    for (std::size_t letter = 0; letter < starts.size(); ++letter) {
        while (at < named_reference_count &&
               static_cast<unsigned char>(named_references[at].name[0]) < letter) {
            ++at;
        }
        starts[letter] = static_cast<std::uint16_t>(at);
    }
    return starts;
}();

// The longest name that `text` begins with, or nothing. The table is sorted, so the names that agree with the
// text so far are a range that each further character narrows.
const NamedReference* find_longest_name(std::string_view text) {
    if (text.empty() || static_cast<unsigned char>(text[0]) >= 128) return nullptr;
    const auto letter = static_cast<unsigned char>(text[0]);
    const NamedReference* low = named_references + first_with_letter[letter];
    const NamedReference* high = named_references + first_with_letter[letter + 1U];
    const NamedReference* longest = nullptr;
    for (std::size_t length = 1; low != high; ++length) {
        if (low->name.size() == length) longest = low++;
        if (length == text.size()) break;
        const char next = text[length];
        low = std::partition_point(low, high, [&](const auto& entry) { return entry.name[length] < next; });
        high = std::partition_point(low, high, [&](const auto& entry) { return entry.name[length] == next; });
    }
    return longest;
}

CharacterReference named_reference(std::string_view source, ReferenceContext context) {
    const NamedReference* found = find_longest_name(source.substr(1));
    if (found == nullptr) return {};
    const std::size_t length = 1 + found->name.size();
    if (context == ReferenceContext::attribute && found->name.back() != ';' && length < source.size() &&
        (source[length] == '=' || is_alphanumeric(source[length]))) {
        return {};
    }
    CharacterReference reference{.source_bytes = length, .size = found->characters.size()};
    std::memcpy(reference.characters, found->characters.data(), found->characters.size());
    return reference;
}

// What browsers made of references to the C1 controls: windows-1252.
constexpr std::uint16_t c1_replacements[32] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

std::uint32_t scalar_value(std::uint32_t code) {
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code == 0 || code > 0x10FFFF || surrogate) return 0xFFFD;
    if (code >= 0x80 && code <= 0x9F) return c1_replacements[code - 0x80];
    return code;
}

std::size_t encode_utf8(std::uint32_t code, char* out) {
    if (code < 0x80) {
        out[0] = static_cast<char>(code);
        return 1;
    }
    const std::size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (std::size_t i = length - 1; i > 0; --i) {
        out[i] = static_cast<char>(0x80 | (code & 0x3F));
        code >>= 6;
    }
    constexpr unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = static_cast<char>(leads[length] | code);
    return length;
}

int digit_value(char c, bool hexadecimal) {
    if (is_digit(c)) return c - '0';
    const char lower = to_lower(c);
    return hexadecimal && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

CharacterReference numeric_reference(std::string_view source) {
    const bool hexadecimal = source.size() > 2 && to_lower(source[2]) == 'x';
    const std::size_t first = hexadecimal ? 3 : 2;
    std::size_t at = first;
    std::uint32_t code = 0;
    for (; at < source.size(); ++at) {
        const int digit = digit_value(source[at], hexadecimal);
        if (digit < 0) break;
        // Past the last code point only "too large" matters, and the number must not wrap around.
        code = std::min<std::uint32_t>(code * (hexadecimal ? 16 : 10) + static_cast<std::uint32_t>(digit),
                                       0x110000);
    }
    if (at == first) return {};
    if (at < source.size() && source[at] == ';') ++at;
    CharacterReference reference{.source_bytes = at};
    reference.size = encode_utf8(scalar_value(code), reference.characters);
    return reference;
}

}  // namespace

CharacterReference read_character_reference(std::string_view source, ReferenceContext context) {
    if (source.size() < 2) return {};
    return source[1] == '#' ? numeric_reference(source) : named_reference(source, context);
}

}  // namespace quarry::html
