// Paragraphs of a PDF, put together from its lines.
#include "fetch/pdf/markdown.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "fetch/pdf/lines.h"

namespace quarry::fetch {

struct PdfBlock {
    std::string text{};  // one line; of code blocks, lines with their indentation
    double font_size = 0;
    bool bold = false;
    bool code = false;
    bool list_item = false;  // the text is without its bullet
    int lines = 0;
};

// The font size of most of the document's text; 0 without any.
double body_font_size(std::span<const PdfPage> pages);

// Lines that belong together by distance, size and indentation. A sentence that goes on in the next column or
// on the next page stays in one piece, and a word broken at the end of a line becomes whole.
std::vector<PdfBlock> join_lines(std::span<const PdfPage> pages);

namespace {

constexpr std::string_view soft_hyphen = "\u00AD";
constexpr std::string_view bullets[] = {"•", "◦", "▪", "●", "○", "■", "‣", "·", "∙", "\uF0B7", "\uF0A7"};

// Letters beyond ASCII are taken for small ones: most letters are.
bool is_small_letter(char c) {
    return is_ascii_lower(c) || static_cast<signed char>(c) < 0;
}

std::string_view leading_bullet(std::string_view text) {
    for (const std::string_view bullet : bullets) {
        if (text.starts_with(bullet)) return bullet;
    }
    // Dashes and stars are bullets only if a space follows them.
    for (const std::string_view bullet : {"– ", "- ", "* ", "— "}) {
        if (text.starts_with(bullet)) return bullet;
    }
    return {};
}

// "1. ", "12) ", "[3] ", "(a) ": the beginning of an item of a numbered list.
bool has_number_mark(std::string_view text) {
    const bool is_bracketed = text.starts_with('[') || text.starts_with('(');
    std::size_t end = is_bracketed ? 1 : 0;
    const std::size_t start = end;
    while (end < text.size() && end < start + 3 && is_ascii_digit(text[end])) ++end;
    if (end == start && is_bracketed && end < text.size() && is_ascii_lower(text[end])) ++end;
    if (end == start || end + 1 >= text.size()) return false;
    return std::string_view(is_bracketed ? "])" : ".)").contains(text[end]) && text[end + 1] == ' ';
}

bool starts_item(const PdfLine& line) {
    return !leading_bullet(line.text).empty() || has_number_mark(line.text);
}

bool ends_sentence(std::string_view text) {
    for (const std::string_view quote : {"\"", "”", "’", ")", "»"}) {
        if (text.ends_with(quote)) text.remove_suffix(quote.size());
    }
    return text.ends_with('.') || text.ends_with('!') || text.ends_with('?') || text.ends_with(':') ||
           text.ends_with("。") || text.ends_with("…");
}

// How far below a line the next one of its paragraph stands, in most of the document. Bottoms are compared:
// letters stand on a line, whatever their height.
double usual_pitch(std::span<const PdfPage> pages, double body_size) {
    std::map<long, std::size_t> pitches;  // in half points
    for (const PdfPage& page : pages) {
        for (std::size_t i = 1; i < page.size(); ++i) {
            const double pitch = page[i].bottom - page[i - 1].bottom;
            const bool is_body = std::abs(page[i].font_size - body_size) < 0.5;
            if (is_body && pitch > 0 && pitch < 4 * body_size) ++pitches[std::lround(pitch * 2)];
        }
    }
    const auto most = std::ranges::max_element(pitches, {}, [](const auto& entry) { return entry.second; });
    return most == pitches.end() ? 0 : static_cast<double>(most->first) / 2;
}

// Builds blocks from lines in reading order.
class BlockBuilder {
public:
    explicit BlockBuilder(double pitch) : usual_pitch_(pitch) {}

    void add(const PdfLine& line, bool starts_page) {
        if (blocks_.empty() || !continues(line, starts_page)) {
            start(line);
        } else if (blocks_.back().code) {
            append_code(line);
        } else {
            append_text(line.text);
        }
        right_edge_ = std::max(right_edge_, line.right);
        previous_ = line;
        ++blocks_.back().lines;
    }

    std::vector<PdfBlock> finish() { return std::move(blocks_); }

private:
    bool continues(const PdfLine& line, bool starts_page) const;
    bool continues_elsewhere(const PdfLine& line) const;
    void start(const PdfLine& line);
    void append_text(std::string_view text);
    void append_code(const PdfLine& line);

