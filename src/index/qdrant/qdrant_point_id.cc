#include "index/qdrant/qdrant_point_id.h"

#include <charconv>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/sha256.h"

namespace quarry::index {

namespace {

bool is_kept(char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '_' || c == '-' || c == '.';
}

}  // namespace

std::string point_id(std::string_view identifier) {
    const auto digest = sha256(identifier);
    std::string id;
    for (std::size_t i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) id += '-';
        id += fmt::format("{:02x}", digest[i]);
    }
    return id;
}

std::string chunk_point(const std::string& collection, PageId page, std::int64_t generation, int index) {
    return point_id(fmt::format("chunk {} {} {} {}", number(page), generation, index, collection));
}

std::string page_point(const std::string& collection, PageId page) {
    return point_id(fmt::format("page {} {}", number(page), collection));
}

std::string collection_point(const std::string& collection) {
    return point_id("collection " + collection);
}

std::string qdrant_name(std::string_view prefix, std::string_view collection) {
    std::string name(prefix);
    for (const char c : collection) {
        if (is_kept(c)) {
            name += c;
        } else {
            name += fmt::format("~{:02x}", static_cast<unsigned char>(c));
        }
    }
    return name;
}

std::string collection_of(std::string_view prefix, std::string_view qdrant_name) {
    if (!qdrant_name.starts_with(prefix)) return {};
    qdrant_name.remove_prefix(prefix.size());
    std::string name;
    for (std::size_t i = 0; i < qdrant_name.size(); ++i) {
        if (qdrant_name[i] != '~') {
            name += qdrant_name[i];
            continue;
        }
        const std::string_view digits = qdrant_name.substr(i + 1, 2);
        unsigned value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (error != std::errc() || end != digits.data() + 2) return {};
        name += static_cast<char>(value);
        i += 2;
    }
    return name;
}

}  // namespace quarry::index
