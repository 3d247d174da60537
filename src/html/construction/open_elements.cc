#include "html/construction/open_elements.h"

#include <algorithm>

namespace quarry::html {

void OpenElements::push(const OpenElement& element) {
    const Index index = size();
    const std::size_t name = key(element.token_tag, element.space);
    if (name >= topmost_.size()) topmost_.resize(name + 64, none);
    Index& same = topmost_.data()[name];  // there is room for it: see above
    entries_.push_back({element, same, bounds_});
    same = index;
    size_ = index + 1;
    nodes_[element.node].is_open = true;
    if (element.space == Namespace::html) bounds_.html = index;
    const unsigned classes = element.classes();
    if (classes == 0) return;
    if ((classes & bounds_scope) != 0) bounds_.scope = bounds_.button_scope = bounds_.list_scope = index;
    if ((classes & bounds_button_scope) != 0) bounds_.button_scope = index;
    if ((classes & bounds_list_scope) != 0) bounds_.list_scope = index;
    if ((classes & bounds_table_scope) != 0) bounds_.table_scope = index;
    if ((classes & special) != 0) {
        bounds_.special = index;
        if ((classes & transparent_to_items) == 0) bounds_.item_stop = index;
    }
}

void OpenElements::pop() {
    const Entry& top = entries_.back();
    nodes_[top.element.node].is_open = false;
    topmost_[key(top.element.token_tag, top.element.space)] = top.previous_same;
    bounds_ = top.bounds_below;
    entries_.pop_back();
    --size_;
}

void OpenElements::pop_to(Index count) {
    while (size() > count) pop();
}

void OpenElements::pop_through(Tag tag) {
    const Index index = topmost(tag);
    if (index != none) pop_to(index);
}

OpenElements::Index OpenElements::index_of(NodeId node) {
    Index index = size() - 1;
    while (index >= 0 && (*this)[index].node != node) --index;
    work_ += static_cast<std::uint64_t>(size() - index) / 4;  // comparing is cheaper than moving
    return index;
}

bool OpenElements::has_heading_in_scope() const {
    using enum Tag;
    return std::ranges::any_of(std::initializer_list<Tag>{h1, h2, h3, h4, h5, h6},
                               [this](Tag tag) { return has_in_scope(tag); });
}

void OpenElements::take_above(Index index) {
    taken_.clear();
    while (size() > index + 1) {
        taken_.push_back(current());
        pop();
    }
    work_ += taken_.size();
}

void OpenElements::put_back() {
    for (; !taken_.empty(); taken_.pop_back()) push(taken_.back());
}

void OpenElements::remove(Index index) {
    take_above(index);
    pop();
    put_back();
}

void OpenElements::insert(Index index, const OpenElement& element) {
    take_above(index - 1);
    push(element);
    put_back();
}

void OpenElements::replace(Index index, const OpenElement& element) {
    take_above(index);
    pop();
    push(element);
    put_back();
}

}  // namespace quarry::html
