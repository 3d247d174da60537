#include "extract/markdown/inline_run.h"

#include <algorithm>

#include "extract/markdown/escape.h"

namespace quarry::extract::markdown {

bool InlineRun::is_open(Format format) const {
    return std::ranges::any_of(wanted_, [&](const Open& open) { return open.format == format; });
}

// Emphasis inside emphasis is kept once; deeper nesting says nothing more.
bool InlineRun::open(Format format) {
    const auto depth = std::ranges::count(wanted_, format, &Open::format);
    if (depth >= (format <= Format::emphasis ? 2 : 1)) return false;
    end_code();
    wanted_.push_back({.format = format});
    return true;
}

bool InlineRun::open_link(std::string_view destination, std::string_view title) {
    if (is_open(Format::link)) return false;
    end_code();
    const auto begin = static_cast<std::uint32_t>(link_text_.size());
    link_text_ += destination;
    link_text_ += title;
    links_.push_back({.destination = begin,
                      .title = begin + static_cast<std::uint32_t>(destination.size()),
                      .end = static_cast<std::uint32_t>(link_text_.size())});
    wanted_.push_back({.format = Format::link, .link = static_cast<std::uint32_t>(links_.size() - 1)});
    return true;
}

void InlineRun::close() {
    end_code();
    wanted_.pop_back();
}

std::string_view InlineRun::destination(const Link& link) const {
    return std::string_view(link_text_).substr(link.destination, link.title - link.destination);
}

std::string_view InlineRun::title(const Link& link) const {
    return std::string_view(link_text_).substr(link.title, link.end - link.title);
}

// How many of the formats that are written are still wanted.
std::size_t InlineRun::common_depth() const {
    std::size_t depth = 0;
    while (depth < written_.size() && depth < wanted_.size() &&
           written_[depth].format == wanted_[depth].format && written_[depth].link == wanted_[depth].link) {
        ++depth;
    }
    return depth;
}

void InlineRun::add_mark(const Open& open, bool opens, std::uint32_t partner) {
    marks_.push_back({.offset = static_cast<std::uint32_t>(text_.size()),
                      .partner = partner,
                      .link = open.link,
                      .format = open.format,
                      .opens = opens});
}

// Emphasis inside of emphasis is told apart by the other delimiter, which people can read as well: *a _b_ c*.
void InlineRun::mark_inner(const Open& open) {
    const bool inner = std::ranges::count(written_, open.format, &Open::format) > 1;
    if (inner) marks_.back().form = Form::underscore;
    has_inner_ |= inner;
}

// <b><strong>all of it</strong></b> is one emphasis.
void InlineRun::drop_repeated_marks() {
    std::vector<bool> dropped(marks_.size());
    for (std::size_t i = 1; i < marks_.size(); ++i) {
        if (!marks_[i].opens) continue;
        for (std::size_t outer = i;
             outer-- > 0 && marks_[outer].offset == marks_[i].offset && marks_[outer].opens;) {
            const bool same = marks_[outer].format == marks_[i].format && marks_[i].format != Format::link &&
                              marks_[marks_[outer].partner].offset == marks_[marks_[i].partner].offset;
            if (same) dropped[i] = dropped[marks_[i].partner] = true;
        }
    }
    std::vector<std::uint32_t> place(marks_.size());
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
        place[i] = kept;
        if (!dropped[i]) marks_[kept++] = marks_[i];
    }
    marks_.resize(kept);
    for (Mark& mark : marks_) mark.partner = place[mark.partner];
}

void InlineRun::close_down_to(std::size_t depth) {
    while (written_.size() > depth) {
        const Open open = written_.back();
        written_.pop_back();
        marks_[open.mark].partner = static_cast<std::uint32_t>(marks_.size());
        add_mark(open, false, open.mark);
        marks_.back().form = marks_[open.mark].form;
    }
}

void InlineRun::write_separator() {
    if (breaks_ == 0 && !space_) {
        glued_ = false;
        return;
    }
    if (!text_.empty() && breaks_ > 0) {
        switch (break_style_) {
            case BreakStyle::hard: text_ += "  \n"; break;
            case BreakStyle::space: text_ += ' '; break;
            case BreakStyle::tag: text_ += "<br>"; break;
        }
    } else if (!text_.empty() && space_) {
        text_ += ' ';
    }
    breaks_ = 0;
    space_ = glued_ = false;
}

