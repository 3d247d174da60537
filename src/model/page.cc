#include "model/page.h"

#include <algorithm>

#include "base/ascii.h"

namespace quarry {

std::string_view header_value(const std::vector<Header>& headers, std::string_view name) {
    const auto same_letter = [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    };
    const auto found = std::ranges::find_if(
        headers, [&](const Header& header) { return std::ranges::equal(header.name, name, same_letter); });
    return found == headers.end() ? std::string_view{} : std::string_view{found->value};
}

}  // namespace quarry
