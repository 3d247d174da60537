#include "extract/metadata/inline_links.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/ascii.h"
#include "extract/metadata/base_url.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

constexpr std::size_t max_found = 50'000;
constexpr std::size_t max_text_bytes = 300;
constexpr std::size_t max_inline_url_bytes = 4'096;

std::string_view next_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

bool is_fence(std::string_view line) {
    line = trimmed(line);
    return line.starts_with("```") || line.starts_with("~~~");
}

// Reads one line from left to right; each character is looked at once or twice.
class LineScanner {
public:
    LineScanner(InlineLinks& found, std::unordered_set<std::string>& known, const url::Url* base)
        : found_(found), known_(known), base_(base) {}

    void scan(std::string_view line) {
        text_start_ = std::string_view::npos;
        for (std::size_t at = 0; at < line.size();) at += step(line, at);
    }

private:
    // Handles what starts at `at`; returns how far to go on.
    std::size_t step(std::string_view line, std::size_t at) {
        const std::string_view rest = line.substr(at);
        switch (rest[0]) {
            case '\\': return 2;
            case '`': return skip_code(rest);
            case '[':
                text_start_ = at + 1;
                is_image_ = at > 0 && line[at - 1] == '!';
                return 1;
            case ']': return close_text(line, at);
            case '<':
            case 'h': return bare_url(rest);
            default: return 1;
        }
    }

    static std::size_t skip_code(std::string_view rest) {
        const std::size_t run = std::min(rest.find_first_not_of('`'), rest.size());
        const std::size_t close = rest.find(rest.substr(0, run), run);
        return close == std::string_view::npos ? run : close + run;
    }

    std::size_t close_text(std::string_view line, std::size_t at) {
        if (text_start_ == std::string_view::npos) return 1;
        const std::string_view text = line.substr(text_start_, at - text_start_);
        text_start_ = std::string_view::npos;
        std::string_view rest = line.substr(at + 1);
        const bool is_definition = rest.starts_with(": ");
        if (!rest.starts_with('(') && !is_definition) return 1;
        rest = trimmed(rest.substr(1));
        const bool in_angles = rest.starts_with('<');
        if (in_angles) rest.remove_prefix(1);
        const std::size_t end = in_angles ? rest.find('>') : destination_end(rest, is_definition);
        if (end == std::string_view::npos || end > max_inline_url_bytes) return 1;
        add(rest.substr(0, end), text, is_image_);
        return static_cast<std::size_t>(rest.data() + end - (line.data() + at));
    }

    // A destination ends at a blank or at the bracket that its own opening ones do not match.
    static std::size_t destination_end(std::string_view rest, bool is_definition) {
        int depth = 0;
        for (std::size_t i = 0; i < rest.size() && i <= max_inline_url_bytes; ++i) {
            if (rest[i] == ' ' || rest[i] == '\t') return i;
            if (rest[i] == '(') ++depth;
            if (rest[i] == ')' && depth-- == 0) return is_definition ? std::string_view::npos : i;
        }
        return is_definition ? std::min(rest.size(), max_inline_url_bytes) : std::string_view::npos;
    }

    std::size_t bare_url(std::string_view rest) {
        const bool in_angles = rest[0] == '<';
        std::string_view url = in_angles ? rest.substr(1) : rest;
        if (!url.starts_with("http://") && !url.starts_with("https://")) return 1;
        url = url.substr(0, url.find_first_of(" \t<>\"`|[]{}\\"));
        while (!url.empty() && std::string_view(".,;:!?'*_)").find(url.back()) != std::string_view::npos) {
            if (url.back() == ')' && url.find('(') != std::string_view::npos) break;
            url.remove_suffix(1);
        }
        add(url, {}, false);
        return std::max<std::size_t>(url.size(), 1) + (in_angles ? 1 : 0);
    }

    void add(std::string_view reference, std::string_view text, bool is_image) {
        if (reference.empty() || reference[0] == '#' || known_.size() >= max_found) return;
        std::string url = absolute_url(reference, base_);
        if (url.empty() || !known_.insert(url).second) return;
        if (is_image) {
            found_.images.push_back({.url = std::move(url), .alt = one_line(text, max_text_bytes)});
        } else {
            found_.links.push_back({.url = std::move(url), .text = one_line(text, max_text_bytes)});
        }
    }

    InlineLinks& found_;
    std::unordered_set<std::string>& known_;
    const url::Url* base_;
    std::size_t text_start_ = std::string_view::npos;
    bool is_image_ = false;
};

}  // namespace

InlineLinks find_inline_links(std::string_view markdown, const url::Url* base) {
    InlineLinks found;
    std::unordered_set<std::string> known;
    LineScanner scanner(found, known, base);
    bool in_code = false;
    while (!markdown.empty()) {
        const std::string_view line = next_line(markdown);
        if (is_fence(line)) {
            in_code = !in_code;
        } else if (!in_code) {
            scanner.scan(line);
        }
    }
    return found;
}

}  // namespace quarry::extract