// Before visible content: ends what is over, writes the space between, begins what is wanted.
void InlineRun::prepare() {
    if (wanted_.empty() && written_.empty()) {
        write_separator();
        return;
    }
    const std::size_t depth = common_depth();
    const auto is_link = [](const Open& open) { return open.format == Format::link; };
    const bool touches = !space_ && breaks_ == 0;
    // "!" in front of a link would make it an image.
    if (touches && text_.ends_with('!') && std::any_of(wanted_.begin() + depth, wanted_.end(), is_link)) {
        text_.insert(text_.size() - 1, 1, '\\');
    }
    close_down_to(depth);
    write_separator();
    for (std::size_t i = depth; i < wanted_.size(); ++i) {
        written_.push_back(wanted_[i]);
        written_.back().mark = static_cast<std::uint32_t>(marks_.size());
        add_mark(wanted_[i], true, 0);
        mark_inner(wanted_[i]);
    }
}

char InlineRun::byte_before() const {
    const std::size_t depth = common_depth();
    if (depth < wanted_.size()) return mark_byte;
    if (text_.empty()) return '\0';
    if (space_ || breaks_ > 0) return ' ';
    const bool after_mark =
        depth < written_.size() || (!marks_.empty() && marks_.back().offset == text_.size());
    return after_mark ? mark_byte : text_.back();
}

void InlineRun::text(std::string_view text) {
    end_code();
    std::size_t i = 0;
    while (i < text.size()) {
        const std::size_t start = i;
        switch (byte_class(text[i])) {
            case ByteClass::plain:
                i = find_plain_end(text, start);
                put(text.substr(start, i - start));
                break;
            case ByteClass::space:
                space();
                while (++i < text.size() && byte_class(text[i]) == ByteClass::space) {
                }
                break;
            case ByteClass::dropped: ++i; break;
            case ByteClass::special:
            case ByteClass::lead: i = write_special(text, i); break;
        }
    }
}

// Writes the character at text[at], or the run of delimiters there, and returns where to go on.
std::size_t InlineRun::write_special(std::string_view text, std::size_t at) {
    if (byte_class(text[at]) == ByteClass::lead) {
        const Invisible invisible = read_invisible(text, at);
        if (invisible.is_space) space();
        if (invisible.bytes > 0) return at + invisible.bytes;
        put(text.substr(at, 1));
        return at + 1;
    }
    const EscapeContext context{.before = byte_before(),
                                .in_link = is_open(Format::link),
                                .in_strike = is_open(Format::strike),
                                .has_math = has_math_};
    const bool escaped = needs_backslash(text, at, context);
    const bool is_run = text[at] == '*' || text[at] == '_' || text[at] == '~';
    const std::size_t end = is_run ? std::min(text.find_first_not_of(text[at], at), text.size()) : at + 1;
    if (!escaped) {
        put(text.substr(at, end - at));
        return end;
    }
    prepare();
    for (std::size_t i = at; i < end; ++i) {
        text_ += '\\';
        text_ += text[i];
    }
    return end;
}

void InlineRun::put(std::string_view piece) {
    prepare();
    const bool touches_bracket =
        text_.ends_with(']') && (marks_.empty() || marks_.back().offset < text_.size());
    // Only now is it known what follows the bracket: a destination, a label or a definition.
    if (touches_bracket && bracket_end_ == text_.size() && std::string_view("([:").contains(piece.front())) {
        text_.insert(text_.size() - 1, 1, '\\');
    }
    text_ += piece;
    bracket_end_ = piece == "]" ? text_.size() : 0;
}

void InlineRun::code(std::string_view text) {
    const auto is_ordinary = [&](std::size_t at) {
        const ByteClass kind = byte_class(text[at]);
        return kind == ByteClass::plain || kind == ByteClass::special ||
               (kind == ByteClass::lead && read_invisible(text, at).bytes == 0);
    };
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t start = i;
        while (i < text.size() && is_ordinary(i)) ++i;
        if (i > start) {
            code_ += text.substr(start, i - start);
            code_ends_line_ = false;
        } else {
            i = code_blank(text, i);
        }
    }
}

// Takes the blank, invisible or control character at text[at], and returns where to go on.
std::size_t InlineRun::code_blank(std::string_view text, std::size_t at) {
    const ByteClass kind = byte_class(text[at]);
    if (kind == ByteClass::space) {
        // White space at the edge that has a line break in it is layout of the source, not code.
        code_ends_line_ = code_ends_line_ || text[at] == '\n';
        if (text[at] == '\n' && code_ == " ") code_.clear();
        if (!code_.ends_with(' ') && !(code_ends_line_ && code_.empty())) code_ += ' ';
        return at + 1;
    }
    if (kind == ByteClass::dropped) return at + 1;
    const Invisible invisible = read_invisible(text, at);
    if (invisible.is_space) code_ += ' ';
    return at + invisible.bytes;
}

namespace {

// Joining copies what is there, so it has to end somewhere.
constexpr std::size_t longest_joined_code = 4096;

std::size_t longest_run_of_backticks(std::string_view text) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

}  // namespace

