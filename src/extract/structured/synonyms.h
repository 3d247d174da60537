// Under which names a field may stand: schemas say "price", schema.org says "offers" with "price" in it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace quarry::structured {

// Letters and digits only, in lower case: "Published Time", "published_time" and "publishedTime" are one
// name.
std::string plain_name(std::string_view name);

// Other names of a field, the likelier first, each a path with dots in plain names ("offers.price"); `name`
// is plain.
std::span<const std::string_view> synonyms_of(std::string_view name);

}  // namespace quarry::structured
