// Simple selectors bound to one tree: names are looked up once, and what depends on other nodes is worked out
// for all of them beforehand, so that a test of one element looks at that element only.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "html/selector/matching.h"
#include "html/selector/selector.h"
#include "html/tree.h"

namespace quarry::html {

class BoundSimple {
public:
    // `nested` are the matches of the selector's argument, where it has one.
    BoundSimple(const Tree& tree, const SimpleSelector& simple, NodeMarks nested);

    bool matches(NodeId id) const;

private:
    bool matches_type(const Node& node) const;
    bool matches_attribute(NodeId id) const;
    bool matches_value(std::string_view value, bool ignore_case) const;
    bool has_class(std::string_view classes) const;

    const Tree& tree_;
    const SimpleSelector& simple_;
    NodeMarks marks_;               // the answer for every node, for the kinds that look further than one
    std::optional<Tag> html_tag_;   // names of HTML elements and their attributes are in lower case;
    std::optional<Tag> other_tag_;  // those of SVG and MathML are as written
    std::optional<Attr> html_attribute_;
    std::optional<Attr> other_attribute_;
    bool attribute_ignores_case_ = false;
};

}  // namespace quarry::html
