#include "url/relative.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace quarry::url {

namespace {

// Characters that stay as they are and mean nothing.
enum Plain : std::uint8_t { in_path = 1, in_query = 2, in_fragment = 4 };

constexpr std::array<std::uint8_t, 256> make_plain() {
    std::array<std::uint8_t, 256> plain{};
    const auto add = [&](std::string_view characters, int parts) {
        for (const char c : characters)
            plain[static_cast<unsigned char>(c)] = static_cast<std::uint8_t>(parts);
    };
    add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~/.+,=@!$&()*;",
        in_path | in_query | in_fragment);
    // A colon may end a scheme, a percent sign may encode a dot.
    add(":%?", in_query | in_fragment);
    return plain;
}

constexpr auto plain = make_plain();

bool is_plain(char c, Plain part) {
    return (plain[static_cast<unsigned char>(c)] & part) != 0;
}

std::size_t skip(std::string_view text, std::size_t at, Plain part) {
    while (at < text.size() && is_plain(text[at], part)) ++at;
    return at;
}

// The end of the path, or npos if the reference is not plain.
std::size_t find_path_end(std::string_view reference) {
    const std::size_t path_end = skip(reference, 0, in_path);
    std::size_t at = path_end;
    if (at < reference.size() && reference[at] == '?') at = skip(reference, at + 1, in_query);
    if (at < reference.size() && reference[at] == '#') at = skip(reference, at + 1, in_fragment);
    return at == reference.size() ? path_end : std::string_view::npos;
}

// Segments of dots go up or nowhere; only those at the beginning are dealt with here.
bool has_dot_segment(std::string_view path) {
    return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

// Goes up from a folder ("/a/b/") for each "../" and takes it away; the root is above itself.
std::size_t go_up(std::string_view folder, std::size_t path_start, std::string_view& path) {
    std::size_t end = folder.size();
    while (path.starts_with("../") || path.starts_with("./")) {
        const bool is_up = path.starts_with("../");
        path.remove_prefix(is_up ? 3 : 2);
        if (is_up && end > path_start + 1) end = folder.rfind('/', end - 2) + 1;
    }
    return end;
}

}  // namespace

bool resolve_plain(std::string_view reference, const Url& base, std::string& href) {
    constexpr std::size_t longest = 4'096;
    if (reference.empty() || reference.size() + base.href().size() > longest || !base.is_http()) return false;
    const std::size_t path_end = find_path_end(reference);
    if (path_end == std::string_view::npos || reference.starts_with("//")) return false;
    std::string_view path = reference.substr(0, path_end);
    const std::string_view tail = reference.substr(path_end);
    if (path.empty() && !tail.starts_with('#')) return false;

    const std::string_view whole = base.href();
    const auto path_start = static_cast<std::size_t>(base.path().data() - whole.data());
    std::size_t kept = 0;
    if (path.empty()) {
        kept = std::min(whole.find('#'), whole.size());
    } else if (path.starts_with('/')) {
        kept = path_start;
    } else {
        const std::size_t folder_end = path_start + base.path().rfind('/') + 1;
        kept = go_up(whole.substr(0, folder_end), path_start, path);
    }
    if (has_dot_segment(path)) return false;
    href.assign(whole.substr(0, kept));
    href += path;
    href += tail;
    return true;
}

}  // namespace quarry::url
