#include "extract/metadata/srcset.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace quarry::extract {

namespace {

// "640w" is 640, "2x" is 2; widths and densities are not mixed in one attribute. Heights are not used.
double size_of(std::string_view descriptor) {
    descriptor = trimmed(descriptor);
    if (descriptor.empty()) return 1;
    double size = 0;
    const auto [end, error] = std::from_chars(descriptor.data(), descriptor.data() + descriptor.size(), size);
    const bool has_unit = end != descriptor.data() + descriptor.size() && (*end == 'w' || *end == 'x');
    return error == std::errc{} && has_unit ? size : 0;
}

std::string_view take_url(std::string_view& rest) {
    const std::size_t end = std::min(rest.find_first_of(ascii_white_space), rest.size());
    const std::string_view url = rest.substr(0, end);
    rest.remove_prefix(end);
    return url;
}

// Up to the next comma outside brackets, which future descriptors may have.
std::string_view take_descriptor(std::string_view& rest) {
    std::size_t end = 0;
    bool in_brackets = false;
    for (; end < rest.size() && (in_brackets || rest[end] != ','); ++end) {
        if (rest[end] == '(') in_brackets = true;
        if (rest[end] == ')') in_brackets = false;
    }
    const std::string_view descriptor = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return descriptor;
}

}  // namespace

std::string_view best_source(std::string_view srcset) {
    std::string_view best;
    double best_size = -1;
    while (true) {
        const std::size_t start = srcset.find_first_not_of(" \t\n\f\r,");
        if (start == std::string_view::npos) return best;
        srcset.remove_prefix(start);
        std::string_view url = take_url(srcset);
        double size = 1;
        if (url.ends_with(',')) {
            while (url.ends_with(',')) url.remove_suffix(1);
        } else {
            size = size_of(take_descriptor(srcset));
        }
        if (!url.empty() && size > best_size) {
            best = url;
            best_size = size;
        }
    }
}

}  // namespace quarry::extract
