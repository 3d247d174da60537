#include "text/markdown/marks.h"

#include <algorithm>
#include <iterator>

#include "base/ascii.h"

namespace quarry::text {
namespace {

// Only what is known to be HTML is taken for a tag: "<int>" and "<T>" are words.
constexpr std::string_view tag_names[] = {
    "a",      "abbr",    "address",  "article",  "aside",  "audio",   "b",      "blockquote", "body",
    "br",     "button",  "caption",  "center",   "cite",   "code",    "col",    "colgroup",   "dd",
    "del",    "details", "div",      "dl",       "dt",     "em",      "embed",  "figcaption", "figure",
    "font",   "footer",  "form",     "h1",       "h2",     "h3",      "h4",     "h5",         "h6",
    "head",   "header",  "hr",       "html",     "i",      "iframe",  "img",    "input",      "ins",
    "kbd",    "label",   "li",       "link",     "main",   "mark",    "meta",   "nav",        "noscript",
    "object", "ol",      "option",   "p",        "param",  "picture", "pre",    "q",          "rp",
    "rt",     "ruby",    "s",        "samp",     "script", "section", "select", "small",      "source",
    "span",   "strike",  "strong",   "style",    "sub",    "summary", "sup",    "svg",        "table",
    "tbody",  "td",      "template", "textarea", "tfoot",  "th",      "thead",  "time",       "title",
    "tr",     "track",   "tt",       "u",        "ul",     "var",     "video",  "wbr",
};
static_assert(std::ranges::is_sorted(tag_names));

std::size_t line_end(std::string_view text, std::size_t at) {
    return std::min(text.find('\n', at), text.size());
}

std::size_t run_length(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && text[end] == text[at]) ++end;
    return end - at;
}

// Behind "- ", "* ", "+ ", "1. " and "1) ", or `at`. A longer number is a year at the begin of a line.
std::size_t behind_list_mark(std::string_view text, std::size_t at) {
    constexpr std::size_t most_digits = 3;
    std::size_t next = at;
    while (next < text.size() && next - at < most_digits && is_ascii_digit(text[next])) ++next;
    const std::string_view marks = next > at ? ".)" : "-*+";
    if (next + 1 >= text.size() || marks.find(text[next]) == std::string_view::npos) return at;
    return text[next + 1] == ' ' || text[next + 1] == '\t' ? next + 2 : at;
}

// Behind indentation and the marks of quotes and lists.
std::size_t behind_line_marks(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const bool is_mark = text[at] == ' ' || text[at] == '\t' || text[at] == '>';
        const std::size_t next = is_mark ? at + 1 : behind_list_mark(text, at);
        if (next == at) return at;
        at = next;
    }
    return at;
}

// Behind `"title"` and the like, if there is one.
std::size_t skip_title(std::string_view text, std::size_t at) {
    if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return at;
    constexpr std::size_t longest_title = 300;
    const std::size_t close = text.substr(0, at + longest_title).find(text[at], at + 1);
    return close == std::string_view::npos ? at : close + 1;
}

// Behind a link's destination: <in brackets>, or without spaces and with balanced parentheses.
std::size_t skip_destination(std::string_view text, std::size_t at) {
    if (at < text.size() && text[at] == '<') {
        const std::size_t close = text.find_first_of("<>\n", at + 1);
        return close != std::string_view::npos && text[close] == '>' ? close + 1 : at;
    }
    constexpr int deepest = 32;  // as other readers of markdown have it; it also keeps "](](](" linear
    int depth = 0;
    for (; at < text.size() && !is_ascii_space(text[at]); ++at) {
        if (text[at] == '(' && ++depth > deepest) return at;
        if (text[at] == ')' && --depth < 0) return at;
        if (text[at] == '\\') ++at;
    }
    return std::min(at, text.size());
}

// `](destination "title")`
std::size_t skip_link_target(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size() || text[at + 1] != '(') return at;
    std::size_t end = skip_destination(text, at + 2);
    if (end < text.size() && is_ascii_space(text[end])) {
        const std::size_t title = end + 1;
        end = skip_title(text, title);
        if (end == title) return at;
    }
    return end < text.size() && text[end] == ')' ? end + 1 : at;
}

// `[label]: destination "title"` at the begin of a line. A footnote's text is text.
std::size_t skip_reference_definition(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size() || text[at] != '[' || text[at + 1] == '^') return at;
    constexpr std::size_t longest_label = 200;
    const std::size_t close = text.substr(0, at + longest_label).find_first_of("]\n", at);
    if (close == std::string_view::npos || text.substr(close, 3) != "]: ") return at;
    const std::size_t destination = close + 3;
    std::size_t end = skip_destination(text, destination);
    // "[Note]: see below" is a sentence.
    if (text.substr(destination, end - destination).find_first_of("/#.") == std::string_view::npos) return at;
    if (end < text.size() && text[end] == ' ') end = skip_title(text, end + 1);
    while (end < text.size() && (text[end] == ' ' || text[end] == '\r')) ++end;
    return end >= text.size() || text[end] == '\n' ? end : at;
}

