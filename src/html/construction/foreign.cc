// Names of svg and math that are not in lower case or carry a namespace: the tokenizer lower-cases
// everything, the tree has them as their own standards spell them.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "html/characters.h"
#include "html/construction/tree_builder.h"
#include "html/tree.h"

namespace quarry::html {

// The svg element's name as svg spells it, or "" if it is the name itself.
std::string_view svg_tag_name(std::string_view lower);

struct ForeignAttribute {
    std::string_view name{};  // without the prefix; "" if nothing is to be changed
    AttributeNamespace space = AttributeNamespace::none;
};
ForeignAttribute foreign_attribute(std::string_view lower, Namespace element_space);

namespace {

constexpr std::string_view svg_tags[] = {"altGlyph",
                                         "altGlyphDef",
                                         "altGlyphItem",
                                         "animateColor",
                                         "animateMotion",
                                         "animateTransform",
                                         "clipPath",
                                         "feBlend",
                                         "feColorMatrix",
                                         "feComponentTransfer",
                                         "feComposite",
                                         "feConvolveMatrix",
                                         "feDiffuseLighting",
                                         "feDisplacementMap",
                                         "feDistantLight",
                                         "feDropShadow",
                                         "feFlood",
                                         "feFuncA",
                                         "feFuncB",
                                         "feFuncG",
                                         "feFuncR",
                                         "feGaussianBlur",
                                         "feImage",
                                         "feMerge",
                                         "feMergeNode",
                                         "feMorphology",
                                         "feOffset",
                                         "fePointLight",
                                         "feSpecularLighting",
                                         "feSpotLight",
                                         "feTile",
                                         "feTurbulence",
                                         "foreignObject",
                                         "glyphRef",
                                         "linearGradient",
                                         "radialGradient",
                                         "textPath"};

constexpr std::string_view svg_attributes[] = {"attributeName",
                                               "attributeType",
                                               "baseFrequency",
                                               "baseProfile",
                                               "calcMode",
                                               "clipPathUnits",
                                               "diffuseConstant",
                                               "edgeMode",
                                               "filterUnits",
                                               "glyphRef",
                                               "gradientTransform",
                                               "gradientUnits",
                                               "kernelMatrix",
                                               "kernelUnitLength",
                                               "keyPoints",
                                               "keySplines",
                                               "keyTimes",
                                               "lengthAdjust",
                                               "limitingConeAngle",
                                               "markerHeight",
                                               "markerUnits",
                                               "markerWidth",
                                               "maskContentUnits",
                                               "maskUnits",
                                               "numOctaves",
                                               "pathLength",
                                               "patternContentUnits",
                                               "patternTransform",
                                               "patternUnits",
                                               "pointsAtX",
                                               "pointsAtY",
                                               "pointsAtZ",
                                               "preserveAlpha",
                                               "preserveAspectRatio",
                                               "primitiveUnits",
                                               "refX",
                                               "refY",
                                               "repeatCount",
                                               "repeatDur",
                                               "requiredExtensions",
                                               "requiredFeatures",
                                               "specularConstant",
                                               "specularExponent",
                                               "spreadMethod",
                                               "startOffset",
                                               "stdDeviation",
                                               "stitchTiles",
                                               "surfaceScale",
                                               "systemLanguage",
                                               "tableValues",
                                               "targetX",
                                               "targetY",
                                               "textLength",
                                               "viewBox",
                                               "viewTarget",
                                               "xChannelSelector",
                                               "yChannelSelector",
                                               "zoomAndPan"};

// Compares `spelt` in lower case with `lower`, which is so already.
constexpr bool is_before(std::string_view spelt, std::string_view lower) {
    return std::ranges::lexicographical_compare(spelt, lower, {}, to_lower, {});
}

std::string_view find_spelling(std::span<const std::string_view> sorted, std::string_view lower) {
    const auto found = std::ranges::lower_bound(sorted, lower, is_before);
    return found != sorted.end() && equals_ignore_case(*found, lower) ? *found : std::string_view{};
}

struct PrefixedAttribute {
    std::string_view name;
    ForeignAttribute is;
};

constexpr PrefixedAttribute prefixed_attributes[] = {
    {"xlink:actuate", {"actuate", AttributeNamespace::xlink}},
    {"xlink:arcrole", {"arcrole", AttributeNamespace::xlink}},
    {"xlink:href", {"href", AttributeNamespace::xlink}},
    {"xlink:role", {"role", AttributeNamespace::xlink}},
    {"xlink:show", {"show", AttributeNamespace::xlink}},
    {"xlink:title", {"title", AttributeNamespace::xlink}},
    {"xlink:type", {"type", AttributeNamespace::xlink}},
    {"xml:lang", {"lang", AttributeNamespace::xml}},
    {"xml:space", {"space", AttributeNamespace::xml}},
    {"xmlns", {"xmlns", AttributeNamespace::xmlns}},
    {"xmlns:xlink", {"xlink", AttributeNamespace::xmlns}},
};

}  // namespace

std::string_view svg_tag_name(std::string_view lower) {
    return find_spelling(svg_tags, lower);
}

ForeignAttribute foreign_attribute(std::string_view lower, Namespace element_space) {
    if (lower.starts_with("x")) {
        for (const PrefixedAttribute& entry : prefixed_attributes) {
            if (entry.name == lower) return entry.is;
        }
    }
    if (element_space == Namespace::svg) return {find_spelling(svg_attributes, lower)};
    if (element_space == Namespace::mathml && lower == "definitionurl") return {"definitionURL"};
    return {};
}

// svg and math inside a page.

TreeBuilder::Step TreeBuilder::foreign(Token& token) {
    switch (token.kind) {
        case TokenKind::null_characters:
            for (std::size_t i = 0; i < token.text.size(); ++i) {
                insert_text(source_.text.copy(replacement_character));
            }
            return Step::done;
        case TokenKind::characters:
            insert_text(token.text);
            if (!is_all_space(token.text)) frameset_ok_ = false;
            return Step::done;
        case TokenKind::comment:
        case TokenKind::processing_instruction: insert_comment(token); return Step::done;
        case TokenKind::start_tag: return foreign_start_tag(token);
        case TokenKind::end_tag: return foreign_end_tag(token);
        case TokenKind::doctype:
        case TokenKind::end_of_file: return Step::done;
    }
    return Step::done;
}

// HTML elements that were surely not meant to be part of a picture or a formula.
bool TreeBuilder::breaks_out_of_foreign(const Token& token) const {
    using enum Tag;
    static constexpr TagSet breaking{
        b,   big,  blockquote, body,  br,   center, code,   dd,  div, dl,      dt,   em,   embed, h1, h2,
        h3,  h4,   h5,         h6,    head, hr,     i,      img, li,  listing, menu, meta, nobr,  ol, p,
        pre, ruby, s,          small, span, strong, strike, sub, sup, table,   tt,   u,    ul,    var};
    if (breaking.contains(token.tag)) return true;
    return token.tag == font && (has_attribute(token, Attr::color) || has_attribute(token, Attr::face) ||
                                 has_attribute(token, Attr::size));
}

void TreeBuilder::leave_foreign() {
    using enum Tag;
    static constexpr TagSet text_integration_points{mi, mo, mn, ms, mtext};
    for (;;) {
        const OpenElement& current = open_.current();
        if (current.space == Namespace::html || current.is_html_integration_point) return;
        if (current.space == Namespace::mathml && text_integration_points.contains(current.tag)) return;
        open_.pop();
    }
}

TreeBuilder::Step TreeBuilder::foreign_start_tag(Token& token) {
    if (breaks_out_of_foreign(token)) {
        leave_foreign();
        return dispatch_as_html(token);
    }
    insert_foreign_element(token, adjusted_current().space);
    return Step::done;
}

TreeBuilder::Step TreeBuilder::foreign_end_tag(Token& token) {
    if (token.tag == Tag::br || token.tag == Tag::p) {
        leave_foreign();
        return dispatch_as_html(token);
    }
    if (open_.size() == 1) return Step::done;
    const auto match = open_.topmost_foreign(token.tag);
    if (match == OpenElements::none || match < open_.topmost_html()) return dispatch_as_html(token);
    open_.pop_to(match);
    return Step::done;
}

Tag TreeBuilder::adjusted_svg_tag(Tag tag) {
    const std::string_view adjusted = svg_tag_name(name_of(tag));
    if (adjusted.empty()) return tag;
    return source_.tag_number(adjusted);
}

void TreeBuilder::adjust_foreign_attributes(const Token& token, Namespace space) {
    for (std::uint32_t i = 0; i < token.attribute_count; ++i) {
        Attribute& attribute = tree_.attributes_[token.first_attribute + i];
        const ForeignAttribute adjusted = foreign_attribute(tree_.name(attribute.name), space);
        if (adjusted.name.empty()) continue;
        const Attr number = source_.attribute_number(adjusted.name);
        if (static_cast<std::uint16_t>(number) == NameTable::overflow) continue;
        attribute.name = number;
        attribute.space = adjusted.space;
    }
}

bool TreeBuilder::is_html_integration_point(const OpenElement& element, const Token& token) const {
    using enum Tag;
    if (element.space == Namespace::svg) return TagSet(foreign_object, desc, title).contains(element.tag);
    if (element.tag != annotation_xml) return false;
    const std::string_view encoding = attribute(token, Attr::encoding);
    return equals_ignore_case(encoding, "text/html") || equals_ignore_case(encoding, "application/xhtml+xml");
}

}  // namespace quarry::html
