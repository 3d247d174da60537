#include "extract/one_line.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "html/parser.h"

namespace quarry::extract {

namespace {

using html::NodeId;
using html::NodeKind;
using html::Tag;
using html::Tree;

constexpr html::TagSet without_text{Tag::script, Tag::style, Tag::template_};

// A subtree of elements alone could be walked for ever without a byte of text coming out.
constexpr int max_nodes_per_line = 2'000;

enum class Width : std::uint8_t { visible, blank, invisible };

struct Character {
    Width width = Width::visible;
    std::size_t bytes = 1;  // of a blank or invisible one; visible text may be copied byte by byte
};

// U+2000-206F: spaces, marks and direction controls. The joiners U+200C and U+200D stay: Persian words and
// family emoji are built with them.
Width general_punctuation(unsigned code) {
    if (code <= 0x200a || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f) {
        return Width::blank;
    }
    const bool is_direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    const bool is_mark = code == 0x200b || code == 0x200e || code == 0x200f || code == 0x2060;
    return is_direction || is_mark ? Width::invisible : Width::visible;
}

Character first_character(std::string_view text) {
    const auto at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    if (at(0) < 0x80) return {at(0) <= 0x20 || at(0) == 0x7f ? Width::blank : Width::visible, 1};
    if (at(0) == 0xc2 && at(1) == 0xa0) return {Width::blank, 2};
    if (at(0) == 0xe2 && (at(1) == 0x80 || at(1) == 0x81)) {
        return {general_punctuation(0x2000 + ((at(1) & 0x3f) << 6) + (at(2) & 0x3f)), 3};
    }
    if (at(0) == 0xe3 && at(1) == 0x80 && at(2) == 0x80) return {Width::blank, 3};
    if (at(0) == 0xef && at(1) == 0xbb && at(2) == 0xbf) return {Width::invisible, 3};
    return {};
}

// Builds the line piece by piece; white space between two pieces counts only if it was there.
class LineBuilder {
public:
    explicit LineBuilder(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    bool is_full() const { return line_.size() >= max_bytes_; }
    void add_break() { gap_ = true; }

    void add(std::string_view text) {
        while (!text.empty() && !is_full()) {
            if (const std::size_t word = plain_word_size(text); word > 0) {
                add_gap();
                line_.append(text.data(), word);
                text.remove_prefix(word);
                continue;
            }
            const Character next = first_character(text);
            if (next.width == Width::visible) {
                add_gap();
                line_ += text[0];
                text.remove_prefix(1);
                continue;
            }
            if (next.width == Width::blank) gap_ = true;
            text.remove_prefix(std::min(next.bytes, text.size()));
        }
    }

    std::string take() {
        cut_at_character();
        while (!line_.empty() && line_.back() == ' ') line_.pop_back();
        return std::move(line_);
    }

private:
    // So many visible ASCII characters there are at the beginning, not counted beyond what fits.
    std::size_t plain_word_size(std::string_view text) const {
        const std::size_t most = std::min(text.size(), max_bytes_ - line_.size());
        const char* at = text.data();
        const char* const end = at + most;
        while (at != end && *at > ' ' && *at < '\x7f') ++at;
        return static_cast<std::size_t>(at - text.data());
    }

    void add_gap() {
        if (gap_ && !line_.empty()) line_ += ' ';
        gap_ = false;
    }

    // A full line may end in the middle of a character: its bytes go if the character is not complete.
    void cut_at_character() {
        if (!is_full()) return;
        line_.resize(max_bytes_);  // a space and a letter may have come at once
        std::size_t start = line_.size();
        while (start > 0 && (static_cast<unsigned char>(line_[start - 1]) & 0xc0) == 0x80) --start;
        if (start == 0) return;
        const auto lead = static_cast<unsigned char>(line_[start - 1]);
        const std::size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
        if (line_.size() - (start - 1) < wanted) line_.resize(start - 1);
    }

    std::size_t max_bytes_;
    std::string line_;
    bool gap_ = false;
};

// Text on two sides of these is in two words, though the source may have no space between them.
constexpr html::TagSet breaking{Tag::br, Tag::p,  Tag::div, Tag::li,  Tag::td,      Tag::th,     Tag::tr,
                                Tag::h1, Tag::h2, Tag::h3,  Tag::h4,  Tag::h5,      Tag::h6,     Tag::dd,
                                Tag::dt, Tag::ul, Tag::ol,  Tag::img, Tag::section, Tag::article};

}  // namespace

std::string one_line(std::string_view text, std::size_t max_bytes) {
    LineBuilder line(max_bytes);
    line.add(text);
    return line.take();
}

std::string text_line(const Tree& tree, NodeId id, std::size_t max_bytes) {
    LineBuilder line(max_bytes);
    std::vector<NodeId> block_ends;
    int visited = 0;
    for (NodeId at = id; at < tree[id].end && !line.is_full() && visited < max_nodes_per_line; ++visited) {
        const html::Node& node = tree[at];
        if (node.kind == NodeKind::element && without_text.contains(node.tag) && at != id) {
            at = node.end;
            continue;
        }
        while (!block_ends.empty() && at >= block_ends.back()) {
            block_ends.pop_back();
            line.add_break();
        }
        if (node.kind == NodeKind::text) line.add(node.text);
        if (node.kind == NodeKind::element && breaking.contains(node.tag)) {
            line.add_break();
            block_ends.push_back(node.end);
        }
        ++at;
    }
    return line.take();
}

std::string line_of_html(std::string_view text, std::size_t max_bytes) {
    if (text.find_first_of("&<") == std::string_view::npos) return one_line(text, max_bytes);
    const Tree tree = html::parse(std::string(text.substr(0, 4 * max_bytes)));
    return text_line(tree, html::document_node, max_bytes);
}

}  // namespace quarry::extract