// A code span's fence is longer than any run of backticks in it; a space is put between where they would
// touch.
void InlineRun::write_code() {
    if (code_ends_line_ && code_.ends_with(' ')) code_.pop_back();
    code_ends_line_ = false;
    if (code_.empty()) return;
    prepare();
    const bool touches = code_span_.end == text_.size() && code_span_.end > 0 &&
                         (marks_.empty() || marks_.back().offset < text_.size());
    if (touches && code_span_.content.size() < longest_joined_code) {
        code_.insert(0, code_span_.content);
        text_.resize(code_span_.begin);
    } else if (touches) {
        text_ += ' ';
    }
    code_span_.begin = static_cast<std::uint32_t>(text_.size());
    const bool spaced = code_.front() == ' ' && code_.back() == ' ';
    if (spaced && code_.find_first_not_of(' ') != std::string::npos) {
        code_.pop_back();
        code_.erase(0, 1);
    }
    const std::string fence(longest_run_of_backticks(code_) + 1, '`');
    const bool padded = code_.front() == '`' || code_.back() == '`';
    text_ += fence;
    if (padded) text_ += ' ';
    text_ += code_;
    if (padded) text_ += ' ';
    text_ += fence;
    code_span_.end = static_cast<std::uint32_t>(text_.size());
    code_span_.content.swap(code_);
    code_.clear();
}

void InlineRun::raw(std::string_view markdown) {
    end_code();
    prepare();
    text_ += markdown;
}

// A space between two emphases keeps them apart, so what ended before it is closed now.
void InlineRun::space() {
    end_code();
    if (space_ || glued_) return;
    if (!written_.empty()) close_down_to(common_depth());
    space_ = true;
}

void InlineRun::line_break() {
    end_code();
    if (!written_.empty()) close_down_to(common_depth());
    if (!text_.empty()) ++breaks_;
}

void InlineRun::discard() {
    text_.clear();
    code_.clear();
    marks_.clear();
    written_.clear();
    code_span_.end = 0;
    bracket_end_ = 0;
    breaks_ = 0;
    space_ = false;
    code_ends_line_ = false;
    has_inner_ = false;
    if (wanted_.empty()) {
        links_.clear();
        link_text_.clear();
    }
}

void InlineRun::finish(std::string& out) {
    end_code();
    if (!written_.empty()) close_down_to(0);
    if (marks_.empty()) {
        out += text_;
    } else {
        if (has_inner_) drop_repeated_marks();
        choose_forms(text_, marks_);
        append_with_marks(out);
    }
    discard();
}

void InlineRun::append_with_marks(std::string& out) {
    std::size_t written = 0;
    for (std::size_t i = 0; i < marks_.size();) {
        out.append(text_, written, marks_[i].offset - written);
        written = marks_[i].offset;
        if (marks_[i].format != Format::link) {
            out += spelling(marks_[i++]);
            continue;
        }
        const std::size_t next = append_link_mark(out, i);
        if (next > i + 1) written = marks_[next - 1].offset;  // an autolink took its text along
        i = next;
    }
    out.append(text_, written);
}

// Writes one end of a link and returns the index of the next mark to write. A link that is over the budget is
// left out: its closing mark is told so by its form.
std::size_t InlineRun::append_link_mark(std::string& out, std::size_t index) {
    const Mark& mark = marks_[index];
    const Link& link = links_[mark.link];
    if (!mark.opens) {
        if (mark.form == Form::tag) return index + 1;
        out += "](";
        append_destination(out, destination(link));
        append_title(out, title(link));
        out += ')';
        return index + 1;
    }
    if (link_budget_ < link.end - link.destination) {
        marks_[mark.partner].form = Form::tag;
        return index + 1;
    }
    link_budget_ -= link.end - link.destination;
    if (!is_autolink(mark, index)) {
        out += '[';
        return index + 1;
    }
    out += '<';
    out.append(text_, mark.offset, marks_[mark.partner].offset - mark.offset);
    out += '>';
    return mark.partner + 1;
}

// True if the link's text is its own destination, which <…> says shorter.
bool InlineRun::is_autolink(const Mark& mark, std::size_t index) const {
    const Link& link = links_[mark.link];
    if (mark.partner != index + 1 || link.title != link.end) return false;
    std::string_view shown =
        std::string_view(text_).substr(mark.offset, marks_[mark.partner].offset - mark.offset);
    std::string_view target = destination(link);
    if (target.starts_with("mailto:")) target.remove_prefix(7);
    if (target.ends_with('/') && !shown.ends_with('/')) target.remove_suffix(1);
    return shown == target && shown.find_first_of(" <>\\") == std::string_view::npos &&
           (shown.starts_with("http://") || shown.starts_with("https://") || shown.starts_with("ftp://") ||
            (destination(link).starts_with("mailto:") && shown.find('@') != std::string_view::npos));
}

}  // namespace quarry::extract::markdown