// &amp; &#39; &#x27;
std::size_t skip_entity(std::string_view text, std::size_t at) {
    constexpr std::size_t longest = 32;
    std::size_t end = at + 1;
    if (end < text.size() && text[end] == '#') ++end;
    while (end < text.size() && end - at < longest &&
           (is_ascii_letter(text[end]) || is_ascii_digit(text[end])))
        ++end;
    return end > at + 2 && end < text.size() && text[end] == ';' ? end + 1 : at;
}

bool is_tag_name(std::string_view name) {
    char folded[12];
    if (name.empty() || name.size() > sizeof folded) return false;
    std::ranges::transform(name, folded, to_ascii_lower);
    return std::ranges::binary_search(tag_names, std::string_view(folded, name.size()));
}

}  // namespace

Fence fence_at(std::string_view text, std::size_t line_begin) {
    const std::size_t at = behind_line_marks(text, line_begin);
    if (at >= text.size() || (text[at] != '`' && text[at] != '~')) return {};
    const std::size_t length = run_length(text, at);
    if (length < 3) return {};
    // ```like this``` is a code span.
    if (text[at] == '`' &&
        text.substr(0, line_end(text, at)).find('`', at + length) != std::string_view::npos)
        return {};
    return {text[at], length, at + length};
}

bool closes_fence(std::string_view text, std::size_t line_begin, const Fence& fence) {
    std::size_t at = line_begin;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '>')) ++at;
    if (at >= text.size() || text[at] != fence.mark) return false;
    const std::size_t length = run_length(text, at);
    if (length < fence.length) return false;
    for (at += length; at < text.size() && text[at] != '\n'; ++at)
        if (!is_ascii_space(text[at])) return false;
    return true;
}

std::size_t MarkdownMarks::enter_line(std::size_t at) {
    if (at == closing_line_) return line_end(text_, at);
    if (is_code(at)) return at;
    const std::size_t begin = behind_line_marks(text_, at);
    if (begin >= text_.size()) return begin;
    if (text_[begin] == '[') return skip_reference_definition(text_, begin);
    if (text_[begin] != '`' && text_[begin] != '~') return begin;
    const Fence fence = fence_at(text_, begin);
    return fence.mark == 0 ? begin : enter_fence(fence);
}

// Looks for the closing fence at once. That is linear, as the scan does not look at fences again before it.
std::size_t MarkdownMarks::enter_fence(const Fence& fence) {
    const std::size_t info_end = line_end(text_, fence.marks_end);
    code_end_ = text_.size();
    for (std::size_t line = info_end; line < text_.size(); line = line_end(text_, line)) {
        ++line;
        if (!closes_fence(text_, line, fence)) continue;
        code_end_ = closing_line_ = line;
        break;
    }
    return info_end;
}

std::size_t MarkdownMarks::skip(std::size_t at) {
    if (is_code(at)) return at;
    switch (text_[at]) {
        case '`': return enter_code_span(at);
        case '<': return skip_tag(at);
        case ']': return skip_link_target(text_, at);
        case '&': return skip_entity(text_, at);
        default: return at;
    }
}

// A span ends with as many backticks as it began with, in the same paragraph; otherwise it is none.
std::size_t MarkdownMarks::enter_code_span(std::size_t at) {
    const std::size_t length = run_length(text_, at), begin = at + length;
    if (length >= unclosed_until_.size() || at < unclosed_until_[length]) return begin;
    std::size_t end = begin;
    while (end < text_.size()) {
        if (text_[end] == '\n' && (end + 1 == text_.size() || text_[end + 1] == '\n')) break;
        const std::size_t run = text_[end] == '`' ? run_length(text_, end) : 1;
        if (text_[end] == '`' && run == length) {
            code_end_ = end;
            return begin;
        }
        end += run;
    }
    unclosed_until_[length] = end;
    return begin;
}

std::size_t MarkdownMarks::skip_tag(std::size_t at) {
    if (text_.substr(at, 4) == "<!--") {
        const std::size_t end = has_no_comment_end_ ? std::string_view::npos : text_.find("-->", at + 4);
        has_no_comment_end_ = end == std::string_view::npos;
        return has_no_comment_end_ ? at : end + 3;
    }
    std::size_t name = at + 1;
    if (name < text_.size() && text_[name] == '/') ++name;
    std::size_t end = name;
    while (end < text_.size() && end - name < 12 &&
           (is_ascii_letter(text_[end]) || is_ascii_digit(text_[end])))
        ++end;
    if (!is_tag_name(text_.substr(name, end - name))) return at;
    // No '<' inside, or a page of "<b <b <b" would be read again and again.
    const std::size_t close = text_.find_first_of("<>", end);
    if (close == std::string_view::npos || text_[close] != '>') return at;
    const std::string_view attributes = text_.substr(end, close - end);
    // "a <b and c> d" compares.
    const bool is_bare = attributes.find_first_not_of(" /\n") == std::string_view::npos;
    const bool has_attributes = is_ascii_space(attributes.empty() ? 'x' : attributes[0]) &&
                                attributes.find('=') != std::string_view::npos;
    return is_bare || has_attributes ? close + 1 : at;
}

}  // namespace quarry::text