    double usual_pitch_;
    std::vector<PdfBlock> blocks_;
    PdfLine previous_;
    double left_edge_ = 0;  // of the block under way
    double right_edge_ = 0;
};

bool BlockBuilder::continues(const PdfLine& line, bool starts_page) const {
    const PdfBlock& block = blocks_.back();
    const double size = previous_.font_size;
    const bool jumps = starts_page || line.top < previous_.top;
    const double extra = line.bottom - previous_.bottom - usual_pitch_;
    if (block.code) return line.monospace && (jumps || extra < 1.5 * size);
    if (std::abs(line.font_size - size) > 0.5 || starts_item(line)) return false;
    if (jumps) return continues_elsewhere(line);
    if (extra > 0.35 * size) return false;
    // A line in another face in the middle of a sentence is a long name or an emphasis, not a new block.
    const bool is_full = previous_.right > line.right - 0.25 * (line.right - line.left);
    const bool in_sentence =
        !ends_sentence(previous_.text) && is_full && std::abs(line.left - previous_.left) < 1;
    if ((line.monospace || line.bold != block.bold) && !in_sentence) return false;
    // A first line is indented; the later lines of a list item are, too, and go on with it.
    const bool is_item = block.list_item || has_number_mark(block.text);
    if (line.left > previous_.left + 0.8 * size && !(is_item && block.lines == 1)) return false;
    const bool ended_early = previous_.right < right_edge_ - 0.25 * (right_edge_ - left_edge_);
    return !(ended_early && block.lines > 1 && ends_sentence(previous_.text));
}

// In the next column or on the next page: only in the middle of a sentence.
bool BlockBuilder::continues_elsewhere(const PdfLine& line) const {
    return !line.text.empty() && is_small_letter(line.text.front()) && !ends_sentence(previous_.text);
}

void BlockBuilder::start(const PdfLine& line) {
    PdfBlock block{.font_size = line.font_size, .bold = line.bold, .code = line.monospace};
    left_edge_ = line.left;
    right_edge_ = line.right;
    std::string_view text = line.text;
    if (const std::string_view bullet = leading_bullet(text); !bullet.empty() && !block.code) {
        text.remove_prefix(bullet.size());
        while (text.starts_with(' ')) text.remove_prefix(1);
        block.list_item = true;
    }
    block.text = text;
    blocks_.push_back(std::move(block));
}

void BlockBuilder::append_text(std::string_view text) {
    std::string& so_far = blocks_.back().text;
    if (so_far.ends_with(soft_hyphen)) {
        so_far.resize(so_far.size() - soft_hyphen.size());
    } else if (so_far.size() > 1 && so_far.ends_with('-') && is_small_letter(so_far[so_far.size() - 2]) &&
               !text.empty() && is_small_letter(text.front())) {
        so_far.pop_back();
    } else if (!so_far.empty()) {
        so_far += ' ';
    }
    so_far += text;
}

// Indentation from the place on the page, in letters of a typewriter (0.6 of their size wide); a gap as wide
// as a line is an empty line.
void BlockBuilder::append_code(const PdfLine& line) {
    std::string& so_far = blocks_.back().text;
    const bool blank_between = line.bottom - previous_.bottom > usual_pitch_ + 0.8 * line.font_size;
    so_far += blank_between ? "\n\n" : "\n";
    const double letter = std::max(0.6 * line.font_size, 1.0);
    const double indent = std::clamp((line.left - left_edge_) / letter, 0.0, 40.0);
    so_far.append(static_cast<std::size_t>(std::lround(indent)), ' ');
    so_far += line.text;
}

}  // namespace

double body_font_size(std::span<const PdfPage> pages) {
    std::map<long, std::size_t> sizes;  // in half points
    for (const PdfPage& page : pages) {
        for (const PdfLine& line : page) sizes[std::lround(line.font_size * 2)] += line.text.size();
    }
    const auto most = std::ranges::max_element(sizes, {}, [](const auto& entry) { return entry.second; });
    return most == sizes.end() ? 0 : static_cast<double>(most->first) / 2;
}

std::vector<PdfBlock> join_lines(std::span<const PdfPage> pages) {
    BlockBuilder builder(usual_pitch(pages, body_font_size(pages)));
    for (const PdfPage& page : pages) {
        bool starts_page = true;
        for (const PdfLine& line : page) builder.add(line, std::exchange(starts_page, false));
    }
    return builder.finish();
}

namespace {

constexpr std::size_t longest_heading = 200;
constexpr std::size_t longest_bold_heading = 80;
constexpr int most_levels = 4;

bool is_space_at(std::string_view text, std::size_t i) {
    return i >= text.size() || text[i] == ' ';
}

// Would markdown read the character as markup? Only where it could: a star between spaces, a bracket without
// a link behind it or a lone '<' are left alone, for people to read.
bool is_markup(std::string_view text, std::size_t i) {
    switch (text[i]) {
        case '\\':
        case '`': return true;
        case '*': return !(is_space_at(text, i - 1) && is_space_at(text, i + 1));
        case '<': return i + 1 < text.size() && text[i + 1] != ' ' && text[i + 1] != '=';
        case '[': {
            const std::size_t close = text.find(']', i);
            return close != std::string_view::npos && close + 1 < text.size() &&
                   std::string_view("([:").contains(text[close + 1]);
        }
        default: return false;
    }
}

// A paragraph that begins like a heading, a quote, a list or a rule.
bool begins_like_markup(std::string_view text) {
    if (text.empty()) return false;
    if (text.front() == '>') return true;
    if (std::string_view("+-").contains(text.front())) return is_space_at(text, 1) || text.starts_with("--");
    return text.front() == '#' && is_space_at(text, text.find_first_not_of('#'));
}

std::string escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size() + 8);
    if (begins_like_markup(text)) result += '\\';
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_markup(text, i)) result += '\\';
        result += text[i];
    }
    return result;
}

