#include "search/snippet.h"

#include <algorithm>
#include <unordered_map>

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

namespace {

constexpr std::string_view ellipsis = "…";
// How far a cut moves to find a gap between words. Scripts without gaps are cut where the room ends.
constexpr std::size_t longest_word = 40;
// What the same word is worth when it occurs again: less than any other word.
constexpr float again = 0.1F;

struct Occurrence {
    std::uint32_t begin = 0, end = 0;
    std::size_t word = 0;  // of the query
};

struct Span {
    std::size_t begin = 0, end = 0;
};

std::vector<Occurrence> occurrences_of(const index::KeywordQuery& query, std::string_view text,
                                       text::TermReader& reader) {
    std::unordered_map<std::string_view, std::size_t> words;
    for (std::size_t i = 0; i < query.words.size(); ++i) words.emplace(query.words[i].term, i);
    std::vector<Occurrence> found;
    for (const text::Term& term : reader.read(text)) {
        const auto word = words.find(term.text);
        if (word != words.end()) found.push_back({term.begin, term.end, word->second});
    }
    std::ranges::stable_sort(found, {}, &Occurrence::begin);
    return found;
}

// A text whose places can be told in characters.
class Ruler {
public:
    explicit Ruler(std::string_view text) : text_(text) {
        columns_.reserve(text.size() + 1);
        std::size_t column = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            columns_.push_back(column);
            if (begins_character(i + 1)) ++column;
        }
        columns_.push_back(column);
    }

    std::size_t column(std::size_t byte) const { return columns_[byte]; }
    std::size_t total() const { return columns_.back(); }
    // The first byte of the character at that column.
    std::size_t byte(std::size_t column) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(columns_, column) - columns_.begin());
    }
    std::string_view text() const { return text_; }

private:
    bool begins_character(std::size_t i) const {
        return i >= text_.size() || (static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80;
    }

    std::string_view text_;
    std::vector<std::size_t> columns_;
};

// The occurrences that fit into the room together and say most about the query; empty if there are none.
Span best_cluster(const std::vector<Occurrence>& found, const index::KeywordQuery& query, const Ruler& ruler,
                  std::size_t room) {
    std::vector<int> counts(query.words.size());
    float score = 0, best_score = 0;
    Span best;
    std::size_t left = 0;
    const auto count = [&](const Occurrence& occurrence, int by) {
        int& times = counts[occurrence.word];
        const bool first = by > 0 ? times == 0 : times == 1;
        score += static_cast<float>(by) * (first ? query.words[occurrence.word].weight : again);
        times += by;
    };
    for (std::size_t right = 0; right < found.size(); ++right) {
        count(found[right], 1);
        while (left < right && ruler.column(found[right].end) - ruler.column(found[left].begin) > room)
            count(found[left++], -1);
        // A sum of floats that went up and down is compared with some tolerance: ties go to the first.
        if (score > best_score + again / 2) {
            best_score = score;
            best = {found[left].begin, found[right].end};
        }
    }
    return best;
}

bool begins_word(std::string_view text, std::size_t at) {
    return at == 0 || text[at - 1] == ' ';
}

bool ends_word(std::string_view text, std::size_t at) {
    return at == text.size() || text[at] == ' ';
}

// Where a word begins: the first place from `at` on, but no later than `latest`; if that lies inside the same
// word, as in a mark on half of a compound, the word's own beginning.
std::size_t word_begin(std::string_view text, std::size_t at, std::size_t latest) {
    for (std::size_t i = at; i <= std::min(latest, at + longest_word); ++i)
        if (begins_word(text, i)) return i;
    for (std::size_t i = at; i + longest_word > at; --i)
        if (begins_word(text, i)) return i;
    return std::min(at, latest);
}

// Where a word ends: the last place up to `at`, but no earlier than `earliest`; else the word's own end.
std::size_t word_end(std::string_view text, std::size_t at, std::size_t earliest) {
    const std::size_t stop = std::max(earliest, at > longest_word ? at - longest_word : 0);
    for (std::size_t i = at; i >= stop && i > 0; --i)
        if (ends_word(text, i)) return i;
    for (std::size_t i = at; i < std::min(text.size(), at + longest_word); ++i)
        if (ends_word(text, i)) return i;
    return std::max(at, earliest);
}

// The last beginning of a sentence in [from, to], or `to` + 1.
std::size_t sentence_begin(std::string_view text, std::size_t from, std::size_t to) {
    for (std::size_t i = to; i > from && i >= 2; --i) {
        const bool stop = text[i - 2] == '.' || text[i - 2] == '?' || text[i - 2] == '!';
        if (stop && text[i - 1] == ' ') return i;
    }
    return to + 1;
}

// What is shown around the cluster: some words before it, from the beginning of its sentence if that is near,
// and more after it.
Span window_around(const Span& cluster, const Ruler& ruler, std::size_t room) {
    const std::string_view text = ruler.text();
    if (ruler.total() <= room) return {0, text.size()};
    const std::size_t first = ruler.column(cluster.begin), last = ruler.column(cluster.end);
    const std::size_t spare = room - std::min(room, last - first);
    Span window;
    if (first > spare * 2 / 3) {
        const std::size_t far = ruler.byte(first - spare * 2 / 3), near = ruler.byte(first - spare / 3);
        window.begin = sentence_begin(text, far, cluster.begin);
        if (window.begin > cluster.begin) window.begin = word_begin(text, near, cluster.begin);
    }
    if (ruler.total() - ruler.column(window.begin) < room)
        window.begin = word_begin(text, ruler.byte(ruler.total() - room), cluster.begin);
    const std::size_t end = ruler.byte(std::min(ruler.column(window.begin) + room, ruler.total()));
    window.end = end == text.size() ? end : word_end(text, end, std::max(cluster.end, window.begin + 1));
    return window;
}

void add_mark(std::vector<Snippet::Range>& marks, Snippet::Range mark) {
    if (!marks.empty() && mark.begin < marks.back().end)
        marks.back().end = std::max(marks.back().end, mark.end);
    else
        marks.push_back(mark);
}

}  // namespace

Snippet make_snippet(std::string_view markdown, const index::KeywordQuery& query, text::TermReader& reader,
                     int columns) {
    const std::string text = plain_passage(markdown);
    const auto room = static_cast<std::size_t>(columns);
    const Ruler ruler(text);
    const auto found = occurrences_of(query, text, reader);
    const Span window = window_around(best_cluster(found, query, ruler, room), ruler, room);

    Snippet snippet;
    if (window.begin > 0) snippet.text = ellipsis;
    const auto shift =
        static_cast<std::int64_t>(snippet.text.size()) - static_cast<std::int64_t>(window.begin);
    snippet.text.append(text, window.begin, window.end - window.begin);
    if (window.end < text.size()) snippet.text += ellipsis;
    for (const Occurrence& occurrence : found) {
        if (occurrence.begin < window.begin || occurrence.end > window.end) continue;
        add_mark(snippet.marks, {static_cast<std::uint32_t>(occurrence.begin + shift),
                                 static_cast<std::uint32_t>(occurrence.end + shift)});
    }
    return snippet;
}

}  // namespace quarry::search
