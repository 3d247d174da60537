#include "crawl/robots_pattern.h"

#include <cstring>

#include "url/percent.h"

namespace quarry::crawl {

namespace {

// glibc's memmem takes linear time; std::string_view::find may take quadratic on "aaaa…" and "aaa…b".
const char* find_in(std::string_view text, std::string_view part) {
    return static_cast<const char*>(memmem(text.data(), text.size(), part.data(), part.size()));
}

bool is_unreserved(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

// That may stand for itself, and means something else when it is encoded. '*' and '$' are for rules to say.
bool is_reserved(unsigned char c) {
    constexpr std::string_view reserved = ":/?#[]@!&'()+,;=";
    return reserved.contains(static_cast<char>(c));
}

// The byte that the escape at `at` stands for, or -1.
int byte_of_escape(std::string_view text, std::size_t at) {
    if (text[at] != '%' || at + 2 >= text.size()) return -1;
    const int high = url::hex_digit(text[at + 1]), low = url::hex_digit(text[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

enum class Side { pattern, path };

void append_form(std::string_view text, Side side, std::string& form) {
    constexpr std::string_view data_in_query = ":/?@";
    constexpr std::string_view digits = "0123456789ABCDEF";
    bool in_query = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const int escaped = byte_of_escape(text, at);
        const auto c = static_cast<unsigned char>(escaped < 0 ? text[at] : escaped);
        // Before the query "%2F" separates nothing, so it is not the same as '/'. In it both are data.
        const bool is_kept =
            is_reserved(c) && (escaped < 0 || (in_query && data_in_query.contains(static_cast<char>(c))));
        const bool is_wildcard = side == Side::pattern && c == '*' && escaped < 0;
        // A URL is encoded before anybody asks. One that is not is not taken for what it might mean.
        const bool is_foreign = side == Side::path && c >= 0x80 && escaped < 0;
        if (is_unreserved(c) || is_kept || is_wildcard || is_foreign) {
            form += static_cast<char>(c);
        } else {
            form += '%';
            form += digits[c >> 4];
            form += digits[c & 15];
        }
        in_query = in_query || (c == '?' && escaped < 0);
        if (escaped >= 0) at += 2;
    }
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

std::string path_form(std::string_view path) {
    std::string form;
    append_form(path, Side::path, form);
    return form;
}

std::string pattern_form(std::string_view pattern) {
    const bool to_the_end = pattern.ends_with('$');
    if (to_the_end) pattern.remove_suffix(1);
    std::string form;
    append_form(pattern, Side::pattern, form);
    if (to_the_end) form += '$';
    return form;
}

}  // namespace quarry::crawl