// Which font sizes are headings, and of which level.
class HeadingLevels {
public:
    HeadingLevels(std::span<const PdfBlock> blocks, double body_size) : body_size_(body_size) {
        std::set<long, std::greater<>> sizes;
        for (const PdfBlock& block : blocks) {
            if (is_large(block)) sizes.insert(half_points(block.font_size));
        }
        sizes_.assign(sizes.begin(), sizes.end());
    }

    // 0 for what is no heading.
    int level_of(const PdfBlock& block) const {
        if (is_large(block)) {
            const auto place = std::ranges::find(sizes_, half_points(block.font_size)) - sizes_.begin();
            return std::min(static_cast<int>(place) + 1, most_levels);
        }
        const int below_large = std::min(static_cast<int>(sizes_.size()) + 1, most_levels);
        return is_bold_headline(block) ? below_large : 0;
    }

private:
    static long half_points(double size) { return std::lround(size * 2); }

    bool is_large(const PdfBlock& block) const {
        return !block.code && !block.list_item && body_size_ > 0 && block.font_size > 1.12 * body_size_ &&
               block.text.size() <= longest_heading;
    }
    static bool is_bold_headline(const PdfBlock& block) {
        return block.bold && !block.code && !block.list_item && block.lines == 1 &&
               block.text.size() <= longest_bold_heading &&
               !std::string_view(".,;:").contains(block.text.back());
    }

    double body_size_;
    std::vector<long> sizes_;  // largest first
};

// A fence longer than any run of backticks inside.
std::string fence_for(std::string_view code) {
    std::size_t longest = 2, run = 0;
    for (const char c : code) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return std::string(longest + 1, '`');
}

// A single line in a typewriter face is a name or a command, not a listing.
bool is_listing(const PdfBlock& block) {
    return block.code && block.lines > 1;
}

// "12. text" is a numbered item as it stands; "1984. It was" after a break is one, too, sadly. Numbers of
// more than three digits are escaped.
std::string paragraph(std::string_view text) {
    std::size_t digits = 0;
    while (digits < text.size() && is_ascii_digit(text[digits])) ++digits;
    std::string result = escaped(text);
    const bool looks_numbered =
        digits > 3 && digits < text.size() && (text[digits] == '.' || text[digits] == ')');
    if (looks_numbered) result.insert(digits, "\\");
    return result;
}

std::string write_block(const PdfBlock& block, int level) {
    if (is_listing(block)) {
        const std::string fence = fence_for(block.text);
        return fence + '\n' + block.text + '\n' + fence;
    }
    if (block.code) return block.text.contains('`') ? paragraph(block.text) : '`' + block.text + '`';
    if (level > 0) return std::string(static_cast<std::size_t>(level), '#') + ' ' + escaped(block.text);
    if (block.list_item) return "- " + escaped(block.text);
    return paragraph(block.text);
}

}  // namespace

PdfMarkdown write_pdf_markdown(std::span<const PdfPage> pages) {
    const std::vector<PdfBlock> blocks = join_lines(pages);
    const HeadingLevels levels(blocks, body_font_size(pages));
    PdfMarkdown result;
    bool after_item = false;
    for (const PdfBlock& block : blocks) {
        if (block.text.empty()) continue;
        const int level = levels.level_of(block);
        if (level == 1 && result.first_heading.empty()) result.first_heading = block.text;
        if (!result.text.empty()) result.text += after_item && block.list_item ? "\n" : "\n\n";
        result.text += write_block(block, level);
        after_item = block.list_item;
    }
    if (!result.text.empty()) result.text += '\n';
    return result;
}

}  // namespace quarry::fetch
