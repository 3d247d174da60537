#include "extract/markdown/markdown_code_text.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "extract/markdown/classes.h"
#include "extract/markdown/escape.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

constexpr html::TagSet not_code{Tag::button,   Tag::style,     Tag::script, Tag::select, Tag::input,
                                Tag::textarea, Tag::template_, Tag::svg,    Tag::rp,     Tag::noscript};
constexpr html::TagSet line_tags{Tag::div, Tag::p,  Tag::li,    Tag::tr,
                                 Tag::ol,  Tag::ul, Tag::table, Tag::section};

bool is_number(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) return true;
    return text.find_first_not_of("0123456789. \t\n|", begin) == std::string_view::npos;
}

class CodeReader {
public:
    CodeReader(const Tree& tree, const Selection& selection, std::string& out)
        : tree_(tree), selection_(selection), out_(out), begin_(out.size()) {}

    void children(NodeId id) {
        for (NodeId child = id + 1; child < tree_[id].end; child = tree_[child].end) {
            if (tree_.is_text(child)) {
                text(tree_[child].text);
            } else if (tree_.is_element(child) && selection_.keeps(child)) {
                element(child);
            }
        }
    }

    // Whether elements were found other than <code> and <br>.
    bool has_markup() const { return has_markup_; }

private:
    void element(NodeId id) {
        const html::Node& node = tree_[id];
        if (node.tag == Tag::br) {
            end_line();
            out_ += '\n';
            return;
        }
        if (node.tag != Tag::code) has_markup_ = true;
        if (not_code.contains(node.tag)) return;
        const ClassTraits traits = class_traits(tree_.attribute_or_empty(id, Attr::class_));
        if (traits.has(ClassTrait::copy_button) || is_line_number(id, traits)) return;
        const bool is_line = line_tags.contains(node.tag) || traits.has(ClassTrait::code_line) ||
                             (data_line_ && tree_.attribute(id, *data_line_));
        if (!is_line) {
            children(id);
            return;
        }
        end_line();
        const std::size_t before = out_.size();
        children(id);
        line_ended_ = out_.size() == before || out_.back() != '\n';
    }

    bool is_line_number(NodeId id, ClassTraits traits) const {
        if (traits.has(ClassTrait::line_numbers)) return true;
        const html::Node& node = tree_[id];
        if (node.end > id + 3 || node.tag == Tag::code) return false;
        const std::string_view text = node.end == id + 2 && tree_.is_text(id + 1) ? tree_[id + 1].text : "";
        if (!is_number(text)) return false;
        if (tree_.attribute(id, Attr::data_line_number)) return true;
        if (text.empty()) return false;
        const std::string_view style = tree_.attribute_or_empty(id, Attr::style);
        if (style.find("user-select") != std::string_view::npos) return true;
        return is_followed_by_line(id);
    }

    // <div><span>1</span><div>code</div></div>: a number beside a block that holds the line.
    bool is_followed_by_line(NodeId id) const {
        const html::Node& parent = tree_[tree_[id].parent];
        const NodeId next = tree_.next_sibling(id);
        return parent.tag == Tag::div && tree_[id].parent + 1 == id && tree_[id].tag == Tag::span &&
               next != html::no_node && tree_.is(next, Tag::div) && tree_[next].end == parent.end;
    }

    void text(std::string_view text) {
        if (text.empty()) return;
        if (text.front() == '\n') line_ended_ = false;
        end_line();
        for (std::size_t i = 0; i < text.size();) {
            const std::size_t start = i;
            while (i < text.size() && byte_class(text[i]) != ByteClass::lead && text[i] != '\r') ++i;
            out_ += text.substr(start, i - start);
            if (i == text.size()) return;
            const Invisible invisible = read_invisible(text, i);
            if (invisible.is_space && invisible.bytes == 2) out_ += ' ';  // a no-break space
            const bool kept =
                text[i] != '\r' && (invisible.bytes == 0 || (invisible.is_space && invisible.bytes > 2));
            if (kept) out_ += text[i];
            i += kept ? 1 : std::max<std::size_t>(invisible.bytes, 1);
        }
    }

    void end_line() {
        if (line_ended_ && out_.size() > begin_) out_ += '\n';
        line_ended_ = false;
    }

    const Tree& tree_;
    const Selection& selection_;
    std::string& out_;
    std::size_t begin_;
    std::optional<Attr> data_line_ = tree_.find_attribute_name("data-line");
    bool line_ended_ = false;
    bool has_markup_ = false;
};

// The last line ends without a newline; lines of spaces after the code are no part of it.
void trim_end(std::string& out, std::size_t begin) {
    const std::size_t last = out.find_last_not_of(" \t\n");
    if (last == std::string::npos || last < begin) {
        while (out.size() > begin && out.back() == '\n') out.pop_back();
        return;
    }
    const std::size_t newline = out.find('\n', last);
    if (newline != std::string::npos) out.resize(newline);
}

}  // namespace

bool append_code_text(const Tree& tree, const Selection& selection, NodeId id, std::string& out) {
    const std::size_t begin = out.size();
    CodeReader reader(tree, selection, out);
    reader.children(id);
    trim_end(out, begin);
    return reader.has_markup();
}

}  // namespace quarry::extract::markdown
