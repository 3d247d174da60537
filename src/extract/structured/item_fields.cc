#include "extract/structured/item_fields.h"

#include <boost/json.hpp>

namespace quarry::structured {

namespace json = boost::json;

std::string_view local_name(std::string_view name) {
    while (name.ends_with('/') || name.ends_with('#')) name.remove_suffix(1);
    const std::size_t mark = name.find_last_of("/#:");
    return mark == name.npos ? name : name.substr(mark + 1);
}

void add_field(json::object& fields, std::string_view name, json::value value) {
    const auto [place, is_new] = fields.emplace(name, nullptr);
    if (is_new) {
        place->value() = std::move(value);
    } else if (json::array* list = place->value().if_array()) {
        list->push_back(std::move(value));
    } else {
        json::array both;
        both.push_back(std::move(place->value()));
        both.push_back(std::move(value));
        place->value() = std::move(both);
    }
}

}  // namespace quarry::structured
