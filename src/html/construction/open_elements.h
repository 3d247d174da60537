// The stack of open elements. Every question the standard answers by walking the stack ("has a p element in
// button scope", "any other end tag") is answered here in constant time, because hostile pages ask it a
// million times over a deep stack: for each tag the stack knows its topmost open element, and for each kind
// of scope the topmost element that ends it.
#pragma once

#include <cstdint>
#include <vector>

#include "html/construction/build_tree.h"
#include "html/construction/tag_classes.h"
#include "html/tree.h"

namespace quarry::html {

struct OpenElement {
    NodeId node = no_node;
    Tag tag = Tag::first_unlisted;
    Tag token_tag = Tag::first_unlisted;  // in lower case; differs from `tag` for some of svg
    Namespace space = Namespace::html;
    bool is_html_integration_point = false;

    bool is(Tag other) const { return tag == other && space == Namespace::html; }
    unsigned classes() const { return tag_classes(space, tag); }
};

class OpenElements {
public:
    using Index = std::int32_t;
    static constexpr Index none = -1;

    explicit OpenElements(BuildTree& nodes) : nodes_(nodes), topmost_(listed_tags * 2, none) {}

    bool empty() const { return size_ == 0; }
    Index size() const { return size_; }
    const OpenElement& operator[](Index index) const {
        return entries_[static_cast<std::size_t>(index)].element;
    }
    const OpenElement& current() const { return entries_.back().element; }

    void push(const OpenElement& element);
    void pop();
    // Pops until `count` elements are left.
    void pop_to(Index count);
    // Pops up to and with the topmost HTML element of this tag, if there is one.
    void pop_through(Tag tag);

    // The topmost open HTML element with this tag, or none.
    Index topmost(Tag tag) const { return find(tag, Namespace::html); }
    // The same for svg and math elements, by the name in lower case.
    Index topmost_foreign(Tag token_tag) const { return find(token_tag, Namespace::svg); }

    bool is_in_scope(Index index) const { return is_above(index, bounds_.scope); }
    bool has_in_scope(Tag tag) const { return is_above(topmost(tag), bounds_.scope); }
    bool has_in_button_scope(Tag tag) const { return is_above(topmost(tag), bounds_.button_scope); }
    bool has_in_list_scope(Tag tag) const { return is_above(topmost(tag), bounds_.list_scope); }
    bool has_in_table_scope(Tag tag) const { return is_above(topmost(tag), bounds_.table_scope); }
    bool has_heading_in_scope() const;
    // The element is not hidden by a special element above it.
    bool has_above_special(Tag tag) const { return is_above(topmost(tag), bounds_.special); }
    // The same, looking through address, div and p: how <li>, <dd> and <dt> find the item they end.
    bool has_above_item_stop(Tag tag) const { return is_above(topmost(tag), bounds_.item_stop); }
    // True if the current element is of the HTML namespace, or there is none.
    bool is_current_html() const { return bounds_.html == size_ - 1; }
    // The topmost element of the HTML namespace.
    Index topmost_html() const { return bounds_.html; }

    // Finding an element and changing the middle of the stack cost the elements above. `work` counts them, so
    // that callers can stop when a page makes them do too much of it.
    std::uint64_t work() const { return work_; }
    Index index_of(NodeId node);
    void remove(Index index);
    void insert(Index index, const OpenElement& element);
    void replace(Index index, const OpenElement& element);

private:
    // For each kind of boundary the index of the topmost one.
    struct Bounds {
        Index scope = none, button_scope = none, list_scope = none, table_scope = none;
        Index special = none, item_stop = none, html = none;
    };
    struct Entry {
        OpenElement element;
        Index previous_same;  // the next element below with the same name
        Bounds bounds_below;  // as they were before this element
    };

    static bool is_above(Index index, Index bound) { return index != none && index >= bound; }
    static std::size_t key(Tag tag, Namespace space) {
        return static_cast<std::size_t>(tag) * 2 + (space != Namespace::html ? 1 : 0);
    }
    Index find(Tag tag, Namespace space) const {
        const std::size_t at = key(tag, space);
        return at < topmost_.size() ? topmost_[at] : none;
    }
    void take_above(Index index);
    void put_back();

    BuildTree& nodes_;
    std::vector<Entry> entries_;
    Index size_ = 0;  // of `entries_`, which would divide by the size of an entry each time that it is asked
    std::vector<Index> topmost_;  // by key()
    std::vector<OpenElement> taken_;
    Bounds bounds_;
    std::uint64_t work_ = 0;
};

}  // namespace quarry::html
