#include "text/chunks/heading_path.h"

#include <algorithm>

#include "base/ascii.h"
#include "text/markdown/marks.h"

namespace quarry::text {
namespace {

constexpr std::size_t longest_heading = 150;

// Without the # before and behind, or the underline.
std::string_view without_marks(std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with('#')) return trimmed(line.substr(0, line.find('\n')));
    line.remove_prefix(std::min(line.find_first_not_of('#'), line.size()));
    line = trimmed(line);
    const std::size_t last = line.find_last_not_of('#');
    const bool has_closing =
        last != std::string_view::npos && last + 1 < line.size() && is_ascii_space(line[last]);
    return has_closing ? trimmed(line.substr(0, last)) : line;
}

// Signs that documentation sites append as links to the heading itself.
void drop_anchor(std::string& heading) {
    for (const std::string_view sign : {"¶", "§", "🔗", " #"})
        if (heading.ends_with(sign)) heading.resize(heading.size() - sign.size());
    heading = std::string(trimmed(heading));
}

void cut(std::string& heading) {
    if (heading.size() <= longest_heading) return;
    std::size_t end = longest_heading;
    while (end > 0 && (static_cast<unsigned char>(heading[end]) & 0xC0) == 0x80) --end;
    heading.resize(end);
    heading += "…";
}

}  // namespace

std::string plain_heading(std::string_view markdown) {
    const std::string_view line = without_marks(markdown.substr(0, 4096));
    MarkdownMarks marks(line);
    std::string heading;
    for (std::size_t at = 0; at < line.size();) {
        const char c = line[at];
        if (const std::size_t behind = marks.skip(at); behind > at) {
            if (c == '&') heading += line.substr(at, behind - at);  // an entity is a sign, not a mark
            at = behind;
        } else if (c == '\\' && at + 1 < line.size() && is_ascii_punctuation(line[at + 1])) {
            heading += line[at + 1];
            at += 2;
        } else {
            const bool is_mark = !marks.is_code(at) && (c == '*' || c == '[' || c == ']' ||
                                                        (c == '!' && line.substr(at, 2) == "!["));
            if (!is_mark && c != '`') heading += c;
            ++at;
        }
    }
    drop_anchor(heading);
    cut(heading);
    return heading;
}

SharedPath path_below(SharedPath before, int level, std::string text) {
    while (before && before->level >= level) before = before->parent;
    const int depth = before ? before->depth + 1 : 0;
    return std::make_shared<const HeadingPath>(HeadingPath{std::move(before), std::move(text), level, depth});
}

SharedPath common_path(SharedPath one, SharedPath other) {
    while (one && other && one != other) {
        if (one->depth >= other->depth)
            one = one->parent;
        else
            other = other->parent;
    }
    return one && other ? one : nullptr;
}

std::vector<std::string> headings_of(const HeadingPath* path) {
    std::vector<std::string> headings;
    for (; path != nullptr; path = path->parent.get())
        if (!path->text.empty() && (headings.empty() || headings.back() != path->text))
            headings.push_back(path->text);
    std::ranges::reverse(headings);
    return headings;
}

}  // namespace quarry::text
