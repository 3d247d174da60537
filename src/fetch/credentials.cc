#include "fetch/redirect.h"

#include <algorithm>

namespace quarry::fetch {

void Credentials::add_to(std::vector<Header>& headers, const url::Url& url, std::string_view owner) const {
    if (all_.empty() || !header_value(headers, "Authorization").empty()) return;
    const std::string origin = url.origin();
    const auto is_for = [&](const Credential& one) {
        return one.origin == origin && std::ranges::any_of(one.owners, [&](const std::string& name) {
                   return name == "*" || name == owner;
               });
    };
    const auto found = std::ranges::find_if(all_, is_for);
    if (found != all_.end()) headers.push_back({"Authorization", found->authorization});
}

}  // namespace quarry::fetch
