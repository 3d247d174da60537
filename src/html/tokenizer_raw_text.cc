// The contents of elements that hold text only. Their end is found first; what lies before it is then handed
// out in runs, so that no state has to be kept from one run to the next.
#include <cstring>

#include "html/characters.h"
#include "html/tokenizer.h"

namespace quarry::html {

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
    if (!equals_ignoring_case({at + opening.size(), name.size()}, name)) return false;
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
