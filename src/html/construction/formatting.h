// The list of active formatting elements: those that misnested pages expect to go on after their parent was
// closed. It is capped: a page of thousands of open <font> elements would otherwise repeat them all in every
// paragraph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "html/tree.h"

namespace quarry::html {

struct FormattingElement {
    NodeId node = no_node;  // no_node: a marker, which hides what is before it
    Tag tag = Tag::first_unlisted;
    std::uint16_t attribute_count = 0;
    std::uint32_t first_attribute = 0;

    bool is_marker() const { return node == no_node; }
};

class ActiveFormatting {
public:
    ActiveFormatting(const std::vector<Attribute>& attributes, std::size_t limit)
        : attributes_(attributes), limit_(limit == 0 ? 1 : limit) {}

    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    FormattingElement& operator[](std::size_t index) { return entries_[index]; }
    // All of them; valid until one is added or removed.
    std::span<FormattingElement> elements() { return entries_; }

    // Adds an element. Drops the earliest of three that are alike, or of too many.
    void push(const FormattingElement& element);
    // Markers that no end tag removes pile up in broken pages; past this many one more changes nothing.
    void push_marker() {
        if (entries_.size() < most_entries) entries_.push_back({});
    }
    // Removes all up to and with the last marker.
    void clear_to_marker();

    static constexpr std::size_t none = SIZE_MAX;
    static constexpr std::size_t most_entries = 1024;
    // The last element with this tag that no marker hides.
    std::size_t find_last(Tag tag) const;
    std::size_t index_of(NodeId node) const;
    void erase(std::size_t index) { entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index)); }
    void insert(std::size_t index, const FormattingElement& element) {
        entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(index), element);
    }

private:
    std::span<const Attribute> attributes_of(const FormattingElement& element) const {
        return std::span(attributes_).subspan(element.first_attribute, element.attribute_count);
    }
    bool are_alike(const FormattingElement& a, const FormattingElement& b) const;

    const std::vector<Attribute>& attributes_;
    std::size_t limit_;
    std::vector<FormattingElement> entries_;
};

}  // namespace quarry::html
