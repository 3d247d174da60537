// A row of an answer, whatever database gave it: records are read from its columns by their numbers, so that
// the list of a record's fields is written once.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quarry::store {

template <typename Type>
concept Row = requires(const Type& row) {
    { row.is_null(0) } -> std::same_as<bool>;
    { row.integer(0) } -> std::same_as<std::int64_t>;                          // 0 if NULL
    { row.optional_integer(0) } -> std::same_as<std::optional<std::int64_t>>;  // nothing if NULL
    { row.text(0) } -> std::same_as<std::string_view>;                         // "" if NULL
};

}  // namespace quarry::store
