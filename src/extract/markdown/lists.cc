// Lists, task lists and definition lists.
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "extract/markdown/escape.h"
#include "extract/markdown/writer.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

constexpr html::TagSet lists{Tag::ul, Tag::ol, Tag::menu, Tag::dir};

std::optional<std::uint32_t> item_number(std::string_view text) {
    text = trimmed(text);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    // Markdown reads at most nine digits.
    if (error != std::errc() || end != text.data() + text.size() || number > 999'999'999) return std::nullopt;
    return number;
}

// Paragraphs in items ask for space between them. Sphinx writes them everywhere, and marks the lists that do
// not mean it.
bool is_tight(const Tree& tree, NodeId id) {
    if (tree.has_class(id, "simple")) return true;
    for (NodeId item = id + 1; item < tree[id].end; item = tree[item].end) {
        if (!tree.is(item, Tag::li)) continue;
        for (NodeId child = item + 1; child < tree[item].end; child = tree[child].end) {
            if (tree.is(child, Tag::p)) return false;
        }
    }
    return true;
}

bool begins_with_item(const Tree& tree, NodeId id) {
    for (NodeId child = id + 1; child < tree[id].end; child = tree[child].end) {
        if (tree.is_element(child)) return tree.is(child, Tag::li);
    }
    return false;
}

}  // namespace

void Writer::list(NodeId id) {
    leave_heading();
    if (place_ == Place::cell) {
        list_in_cell(id);
        return;
    }
    end_paragraph();
    definition_begins_ = false;
    const bool ordered = tree_[id].tag == Tag::ol;
    const std::uint32_t start = item_number(tree_.attribute_or_empty(id, Attr::start)).value_or(1);
    List list = out_.begin_list(ordered, start, is_tight(tree_, id));
    NodeId open_item = html::no_node;
    list_items(id, list, open_item);
    close_item(list, open_item);
}

// Items stay open until the next one begins, because a list or text that stands between them belongs to the
// one before.
void Writer::list_items(NodeId parent, List& list, NodeId& open_item) {
    for (NodeId child = parent + 1; child < tree_[parent].end; child = tree_[child].end) {
        if (!selection_.keeps(child)) continue;
        if (tree_.is(child, Tag::li)) {
            item(child, list, open_item);
        } else if (tree_.is_element(child) && !lists.contains(tree_[child].tag) &&
                   begins_with_item(tree_, child)) {
            list_items(child, list, open_item);
        } else if (tree_.is_element(child) || (tree_.is_text(child) && !is_blank_text(tree_[child].text))) {
            if (open_item == html::no_node && !lists.contains(tree_[child].tag)) {
                out_.open_item(list);
                open_item = child;
            }
            node(child);
        }
    }
}

void Writer::close_item(List& list, NodeId& open_item) {
    end_paragraph();
    if (open_item == html::no_node) return;
    if (has_no_content(open_item)) {
        out_.write_empty_container();
    } else if (out_.container_is_empty()) {
        --list.number;  // what came to nothing does not use up a number
    }
    out_.close_container();
    open_item = html::no_node;
}

void Writer::item(NodeId id, List& list, NodeId& open_item) {
    close_item(list, open_item);
    if (footnotes_.note(id) != nullptr) {
        node(id);
        return;
    }
    if (const auto value = item_number(tree_.attribute_or_empty(id, Attr::value))) list.number = *value;
    const bool outer = in_item_;
    const char outer_task = task_;
    in_item_ = true;
    task_ = '\0';
    out_.open_item(list);
    open_item = id;
    if (!element_with_meaning(id)) children(id);
    end_paragraph();
    in_item_ = outer;
    task_ = outer_task;
}

void Writer::stray_item(NodeId id) {
    if (place_ != Place::blocks) {
        block(id);
        return;
    }
    end_paragraph();
    definition_begins_ = false;
    if (!out_.continues(stray_list_)) stray_list_ = out_.begin_list(false, 1, true);
    List list = stray_list_;
    NodeId open_item = html::no_node;
    item(id, list, open_item);
    close_item(list, open_item);
}

// A table's row is one line: items become lines of their own inside of the cell.
void Writer::list_in_cell(NodeId id) {
    const bool ordered = tree_[id].tag == Tag::ol;
    std::uint32_t number = item_number(tree_.attribute_or_empty(id, Attr::start)).value_or(1);
    block_edge();
    for (NodeId child = id + 1; child < tree_[id].end; child = tree_[child].end) {
        if (!selection_.keeps(child) || !tree_.is_element(child)) continue;
        block_edge();
        if (tree_.is(child, Tag::li)) run_.text(ordered ? std::to_string(number++) + ". " : "- ");
        children(child);
    }
    block_edge();
}

void Writer::term(NodeId id) {
    block_edge();
    after_signature_ = tree_.has_class(id, "sig");
    const bool outer = in_term_;
    in_term_ = true;
    in_code_ = after_signature_;
    children(id);
    in_code_ = false;
    block_edge();
    in_term_ = outer;
}

// The first paragraph of a definition stands right below its term. That of a documented function is a text of
// its own.
void Writer::definition(NodeId id) {
    block_edge();
    const bool in_term = in_term_;
    in_term_ = false;
    definition_begins_ = place_ == Place::blocks && !after_signature_;
    after_signature_ = false;
    children(id);
    block_edge();
    definition_begins_ = false;
    in_term_ = in_term;
}

}  // namespace quarry::extract::markdown
