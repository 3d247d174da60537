#include "html/construction/foreign_names.h"

#include <algorithm>
#include <span>

#include "html/characters.h"

namespace quarry::html {

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
    return found != sorted.end() && equals_ignoring_case(*found, lower) ? *found : std::string_view{};
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

}  // namespace quarry::html
