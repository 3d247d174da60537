#include "extract/plain_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "extract/content/visibility.h"
#include "extract/selection.h"
#include "html/characters.h"

namespace quarry::extract {

namespace {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

constexpr html::TagSet tags_without_plain_text{
    Tag::script, Tag::style,      Tag::template_,      Tag::head,     Tag::title,   Tag::select,
    Tag::option, Tag::datalist,   Tag::input,          Tag::textarea, Tag::iframe,  Tag::object,
    Tag::embed,  Tag::canvas,     Tag::audio,          Tag::video,    Tag::noembed, Tag::noframes,
    Tag::svg,    Tag::annotation, Tag::annotation_xml, Tag::meta,     Tag::link};
constexpr html::TagSet paragraphs{Tag::p,      Tag::h1, Tag::h2,  Tag::h3,      Tag::h4,
                                  Tag::h5,     Tag::h6, Tag::pre, Tag::table,   Tag::blockquote,
                                  Tag::figure, Tag::hr, Tag::dl,  Tag::details, Tag::fieldset};
constexpr html::TagSet lines{Tag::div,    Tag::section, Tag::article, Tag::aside,   Tag::header,
                             Tag::footer, Tag::main,    Tag::nav,     Tag::address, Tag::li,
                             Tag::dt,     Tag::dd,      Tag::tr,      Tag::caption, Tag::figcaption,
                             Tag::form,   Tag::summary, Tag::hgroup,  Tag::legend,  Tag::option,
                             Tag::center, Tag::body,    Tag::search,  Tag::dialog};

// The text so far, and what stands between it and the next word. Nothing is written for elements without
// words.
class TextBuilder {
public:
    // Nothing comes between a list marker and the words of its item.
    void ensure_newlines(int count) {
        if (marker_.empty()) newlines_ = std::max(newlines_, count);
    }
    void add_tab() { ++tabs_; }
    void add_space() { space_ = true; }
    void set_indent(std::size_t indent) { indent_ = indent; }

    // Replaces the indentation of the next line: "  - ".
    void set_marker(std::string marker) { marker_ = std::move(marker); }
    void drop_marker() { marker_.clear(); }

    void add_words(std::string_view text) {
        while (!text.empty()) {
            const std::size_t blanks = html::leading_space(text);
            if (blanks != 0) space_ = true;
            text.remove_prefix(blanks);
            std::size_t end = 0;
            while (end < text.size() && !html::is_space(text[end])) ++end;
            if (end == 0) return;
            write_gap();
            text_ += text.substr(0, end);
            text.remove_prefix(end);
        }
    }

    void add_verbatim(std::string_view text) {
        if (text.empty()) return;
        if (newlines_ > 0 || text_.empty() || tabs_ > 0) write_gap();
        text_ += text;
        space_ = false;
    }

    std::string take() {
        const std::size_t last = text_.find_last_not_of(" \t\n");
        text_.resize(last == std::string::npos ? 0 : last + 1);
        if (!text_.empty()) text_ += '\n';
        return std::move(text_);
    }

private:
    // Code may bring its own.
    int newlines_at_end() const {
        if (!text_.ends_with('\n')) return 0;
        return text_.ends_with("\n\n") ? 2 : 1;
    }

    void write_gap() {
        const bool is_new_line = text_.empty() || newlines_ > 0;
        for (int there = newlines_at_end(); !text_.empty() && there < newlines_; ++there) text_ += '\n';
        if (is_new_line) {
            text_ += marker_.empty() ? std::string(indent_, ' ') : marker_;
            marker_.clear();
        }
        if (tabs_ > 0) {
            text_.append(static_cast<std::size_t>(tabs_), '\t');
        } else if (space_ && !is_new_line) {
            text_ += ' ';
        }
        newlines_ = 0;
        tabs_ = 0;
        space_ = false;
    }

    std::string text_;
    std::string marker_;
    std::size_t indent_ = 0;
    int newlines_ = 0;
    int tabs_ = 0;
    bool space_ = false;
};

class PlainTextWriter {
public:
    explicit PlainTextWriter(const Tree& tree) : tree_(tree), is_layout_(find_layout_tables(tree)) {}

