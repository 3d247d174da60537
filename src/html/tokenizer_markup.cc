// Comments, doctypes, CDATA sections and processing instructions: everything that begins with `<!` or `<?`.
#include <algorithm>
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
    if (!equals_ignoring_case({at_, lower.size()}, lower)) return false;
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
    if (target.empty() || !delimited || equals_ignoring_case(target, "xml") ||
        equals_ignoring_case(target, "xml-stylesheet")) {
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

}  // namespace quarry::html
