// A parsed CSS selector as plain data: a list of complex selectors, each a chain of compounds, each a
// conjunction of simple selectors. Written by selector_parser.cc, read by selector.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace quarry::html {

enum class SimpleKind : std::uint8_t {
    universal,  // *
    type,       // name: as written; HTML elements compare in lower case
    id,         // name
    class_,     // name
    attribute,  // name, operation, value, value_case
    nth,        // step, offset, from_end, of_type; `nested` if "of S" was given
    is,         // nested; also :where, which differs only in specificity
    not_,       // nested
    has,        // nested, each relative to the element
    root,
    empty,
    only_child,
    only_of_type,
    checked,
    disabled,
    enabled,
    link,   // :link and :any-link
    lang,   // value
    never,  // :hover, :visited and the like, which no stored page has
};

enum class AttributeOperation : std::uint8_t {
    exists,
    equals,       // =
    includes,     // ~=
    dash_match,   // |=
    starts_with,  // ^=
    ends_with,    // $=
    contains,     // *=
};

enum class ValueCase : std::uint8_t { by_attribute, ignored, exact };

struct SelectorList;

struct SimpleSelector {
    SimpleKind kind = SimpleKind::universal;
    AttributeOperation operation = AttributeOperation::exists;
    ValueCase value_case = ValueCase::by_attribute;
    bool from_end = false;
    bool of_type = false;
    std::int32_t step = 0;    // the a of an+b
    std::int32_t offset = 0;  // the b
    std::string name{};
    std::string value{};
    // Shared because a selector contains selectors and is copied as a value; nobody changes it.
    std::shared_ptr<const SelectorList> nested{};
};

enum class Combinator : std::uint8_t { descendant, child, next_sibling, later_sibling };

struct CompoundSelector {
    // How this compound hangs on the one before it. For the first of a :has() argument, on the element
    // itself.
    Combinator combinator = Combinator::descendant;
    std::vector<SimpleSelector> simples{};
};

struct ComplexSelector {
    std::vector<CompoundSelector> compounds{};  // in the order written; at least one, at most 64
};

struct SelectorList {
    std::vector<ComplexSelector> selectors{};  // at least one
};

}  // namespace quarry::html