    Descend open(NodeId id) {
        const Tag tag = tree_[id].tag;
        if (tags_without_plain_text.contains(tag)) return Descend::past;
        if (tree_[id].space != html::Namespace::html) return Descend::into;
        if (tag == Tag::br) new_line(1);
        break_block(tag);
        switch (tag) {
            case Tag::ul:
            case Tag::ol:
            case Tag::menu: open_list(id, tag); break;
            case Tag::li: open_item(); break;
            case Tag::dd: text_.set_indent(indent() + 2); break;
            case Tag::table: open_table(id); break;
            case Tag::tr: cells_in_row_ = 0; break;
            case Tag::td:
            case Tag::th: open_cell(); break;
            case Tag::pre:
            case Tag::listing:
            case Tag::xmp:
            case Tag::plaintext: ++verbatim_depth_; break;
            default: break;
        }
        return Descend::into;
    }

    void text(NodeId id) {
        if (verbatim_depth_ > 0 && !is_in_data_cell()) {
            text_.add_verbatim(tree_[id].text);
        } else {
            text_.add_words(tree_[id].text);
        }
    }

    void close(NodeId id) {
        if (tree_[id].space != html::Namespace::html) return;
        const Tag tag = tree_[id].tag;
        switch (tag) {
            case Tag::ul:
            case Tag::ol:
            case Tag::menu: close_list(); break;
            case Tag::li: text_.drop_marker(); break;
            case Tag::dd: text_.set_indent(indent()); break;
            case Tag::table: tables_are_data_.pop_back(); break;
            case Tag::pre:
            case Tag::listing:
            case Tag::xmp:
            case Tag::plaintext: --verbatim_depth_; break;
            default: break;
        }
        break_block(tag);
    }

    std::string take() { return text_.take(); }

private:
    struct List {
        bool is_ordered;
        long next_number;
    };

    // Bounded, or a page of lists in lists would be written mostly as blanks.
    std::size_t indent() const { return 2 * std::min<std::size_t>(lists_.size(), 16); }
    bool is_in_data_cell() const { return !tables_are_data_.empty() && tables_are_data_.back(); }

    // A row stays a line: what would break it becomes a space.
    void new_line(int count) {
        if (is_in_data_cell() && cells_in_row_ > 0) {
            text_.add_space();
        } else {
            text_.ensure_newlines(count);
        }
    }

    void break_block(Tag tag) {
        if (tag == Tag::tr) {
            text_.ensure_newlines(1);
            cells_in_row_ = 0;
        } else if (paragraphs.contains(tag)) {
            new_line(2);
        } else if (lines.contains(tag)) {
            new_line(1);
        }
    }

    void open_list(NodeId id, Tag tag) {
        new_line(lists_.empty() ? 2 : 1);
        long start = 1;
        const std::string_view value = tree_.attribute_or_empty(id, Attr::start);
        if (!value.empty() && value.size() <= 6 && std::ranges::all_of(value, html::is_digit)) {
            start = std::stol(std::string(value));
        }
        lists_.push_back({tag == Tag::ol, start});
        text_.set_indent(indent());
    }

    void close_list() {
        lists_.pop_back();
        text_.set_indent(indent());
        new_line(lists_.empty() ? 2 : 1);
    }

    void open_item() {
        const std::size_t before = lists_.empty() ? 0 : indent() - 2;
        std::string marker(before, ' ');
        if (!lists_.empty() && lists_.back().is_ordered) {
            marker += std::to_string(lists_.back().next_number++) + ". ";
        } else {
            marker += "- ";
        }
        if (!is_in_data_cell()) text_.set_marker(std::move(marker));
    }

    void open_table(NodeId id) {
        tables_are_data_.push_back(!is_layout_[id]);
        cells_in_row_ = 0;
    }

    void open_cell() {
        if (!is_in_data_cell()) {
            text_.ensure_newlines(1);
        } else if (cells_in_row_++ > 0) {
            text_.add_tab();
        }
    }

    const Tree& tree_;
    std::vector<bool> is_layout_;
    TextBuilder text_;
    std::vector<List> lists_;
    std::vector<bool> tables_are_data_;
    int cells_in_row_ = 0;
    int verbatim_depth_ = 0;
};

}  // namespace

std::string to_plain_text(const Tree& tree, const Selection& selection) {
    PlainTextWriter writer(tree);
    walk_kept(tree, selection, writer);
    return writer.take();
}

}  // namespace quarry::extract
