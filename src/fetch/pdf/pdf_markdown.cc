#include "fetch/pdf/markdown.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "fetch/pdf/pdf_blocks.h"

namespace quarry::fetch {
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
