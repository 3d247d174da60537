#include "crawl/robots_pattern.h"

#include <cstring>

#include "url/percent.h"

namespace quarry::crawl {

namespace {

// glibc's memmem takes linear time; std::string_view::find may take quadratic on "aaaa…" and "aaa…b".
const char* find_in(std::string_view text, std::string_view part) {
    return static_cast<const char*>(memmem(text.data(), text.size(), part.data(), part.size()));
}

char upper_hex(char c) {
    return c >= 'a' && c <= 'f' ? static_cast<char>(c - 0x20) : c;
}

}  // namespace

bool PathPattern::matches(std::string_view path) const {
    std::string_view pattern = text_;
    const bool to_the_end = pattern.ends_with('$');
    if (to_the_end) pattern.remove_suffix(1);

    std::size_t star = pattern.find('*');
    const std::string_view prefix = pattern.substr(0, star);
    if (!path.starts_with(prefix)) return false;
    path.remove_prefix(prefix.size());
    if (star == std::string_view::npos) return !to_the_end || path.empty();

    while (true) {
        pattern.remove_prefix(star + 1);
        star = pattern.find('*');
        const bool last = star == std::string_view::npos;
        const std::string_view part = pattern.substr(0, star);
        if (last && to_the_end) return path.ends_with(part);
        const char* found = find_in(path, part);
        if (found == nullptr) return false;
        if (last) return true;
        path.remove_prefix(static_cast<std::size_t>(found - path.data()) + part.size());
    }
}

std::string literal_form(std::string_view path) {
    std::string form(path);
    for (std::size_t i = 0; i + 2 < form.size(); ++i) {
        const bool escape =
            form[i] == '%' && url::hex_digit(form[i + 1]) >= 0 && url::hex_digit(form[i + 2]) >= 0;
        if (!escape) continue;
        form[i + 1] = upper_hex(form[i + 1]);
        form[i + 2] = upper_hex(form[i + 2]);
    }
    return form;
}

std::string escaped_form(std::string_view text) {
    std::string form;
    for (const char c : literal_form(text)) {
        if (static_cast<unsigned char>(c) < 0x80) {
            form += c;
        } else {
            url::append_encoded({&c, 1}, url::EncodeSet::control, form);
        }
    }
    return form;
}

}  // namespace quarry::crawl
