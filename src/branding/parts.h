// Pieces of a profile: what is not known is not in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

#include "branding/color.h"

namespace quarry::branding {

inline void add_text(boost::json::object& object, std::string_view key, const std::string& text) {
    if (!text.empty()) object[key] = text;
}

inline void add_color(boost::json::object& object, std::string_view key, const std::optional<Color>& color) {
    if (color) object[key] = to_hex(*color);
}

inline void add_object(boost::json::object& object, std::string_view key, boost::json::object part) {
    if (!part.empty()) object[key] = std::move(part);
}

}  // namespace quarry::branding
