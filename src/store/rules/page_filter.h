// What the fields of a PageFilter mean for a URL, in every store.
#pragma once

#include <string_view>

namespace quarry::store {

// Whether a URL is of this host or one of its subdomains. A host without a port means any.
bool is_of_host(std::string_view url, std::string_view host);
// Whether the path of a URL begins so.
bool has_path_prefix(std::string_view url, std::string_view prefix);

}  // namespace quarry::store
