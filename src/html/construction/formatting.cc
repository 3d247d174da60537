#include "html/construction/formatting.h"

#include <algorithm>
#include <span>
#include <utility>

#include "html/construction/tree_builder.h"

namespace quarry::html {

namespace {

bool is_same(const Attribute& a, const Attribute& b) {
    return a.name == b.name && a.space == b.space && a.value == b.value;
}

}  // namespace

bool ActiveFormatting::are_alike(const FormattingElement& a, const FormattingElement& b) const {
    if (a.tag != b.tag || a.attribute_count != b.attribute_count) return false;
    const auto first = attributes_of(a), second = attributes_of(b);
    // Order does not matter, but comparing hundreds of attributes with each other would be a way to waste
    // time.
    constexpr std::size_t most_compared_in_any_order = 8;
    if (first.size() > most_compared_in_any_order) return std::ranges::equal(first, second, is_same);
    return std::ranges::is_permutation(first, second, is_same);
}

void ActiveFormatting::push(const FormattingElement& element) {
    std::size_t alike = 0, earliest_alike = none, since_marker = 0;
    for (std::size_t i = entries_.size(); i-- > 0 && !entries_[i].is_marker(); ++since_marker) {
        if (!are_alike(entries_[i], element)) continue;
        ++alike;
        earliest_alike = i;
    }
    if (alike >= 3) {
        erase(earliest_alike);
    } else if (since_marker >= limit_) {
        erase(entries_.size() - since_marker);
    }
    entries_.push_back(element);
}

void ActiveFormatting::clear_to_marker() {
    while (!entries_.empty()) {
        const bool was_marker = entries_.back().is_marker();
        entries_.pop_back();
        if (was_marker) return;
    }
}

std::size_t ActiveFormatting::find_last(Tag tag) const {
    const std::span entries(entries_);
    for (std::size_t i = entries.size(); i-- > 0 && !entries[i].is_marker();) {
        if (entries[i].tag == tag) return i;
    }
    return none;
}

std::size_t ActiveFormatting::index_of(NodeId node) const {
    const std::span entries(entries_);
    for (std::size_t i = entries.size(); i-- > 0;) {
        if (entries[i].node == node) return i;
    }
    return none;
}

// Formatting elements in pages that close them in the wrong order: `<b>1<p>2</b>3</p>`.

void TreeBuilder::push_formatting(NodeId node, const Token& token) {
    formatting_.push({node, token.tag, token.attribute_count, token.first_attribute});
}

// The same element once more; its attributes are shared, since nothing changes them.
NodeId TreeBuilder::clone_element(const FormattingElement& element) {
    if (clones_left_ > 0) --clones_left_;
    BuildNode& node = nodes_.add();
    node.tag = element.tag;
    node.attribute_count = element.attribute_count;
    node.first_attribute = element.first_attribute;
    return nodes_.size() - 1;
}

// Opens again the formatting elements that the page never closed.
void TreeBuilder::reconstruct_formatting() {
    if (formatting_.empty()) return;
    const auto is_settled = [this](const FormattingElement& element) {
        return element.is_marker() || nodes_[element.node].is_open;
    };
    const std::span<FormattingElement> listed = formatting_.elements();
    std::size_t first = listed.size();
    while (first > 0 && !is_settled(listed[first - 1])) --first;
    for (FormattingElement& element : listed.subspan(first)) {
        if (clones_left_ == 0 || is_too_deep() || is_full()) return;
        element.node = clone_element(element);
        nodes_.insert(place_here(), element.node);
        open_.push({.node = element.node, .tag = element.tag, .token_tag = element.tag});
    }
}

// Takes the element off the list and the stack, wherever it is.
void TreeBuilder::forget_formatting(NodeId node) {
    const std::size_t index = formatting_.index_of(node);
    if (index != ActiveFormatting::none) formatting_.erase(index);
    if (nodes_[node].is_open) open_.remove(open_.index_of(node));
}

// The standard's "adoption agency algorithm" for an end tag: elements that are in the formatting element by
// mistake are moved out of it, and it is repeated inside them.
void TreeBuilder::adoption_agency(Tag subject) {
    if (is_current(subject) && formatting_.index_of(open_.current().node) == ActiveFormatting::none) {
        open_.pop();
        return;
    }
    constexpr int most_rounds = 8;
    for (int round = 0; round < most_rounds; ++round) {
        if (!adopt_once(subject)) return;
    }
}

namespace {

using Index = OpenElements::Index;

Index find_furthest_block(const OpenElements& open, Index formatting) {
    for (Index i = formatting + 1; i < open.size(); ++i) {
        if ((open[i].classes() & special) != 0) return i;
    }
    return OpenElements::none;
}

}  // namespace

// One round. False when there is nothing more to do.
bool TreeBuilder::adopt_once(Tag subject) {
    const std::size_t in_list = formatting_.find_last(subject);
    if (in_list == ActiveFormatting::none) {
        end_ordinary(subject);
        return false;
    }
    const FormattingElement element = formatting_[in_list];
    if (!nodes_[element.node].is_open) {
        formatting_.erase(in_list);
        return false;
    }
    const Index at = open_.index_of(element.node);
    if (!open_.is_in_scope(at)) return false;
    const Index block = find_furthest_block(open_, at);
    if (block == OpenElements::none || is_full() || open_.work() > most_stack_work_) {
        open_.pop_to(at);
        formatting_.erase(in_list);
        return false;
    }
    adopt(element, at, block);
    return true;
}

// `at` is the formatting element's place in the stack, `block_at` that of the block that came out of it.
void TreeBuilder::adopt(const FormattingElement& element, Index at, Index block_at) {
    const NodeId block = open_[block_at].node;
    const NodeId common_ancestor = open_[at - 1].node;
    std::size_t bookmark = formatting_.index_of(element.node);
    NodeId last = block;
    int inner = 0;
    for (Index i = block_at - 1; i > at; --i) {
        const NodeId node = open_[i].node;
        std::size_t in_list = formatting_.index_of(node);
        // The standard's limit on how many elements in between are repeated.
        if (++inner > 3 && in_list != ActiveFormatting::none) {
            formatting_.erase(in_list);
            if (in_list < bookmark) --bookmark;
            in_list = ActiveFormatting::none;
        }
        if (in_list == ActiveFormatting::none) {
            open_.remove(i);
            continue;
        }
        FormattingElement& between = formatting_[in_list];
        between.node = clone_element(between);
        open_.replace(i, {.node = between.node, .tag = between.tag, .token_tag = between.tag});
        if (last == block) bookmark = in_list + 1;
        nodes_.detach(last);
        nodes_.append(between.node, last);
        last = between.node;
    }
    nodes_.detach(last);
    nodes_.insert(place_for(common_ancestor), last);

    FormattingElement inside = element;
    inside.node = clone_element(element);
    nodes_.move_children(block, inside.node);
    nodes_.append(block, inside.node);
    const std::size_t old = formatting_.index_of(element.node);
    formatting_.erase(old);
    formatting_.insert(old < bookmark ? bookmark - 1 : bookmark, inside);
    open_.remove(at);
    open_.insert(open_.index_of(block) + 1,
                 {.node = inside.node, .tag = inside.tag, .token_tag = inside.tag});
}

}  // namespace quarry::html
