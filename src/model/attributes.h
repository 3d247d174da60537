// Values of attributes that somebody asks a page for, by selector.
#pragma once

#include <string>
#include <vector>

namespace quarry {

struct AttributeWish {
    std::string selector{};   // CSS
    std::string attribute{};  // "href", "data-id"

    friend bool operator==(const AttributeWish&, const AttributeWish&) = default;
};

struct AttributeValues {
    std::string selector{};
    std::string attribute{};
    std::vector<std::string> values{};  // as the page has them, in its order
};

}  // namespace quarry
