#include "html/construction/formatting.h"

#include <algorithm>

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

}  // namespace quarry::html
