#include "search/plain_passage.h"

#include <algorithm>

#include "base/ascii.h"

namespace quarry::search {
namespace {

// A byte of a word: bytes above ASCII are taken for letters.
bool is_letter(char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool is_punctuation(char c) {
    return c > ' ' && c < 0x7F && !is_letter(c);
}

std::size_t run_length(std::string_view text, char c) {
    return std::min(text.find_first_not_of(c), text.size());
}

class Writer {
public:
    explicit Writer(std::size_t size) { out_.reserve(size); }

    void put(char c) {
        if (!is_ascii_space(c)) {
            if (pending_space_ && !out_.empty()) out_ += ' ';
            pending_space_ = false;
            out_ += c;
        } else {
            pending_space_ = true;
        }
    }
    void put(std::string_view text) {
        for (const char c : text) put(c);
    }
    std::string take() { return std::move(out_); }

private:
    std::string out_;
    bool pending_space_ = false;
};

// What stands inside a line: emphasis, code, links, escapes.
class InlineReader {
public:
    InlineReader(std::string_view line, Writer& writer) : line_(line), writer_(writer) {}

    void read() {
        while (at_ < line_.size()) {
            switch (line_[at_]) {
                case '\\': escape(); break;
                case '`': code(); break;
                case '*':
                case '_':
                case '~': emphasis(); break;
                case '!': image(); break;
                case '[': bracket(); break;
                case ']': bracket_end(); break;
                case '<': angle(); break;
                default: writer_.put(line_[at_++]);
            }
        }
    }

private:
    char next(std::size_t n = 1) const { return at_ + n < line_.size() ? line_[at_ + n] : '\0'; }
    char before() const { return at_ > 0 ? line_[at_ - 1] : '\0'; }

    void escape() {
        if (is_punctuation(next())) ++at_;
        writer_.put(line_[at_++]);
    }

    // The code between two runs of as many backticks, as it is.
    void code() {
        const std::size_t ticks = run_length(line_.substr(at_), '`');
        at_ += ticks;
        if (ticks > longest_run) return;
        const std::size_t end = line_.find(std::string(ticks, '`'), at_);
        if (end == std::string_view::npos) return;
        writer_.put(line_.substr(at_, end - at_));
        at_ = end + ticks;
    }

    // Marks touch a word on one side only: "a * b", "2*3" and "foo_bar" have none.
    void emphasis() {
        const char mark = line_[at_];
        const std::size_t count = run_length(line_.substr(at_), mark);
        const char after = next(count);
        const bool inside_word = is_letter(before()) && is_letter(after);
        const bool alone =
            (before() == '\0' || is_ascii_space(before())) && (after == '\0' || is_ascii_space(after));
        if (inside_word || alone || (mark == '~' && count < 2)) writer_.put(line_.substr(at_, count));
        at_ += count;
    }

    void image() {
        if (next() != '[') writer_.put('!');
        ++at_;
    }

    // Of a link, or of arr[0].
    void bracket() {
        const std::string_view rest = line_.substr(at_, longest_target);
        const std::size_t end = rest.find(']');
        const bool link = end != std::string_view::npos && rest.substr(end).starts_with("](");
        if (link)
            ++open_links_;
        else
            writer_.put('[');
        ++at_;
    }

    // A link's text is written by now; its target is left out.
    void bracket_end() {
        const std::size_t end = line_.substr(at_, longest_target).find(')');
        if (open_links_ > 0 && next() == '(' && end != std::string_view::npos) {
            --open_links_;
            at_ += end + 1;
        } else {
            writer_.put(line_[at_++]);
        }
    }

    // An address in angle brackets is shown without them. Anything else, such as vector<int>, stays.
    void angle() {
        const std::string_view rest = line_.substr(at_ + 1, longest_target);
        const bool address = rest.starts_with("http://") || rest.starts_with("https://");
        const std::size_t end = address ? rest.find('>') : std::string_view::npos;
        if (end != std::string_view::npos) {
            writer_.put(rest.substr(0, end));
            at_ += end + 2;
        } else {
            writer_.put(line_[at_++]);
        }
    }

    // Searches for an end are bounded by these, so that a line of openings takes linear time.
    static constexpr std::size_t longest_target = 2'000, longest_run = 16;

    std::string_view line_;
    Writer& writer_;
    std::size_t at_ = 0;
    int open_links_ = 0;
};

// Without the marks that make a line a heading, a quote, a list item or a row of a table.
std::string_view without_line_marks(std::string_view line) {
    line = trimmed(line);
    while (line.starts_with('>')) line = trimmed(line.substr(1));
    if (const std::size_t marks = run_length(line, '#');
        marks > 0 && marks <= 6 && line.size() > marks && is_ascii_space(line[marks]))
        line = trimmed(line.substr(marks));
    if (line.size() > 1 && std::string_view("-*+").find(line[0]) != std::string_view::npos &&
        is_ascii_space(line[1]))
        line = trimmed(line.substr(2));
    if (line.starts_with('|')) line = trimmed(line.substr(1));
    if (line.ends_with('|') && !line.ends_with("\\|")) line = trimmed(line.substr(0, line.size() - 1));
    return line;
}

// "---", "|---|:--|", "* * *", "====": lines that only draw.
bool only_draws(std::string_view line) {
    return !line.empty() && line.find_first_not_of("-=*_|:+ \t\r") == std::string_view::npos;
}

// The fence that a line opens: "```" of any length, or "".
std::string_view fence_of(std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with("```") && !line.starts_with("~~~")) return {};
    const std::string_view fence = line.substr(0, run_length(line, line[0]));
    const bool inline_code = line.substr(fence.size()).find('`') != std::string_view::npos;
    return inline_code ? std::string_view() : fence;
}

}  // namespace

std::string plain_passage(std::string_view markdown) {
    Writer writer(markdown.size());
    std::string_view open_fence;
    while (!markdown.empty()) {
        const std::size_t end = std::min(markdown.find('\n'), markdown.size());
        const std::string_view line = markdown.substr(0, end);
        markdown.remove_prefix(std::min(end + 1, markdown.size()));
        const std::string_view fence = fence_of(line);
        if (open_fence.empty() && !fence.empty()) {
            open_fence = fence;
        } else if (!open_fence.empty() && fence.starts_with(open_fence) && fence == trimmed(line)) {
            open_fence = {};
        } else if (!open_fence.empty()) {
            writer.put(line);
        } else if (!only_draws(line)) {
            InlineReader(without_line_marks(line), writer).read();
        }
        writer.put(' ');
    }
    return writer.take();
}

}  // namespace quarry::search
