#include "extract/attributes.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "html/selector/html_selector.h"

namespace quarry::extract {

Result<std::vector<AttributeValues>> read_attributes(const html::Tree& tree,
                                                     std::span<const AttributeWish> wishes) {
    std::size_t values_left = 10'000, bytes_left = 4u << 20;
    std::vector<AttributeValues> all;
    for (const AttributeWish& wish : wishes) {
        const auto selectors = html::parse_selectors(wish.selector);
        if (!selectors)
            return fail(selectors.error().code,
                        fmt::format("the selector \"{}\": {}", wish.selector, selectors.error().message));
        AttributeValues found{.selector = wish.selector, .attribute = wish.attribute};
        // Nothing if no element of the page has an attribute of that name.
        const auto name = tree.find_attribute_name(lower_case(wish.attribute));
        for (const html::NodeId node : name ? html::select(tree, *selectors) : std::vector<html::NodeId>()) {
            const auto value = tree.attribute(node, *name);
            if (!value || values_left == 0 || value->size() > bytes_left) continue;
            found.values.emplace_back(*value);
            --values_left;
            bytes_left -= value->size();
        }
        all.push_back(std::move(found));
    }
    return all;
}

}  // namespace quarry::extract
